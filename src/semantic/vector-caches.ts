import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { checkOption, readOptions, type VectorCache } from '../kit.ts';
import { rowIdOf, storeOptions, VectorRows, type VectorStoreLike } from './vector.ts';

/**
 * Keeps vectors in a file, so that a restart does not embed the catalog again. Vectors are added at its end and never
 * removed; processes may share it, and see what others have added at their next start. A new file can be read by its owner alone. A vector of 384 numbers takes 2 KB.
 *
 * @param file - its path. Folders are made when they are needed.
 * @throws ToolSearchError `invalid-option`.
 *
 * @example
 * ```ts
 * import { fileVectorCache } from 'mastra-tool-search/semantic';
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 *
 * const embed = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * new ToolSearchProcessor({ tools, search: { embedder: { embed, cache: fileVectorCache('./vectors.txt') } } });
 * ```
 */
export function fileVectorCache(file: string): VectorCache {
  checkOption(typeof file === 'string' && file !== '', 'file', file, 'the path of a file');
  let known: Promise<Map<string, string>> | undefined;
  return {
    async get(keys) {
      known ??= readLines(file);
      known.catch(() => (known = undefined));
      const vectors = await known;
      return keys.map((key) => decoded(vectors.get(key)));
    },
    async set(entries) {
      await mkdir(path.dirname(path.resolve(file)), { recursive: true });
      // The line break comes first, so that a line that was cut off spoils none but itself.
      const lines = entries.map(({ key, vector }) => `\n${JSON.stringify(key)} ${encoded(vector)}`);
      // Vectors tell something of the texts of tools: nobody but the user of this process reads them.
      await appendFile(file, lines.join(''), { mode: 0o600 });
      const vectors = await known;
      for (const { key, vector } of entries) vectors?.set(key, encoded(vector));
    },
  };
}

async function readLines(file: string): Promise<Map<string, string>> {
  let text = '';
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const vectors = new Map<string, string>();
  for (const line of text.split('\n')) {
    const end = line.lastIndexOf(' ');
    try {
      vectors.set(String(JSON.parse(line.slice(0, end))), line.slice(end + 1));
    } catch {
      // An empty line, or one that was cut off.
    }
  }
  return vectors;
}

/** The numbers as base64 of 32-bit floats. */
function encoded(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

/** Undefined for what was cut off. */
function decoded(text = ''): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 > 0) return undefined;
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/**
 * The options of `storeVectorCache`.
 *
 * @example
 * ```ts
 * const options = (vector: VectorStoreLike): StoreVectorCacheOptions => ({ vector, indexName: 'tool_vectors' });
 * ```
 */
export interface StoreVectorCacheOptions {
  /** A vector store of Mastra that returns vectors (`includeVector`), such as LibSQLVector or PgVector. */
  readonly vector: VectorStoreLike;
  /** The index in it, made when it is needed. One for each embedding model; processes and tenants may share it. */
  readonly indexName: string;
}

/**
 * Keeps vectors in a Mastra vector store, shared by all processes. Rows hold a hash of the model's name and the text, and the
 * vector; no text.
 *
 * @throws ToolSearchError `invalid-option`.
 *
 * @example
 * ```ts
 * import { storeVectorCache } from 'mastra-tool-search/semantic';
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 * import { LibSQLVector } from '@mastra/libsql';
 *
 * const cache = storeVectorCache({ vector: new LibSQLVector({ id: 'tools', url: 'file:tools.db' }), indexName: 'tool_vectors' });
 * const embed = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * new ToolSearchProcessor({ tools, search: { embedder: { embed, cache } } });
 * ```
 */
export function storeVectorCache(options: StoreVectorCacheOptions): VectorCache {
  const { vector, indexName } = readOptions('storeVectorCache', options, storeOptions);
  const rows = new VectorRows(vector, indexName);
  let size: number | undefined;
  return {
    async get(keys) {
      size ??= await rows.size();
      const found = size === undefined ? [] : await rows.read(keys.map(rowIdOf), size, true);
      const vectors = new Map(found.map(({ id, vector: kept }) => [id, kept]));
      return keys.map((key) => vectors.get(rowIdOf(key)));
    },
    async set(entries) {
      size ??= await rows.size();
      await rows.put(
        entries.map(({ key }) => rowIdOf(key)),
        entries.map((entry) => entry.vector),
        size,
      );
    },
  };
}
