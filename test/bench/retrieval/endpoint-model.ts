import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EmbedFunction, EmbedPurpose } from '../../../src/entries/semantic.ts';
import { vectorFile } from './vector-file.ts';

/** A model behind an OpenAI-compatible endpoint. */
export interface Endpoint {
  /** As far as `/v1`. */
  readonly url: string;
  readonly model: string;
  /** Where vectors are kept over several runs. */
  readonly vectors?: string;
}

const VECTORS = fileURLToPath(new URL('../../../node_modules/.cache/mastra-tool-search', import.meta.url));
const TIMEOUT = 600_000;

/** Embeds at the endpoint. Vectors of tools and of queries are kept in a file, so that each text is embedded once. */
export function endpointEmbed({ url, model, vectors = VECTORS }: Endpoint): EmbedFunction {
  const cache = vectorFile(path.join(vectors, `${model.replaceAll(/[^\w.-]/g, '_')}.txt`));
  const keyOf = (text: string, purpose: EmbedPurpose): string =>
    createHash('sha256').update(`${purpose}\n${text}`).digest('base64');
  return async (texts, purpose) => {
    const keys = texts.map((text) => keyOf(text, purpose));
    const known = await cache.get(keys);
    const missing = texts.filter((_, position) => !known[position]);
    if (missing.length === 0) return known as readonly ArrayLike<number>[];
    const made = await embedded({ url, model }, missing, purpose);
    const entries = new Map(made.map((vector, position) => [keyOf(missing[position] ?? '', purpose), vector]));
    await cache.set([...entries].map(([key, vector]) => ({ key, vector })));
    return keys.map((key, position) => known[position] ?? entries.get(key) ?? []);
  };
}

/** The vectors of texts, without a cache. */
export async function embedded(
  { url, model }: Endpoint,
  input: readonly string[],
  purpose: EmbedPurpose,
): Promise<readonly (readonly number[])[]> {
  // Servers of models that want to be told read `input_type`; others ignore it.
  const body = { model, input, input_type: purpose };
  const { data } = await post<{ data: { index: number; embedding: number[] }[] }>(`${url}/embeddings`, body);
  return data.sort((one, other) => one.index - other.index).map(({ embedding }) => embedding);
}

/** The relevance of documents to a query, in their order. */
export async function reranked(
  { url, model }: Endpoint,
  query: string,
  documents: readonly string[],
): Promise<readonly number[]> {
  const body = { model, query, documents };
  const { results } = await post<{ results: { index: number; relevance_score: number }[] }>(`${url}/rerank`, body);
  return results.sort((one, other) => one.index - other.index).map(({ relevance_score }) => relevance_score);
}

async function post<Answer>(url: string, body: object): Promise<Answer> {
  const key = process.env['EMBEDDINGS_API_KEY'];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
