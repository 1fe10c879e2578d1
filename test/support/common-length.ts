/** The number of characters in which two texts are equal from their beginning, as a provider's cache compares prompts. */
export function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}
