/** The inverse document frequency of a word that `count` of `total` documents have, as in BM25. */
export function inverseDocumentFrequency(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}
