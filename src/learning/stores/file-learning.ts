import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  asRecord,
  invalidOption,
  isRecord,
  KeyedQueue,
  type LearnedScope,
  type LearnedUse,
  type LearningStore,
  latestUses,
  MAX_READ,
  type NamesOf,
  refuseUnknownOptions,
  scopeHash,
} from '../../kit.ts';

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
  /** The folder of the files, one for each scope. Made when it is needed. */
  readonly folder: string;
}

const optionNames: NamesOf<FileLearningStoreOptions> = { folder: true };
/** Lines that a file may have for each use that stays. */
const SLACK = 2;
/** The time of a use that was dropped. */
const GONE = 0;
/** Milliseconds that one operation may hold up the next. */
const PATIENCE = 5_000;
/** The queues of all files: two stores of one process may have the same folder. */
const queue = new KeyedQueue(PATIENCE);

/**
 * Keeps what is learned in files, for one process: it is there after a restart. Several processes want Redis.
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
  if (!isRecord(options)) throw invalidOption('options', options, `an object, e.g. { folder: './learned' }`);
  refuseUnknownOptions('fileLearningStore', options, optionNames);
  const { folder } = options;
  if (typeof folder !== 'string' || folder === '') throw invalidOption('folder', folder, 'the path of a folder');
  /** The hash has no letter of the scope. */
  const fileOf = (scope: string): string => path.resolve(folder, `${scopeHash(scope)}.jsonl`);

  return {
    async read(scope) {
      const file = fileOf(scope);
      const lines = await queue.run(file, () => linesOf(file));
      return lines && learnedIn(lines);
    },
    append: (scope, learned, { max, drop = [] }) => {
      const file = fileOf(scope);
      const { key } = learned;
      const gone = drop.map((use) => ({ use, usedAt: GONE }));
      const added = [...gone, ...learned.uses.map(({ use, usedAt }) => ({ use, usedAt }))];
      return queue.run(file, async () => {
        const lines = await linesOf(file);
        const kept = lines && learnedIn(lines);
        if (kept && kept.key !== key) return false;
        const isLong = (lines?.length ?? 0) + added.length > SLACK * max;
        if (kept && !isLong) await appendFile(file, linesFor(added));
        else {
          const uses = latestUses(present([...(kept?.uses ?? []), ...added]), max);
          await replace(file, JSON.stringify({ key }) + linesFor(uses));
        }
        return true;
      });
    },
    clear(scope) {
      const file = fileOf(scope);
      return queue.run(file, () => rm(file, { force: true }));
    },
  };
}

async function linesOf(file: string): Promise<readonly string[] | undefined> {
  try {
    return (await readFile(file, 'utf8')).split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Every line begins with its break, so that one that a crash has cut spoils no other. */
function linesFor(uses: readonly LearnedUse[]): string {
  return uses.map(({ use, usedAt }) => `\n${JSON.stringify([usedAt, use])}`).join('');
}

/** Writes the whole file at once, or not at all. */
async function replace(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const next = `${file}.${process.pid}.tmp`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, file);
}

/** What lines tell; undefined where the first has no key. Lines that cannot be read are passed over. */
function learnedIn([first = '', ...rest]: readonly string[]): LearnedScope | undefined {
  const key = asRecord(parse(first))?.['key'];
  if (typeof key !== 'string') return undefined;
  // What stands before them was written longer ago.
  const uses = rest.slice(-MAX_READ).flatMap((line): LearnedUse[] => {
    const parsed = parse(line);
    const [usedAt, use]: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
    return typeof usedAt === 'number' && typeof use === 'string' ? [{ use, usedAt }] : [];
  });
  return { key, uses: present(uses) };
}

/** Each use once with its last time, without those that were dropped. */
function present(uses: readonly LearnedUse[]): readonly LearnedUse[] {
  return latestUses(uses, uses.length).filter(({ usedAt }) => usedAt !== GONE);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
