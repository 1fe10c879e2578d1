import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { invalidOption } from '../../errors.ts';
import type { LearnedUse, LearningStore } from '../../kit.ts';
import { scopeHash } from '../../stores/scope-keys.ts';
import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import { asRecord } from '../../util/record.ts';
import { KeyedQueue } from '../../util/timeout.ts';
import { appended, latestUses, MAX_READ } from '../uses.ts';

/**
 * The options of `fileLearningStore`.
 *
 * @example
 * ```ts
 * import { type FileLearningStoreOptions, fileLearningStore } from 'mastra-tool-search/learning';
 *
 * const options: FileLearningStoreOptions = { folder: './learned' };
 * fileLearningStore(options);
 * ```
 */
export interface FileLearningStoreOptions {
  /** The folder, which has one file for each scope. A missing folder is made. */
  readonly folder: string;
}

const optionNames: NamesOf<FileLearningStoreOptions> = { folder: true };
/** Longest time in milliseconds that one operation delays the next. */
const PATIENCE = 5_000;
/** The queue of all stores, because two stores of one process may have the same folder. */
const queue = new KeyedQueue(PATIENCE);

/**
 * Keeps what is learned in files, for one process: it is there after a restart. Several processes need
 * `redisLearningStore`.
 *
 * @throws ToolSearchError `invalid-option`.
 *
 * @example
 * ```ts
 * import { fileLearningStore } from 'mastra-tool-search/learning';
 *
 * new ToolSearchProcessor({ tools, learning: { store: fileLearningStore({ folder: './learned' }) } });
 * ```
 */
export function fileLearningStore(options: FileLearningStoreOptions): LearningStore {
  if (!asRecord(options)) throw invalidOption('options', options, `an object, e.g. { folder: './learned' }`);
  refuseUnknownOptions('fileLearningStore', options, optionNames);
  const { folder } = options;
  if (typeof folder !== 'string' || folder === '') throw invalidOption('folder', folder, 'the path of a folder');
  /** The file's name is a hash, which tells nothing of the scope. */
  const fileOf = (scope: string): string => path.resolve(folder, `${scopeHash(scope)}.jsonl`);

  return {
    read(scope) {
      const file = fileOf(scope);
      return queue.run(file, () => read(file));
    },
    append(scope, { key, uses }, options) {
      const file = fileOf(scope);
      const added = { key, uses: [...uses] };
      return queue.run(file, async () => {
        const next = appended(await read(file), added, options);
        if (!next) return false;
        const lines = [{ key }, ...next.uses.map(({ use, usedAt }) => [usedAt, use])];
        await replace(file, lines.map((line) => JSON.stringify(line)).join('\n'));
        return true;
      });
    },
    clear(scope) {
      const file = fileOf(scope);
      return queue.run(file, () => rm(file, { force: true }));
    },
  };
}

/** The uses in a file; undefined if there is no file, or its first line has no key. */
async function read(file: string): Promise<Awaited<ReturnType<LearningStore['read']>>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [first = '', ...lines] = text.split('\n');
  const key = asRecord(parse(first))?.['key'];
  if (typeof key !== 'string') return undefined;
  // The last lines have the latest uses. Lines that cannot be read are skipped.
  const uses = lines.slice(-MAX_READ).flatMap((line): LearnedUse[] => {
    const parsed = parse(line);
    const [usedAt, use]: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
    return typeof usedAt === 'number' && typeof use === 'string' ? [{ use, usedAt }] : [];
  });
  // An earlier version wrote dropped uses with the time 0.
  return { key, uses: latestUses(uses, uses.length).filter(({ usedAt }) => usedAt > 0) };
}

/** Replaces the file as a whole, or not at all. */
async function replace(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const next = `${file}.${process.pid}.tmp`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, file);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
