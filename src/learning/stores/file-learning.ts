import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  asRecord,
  invalidOption,
  isRecord,
  KeyedQueue,
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

type Learned = Parameters<LearningStore['append']>[1];

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
    read(scope) {
      const file = fileOf(scope);
      return queue.run(file, async () => (await read(file)).learned);
    },
    append(scope, { key, uses }, { max, drop = [] }) {
      const file = fileOf(scope);
      const gone = drop.map((use) => ({ use, usedAt: GONE }));
      const added = [...gone, ...uses];
      return queue.run(file, async () => {
        const { learned, lines } = await read(file);
        if (learned && learned.key !== key) return false;
        if (learned && lines + added.length <= SLACK * max) await appendFile(file, linesFor(added));
        else {
          const kept = latestUses(present([...(learned?.uses ?? []), ...added]), max);
          await replace(file, JSON.stringify({ key }) + linesFor(kept));
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

/** What a file has learned; nothing where there is none, or where its first line has no key. */
async function read(file: string): Promise<{ readonly learned: Learned | undefined; readonly lines: number }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { learned: undefined, lines: 0 };
    throw error;
  }
  const lines = text.split('\n');
  const key = asRecord(parse(lines[0] ?? ''))?.['key'];
  if (typeof key !== 'string') return { learned: undefined, lines: lines.length };
  // What stands before the last ones was written longer ago. Lines that cannot be read are passed over.
  const uses = lines
    .slice(1)
    .slice(-MAX_READ)
    .flatMap((line): LearnedUse[] => {
      const parsed = parse(line);
      const [usedAt, use]: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
      return typeof usedAt === 'number' && typeof use === 'string' ? [{ use, usedAt }] : [];
    });
  return { learned: { key, uses: present(uses) }, lines: lines.length };
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
