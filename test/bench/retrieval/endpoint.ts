// A model behind an OpenAI-compatible endpoint: alone, and in hybrids.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type EmbedFunction,
  type EmbedPurpose,
  fileVectorCache,
  hybridScorer,
  semanticScorer,
  type VectorCache,
} from '../../../src/entries/semantic.ts';
import { bm25Scorer } from '../../../src/index.ts';
import { documentText } from '../../../src/semantic/embedder.ts';
import { median, timed } from '../statistics.ts';
import { type Contestant, documentsOf, ofScorer } from './measure.ts';
import type { LabelledSet } from './sets.ts';

export interface Endpoint {
  /** As far as `/v1`. */
  readonly url: string;
  readonly model: string;
}

/** @param shares - of meaning, one for each hybrid. */
export function endpointContestants(endpoint: Endpoint, shares: readonly number[]): readonly Contestant[] {
  const { model } = endpoint;
  const meaning = semanticScorer({ embed: cachedEmbed(endpoint), model, batchSize: 16, concurrency: 1 });
  const timeout = Number.POSITIVE_INFINITY;
  return [
    ofScorer(meaning, model),
    ...shares.map((share) => {
      const hybrid = hybridScorer([bm25Scorer(), meaning], { weights: [1 - share, share], timeout });
      return ofScorer(hybrid, `bm25 + ${share} ${model}`);
    }),
  ];
}

const TEXTS = 20;

/** The time that the model takes for texts of a set, one query at a time. */
export async function speedOf(endpoint: Endpoint, { name, queries, tools }: LabelledSet): Promise<string> {
  const times: number[] = [];
  for (const { query } of queries.slice(0, TEXTS)) times.push(await timed(() => embedded(endpoint, [query], 'query')));
  const texts = documentsOf(tools.slice(0, TEXTS)).map(documentText);
  const milliseconds = await timed(() => embedded(endpoint, texts, 'document'));
  const seconds = (tools: number): string => ((milliseconds / texts.length / 1_000) * tools).toFixed(0);
  return `${endpoint.model}: ${median(times).toFixed(1)} ms a query, ${seconds(1_000)} s for 1,000 tools, ${seconds(10_000)} s for 10,000 (by ${TEXTS} of ${name})`;
}

/** Keeps vectors of tools and of queries in a file, so that each text is embedded once. */
function cachedEmbed(endpoint: Endpoint): EmbedFunction {
  const cache = vectorFile(endpoint.model.replaceAll(/[^\w.-]/g, '_'));
  return async (texts, purpose) => {
    const keys = texts.map((text) => createHash('sha256').update(`${purpose}\n${text}`).digest('base64'));
    const known = await cache.get(keys);
    const missing = [...keys.keys()].filter((at) => !known[at]);
    if (missing.length === 0) return known as readonly ArrayLike<number>[];
    const vectors = await embedded(
      endpoint,
      missing.map((at) => texts[at]!),
      purpose,
    );
    const made = new Map(missing.map((at, n) => [keys[at]!, vectors[n]!]));
    await cache.set([...made].map(([key, vector]) => ({ key, vector })));
    return keys.map((key, at) => known[at] ?? made.get(key)!);
  };
}

async function embedded({ url, model }: Endpoint, input: readonly string[], purpose: EmbedPurpose) {
  // Servers of models that distinguish queries from documents read `input_type`; others ignore it.
  const body = { model, input, input_type: purpose };
  const { data } = await post<{ data: { index: number; embedding: number[] }[] }>(`${url}/embeddings`, body);
  return data.sort((one, other) => one.index - other.index).map(({ embedding }) => embedding);
}

async function post<Answer>(url: string, body: object): Promise<Answer> {
  const key = process.env['EMBEDDINGS_API_KEY'];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(600_000),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

const VECTORS = fileURLToPath(new URL('../../../node_modules/.cache/mastra-tool-search', import.meta.url));

/** Keeps vectors over several runs. */
export function vectorFile(name: string): VectorCache {
  return fileVectorCache(path.join(VECTORS, `${name}.txt`));
}
