import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type EmbedFunction,
  type EmbedPurpose,
  hybridScorer,
  rerankingScorer,
  semanticScorer,
  type VectorCache,
} from '../../../src/entries/semantic.ts';
import { bm25Scorer } from '../../../src/index.ts';
import { documentText } from '../../../src/semantic/embedder.ts';
import { median, timed } from '../statistics.ts';
import type { Contestant } from './measure.ts';
import { documentsOf, ofScorer } from './of-scorer.ts';
import type { LabelledSet } from './sets.ts';

/** What is measured of the model at an endpoint. */
export interface EndpointMeasures extends Endpoint {
  /** The shares of meaning in the hybrids. */
  readonly shares: readonly number[];
  /** Whether the model reranks, too, and with what weights. */
  readonly rerankWeights: readonly number[];
}

/** The model alone, in hybrids, and as a reranker. */
export function endpointContestants(endpoint: EndpointMeasures): readonly Contestant[] {
  const { model, shares, rerankWeights } = endpoint;
  const meaning = semanticScorer({ embed: endpointEmbed(endpoint), model, batchSize: 16, concurrency: 1 });
  const rerank = (query: string, candidates: readonly { readonly text: string }[]): Promise<readonly number[]> => {
    const texts = candidates.map(({ text }) => text);
    return reranked(endpoint, query, texts);
  };
  const timeout = Number.POSITIVE_INFINITY;
  return [
    ofScorer(meaning, model),
    ...shares.map((share) => {
      const weights = [1 - share, share];
      return ofScorer(hybridScorer([bm25Scorer(), meaning], { weights, timeout }), `bm25 + ${share} ${model}`);
    }),
    ...rerankWeights.map((weight) => {
      const scorer = rerankingScorer(bm25Scorer(), { rerank, timeout, weight });
      return ofScorer(scorer, `bm25, reranked by ${weight} ${model}`);
    }),
  ];
}

const QUERIES = 20;
const TOOLS = 20;

/** The time that the model takes for texts of a set, one query at a time. */
export async function speedOf(endpoint: Endpoint, { name, queries, tools }: LabelledSet): Promise<string> {
  const times: number[] = [];
  for (const { query } of queries.slice(0, QUERIES)) {
    times.push(await timed(() => embedded(endpoint, [query], 'query')));
  }
  const texts = documentsOf(tools.slice(0, TOOLS)).map(documentText);
  const milliseconds = await timed(() => embedded(endpoint, texts, 'document'));
  const seconds = (milliseconds / texts.length / 1_000) * 1_500;
  return `${endpoint.model}: ${median(times).toFixed(1)} ms a query, ${seconds.toFixed(0)} s for 1,500 tools (of ${name})`;
}

/** A model behind an OpenAI-compatible endpoint. */
export interface Endpoint {
  /** As far as `/v1`. */
  readonly url: string;
  readonly model: string;
}

const VECTORS = fileURLToPath(new URL('../../../node_modules/.cache/mastra-tool-search', import.meta.url));
const TIMEOUT = 600_000;

/** Embeds at the endpoint. Vectors of tools and of queries are kept in a file, so that each text is embedded once. */
export function endpointEmbed({ url, model }: Endpoint): EmbedFunction {
  const cache = vectorFile(path.join(VECTORS, `${model.replaceAll(/[^\w.-]/g, '_')}.txt`));
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

/** Vectors over several runs, in a text file: a line for each, the key and the numbers as base64 of 32-bit floats. */
export function vectorFile(file: string): VectorCache {
  let known: Map<string, string> | undefined;
  return {
    get(keys) {
      known ??= read(file);
      return keys.map((key) => decoded(known?.get(key)));
    },
    set(entries) {
      mkdirSync(path.dirname(file), { recursive: true });
      // The line break comes first, so that a line that was cut short spoils none but itself.
      appendFileSync(file, entries.map(({ key, vector }) => `\n${key} ${encoded(vector)}`).join(''));
      for (const { key, vector } of entries) known?.set(key, encoded(vector));
    },
  };
}

function read(file: string): Map<string, string> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return new Map(lines.map((line) => line.split(' ')).map(([key = '', vector = '']) => [key, vector]));
}

function encoded(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

function decoded(vector: string | undefined): Float32Array | undefined {
  const bytes = Buffer.from(vector ?? '', 'base64');
  return bytes.length === 0 ? undefined : new Float32Array(Uint8Array.from(bytes).buffer);
}
