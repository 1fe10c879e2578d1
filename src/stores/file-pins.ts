import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../errors.ts';
import type { DefinitionPin, PinStore } from '../kit.ts';
import { must, type OptionTable, readOptions } from '../util/check.ts';
import { isRecord } from '../util/record.ts';
import { KeyedQueue } from '../util/timeout.ts';
import { asPin } from './stored-pin.ts';

/**
 * The options of `filePinStore`.
 *
 * @example
 * ```ts
 * import { type FilePinStoreOptions, filePinStore } from 'mastra-tool-search/pins';
 *
 * const options: FilePinStoreOptions = { file: 'tools.lock.json', isLocked: true };
 * new ToolSearchProcessor({ tools, pins: { store: filePinStore(options), onChange: 'withhold' } });
 * ```
 */
export interface FilePinStoreOptions {
  /** The path of the file that `npx mastra-tool-search pin` writes. A missing file is made. */
  readonly file: string;
  /**
   * Whether the file has all tools that are allowed. Any other tool counts as new, and a run does not write the file.
   *
   * @default false
   */
  readonly isLocked?: boolean;
}

const storeOptions: OptionTable<FilePinStoreOptions, 'isLocked'> = {
  file: {
    isRequired: true,
    check: must('the path of a file, e.g. "tools.lock.json"', (value) => typeof value === 'string' && value !== ''),
  },
  isLocked: { default: false, check: must('true or false', (value) => typeof value === 'boolean') },
};

/** The scope whose pins count for all scopes. The command writes its pins there. */
export const EVERYBODY = 'global';
const VERSION = 1;
/** Longest time in milliseconds that one operation delays the next. */
const PATIENCE = 5_000;
/** The queue of all stores, because two stores of one process may have the same file. */
const queue = new KeyedQueue(PATIENCE);

type Pins = ReadonlyMap<string, DefinitionPin>;

/**
 * Keeps the pins of `pins` in a file that can be checked in. For one process that writes; any number may read.
 *
 * @throws ToolSearchError `invalid-option`
 *
 * @example
 * ```ts
 * import { filePinStore } from 'mastra-tool-search/pins';
 *
 * const store = filePinStore({ file: 'tools.lock.json' });
 * new ToolSearchProcessor({ tools, pins: { store, onChange: 'withhold' } });
 * ```
 */
export function filePinStore(options: FilePinStoreOptions): PinStore {
  const { file: given, isLocked } = readOptions<FilePinStoreOptions, 'isLocked'>('filePinStore', options, storeOptions);
  const file = path.resolve(given);
  const write = (scope: string, change: (pins: Pins) => Pins): Promise<void> =>
    queue.run(file, async () => {
      const scopes = new Map(await readScopes(file));
      const pins = change(scopes.get(scope) ?? new Map());
      await replaceFile(file, lockText(new Map([...scopes, [scope, pins]])));
    });
  return {
    isLocked,
    read: (scope) =>
      queue.run(file, async () => {
        const scopes = await readScopes(file);
        return new Map([...(scopes.get(EVERYBODY) ?? []), ...(scopes.get(scope) ?? [])]);
      }),
    async add(scope, pins) {
      if (!isLocked) await write(scope, (before) => new Map([...pins, ...before]));
    },
    replace: (scope, pins) => write(scope, (before) => new Map([...before, ...pins])),
  };
}

/** The text of a lock file. Names are sorted, so that a change is a small diff. */
export function lockText(scopes: ReadonlyMap<string, Pins>): string {
  const inOrder = <Value>(entries: Iterable<readonly [string, Value]>): [string, Value][] =>
    [...entries].map(([name, value]): [string, Value] => [name, value]).sort(([a], [b]) => (a < b ? -1 : 1));
  const recordOf = (pins: Pins): object => Object.fromEntries(inOrder(pins));
  const others = inOrder(scopes).filter(([scope]) => scope !== EVERYBODY);
  const content = {
    version: VERSION,
    tools: recordOf(scopes.get(EVERYBODY) ?? new Map()),
    ...(others.length > 0
      ? { scopes: Object.fromEntries(others.map(([scope, pins]) => [scope, recordOf(pins)])) }
      : {}),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/**
 * The pins of a lock file, by scope.
 *
 * @throws TypeError for a text that is no lock file: a file that cannot be read must not count as one without pins.
 */
export function pinsIn(text: string): ReadonlyMap<string, Pins> {
  const content: unknown = JSON.parse(text);
  const { version, tools, scopes = {} } = isRecord(content) ? content : {};
  if (version !== VERSION || !isRecord(tools) || !isRecord(scopes)) throw new TypeError('It is no lock file of tools');
  const read = (record: unknown): Pins => {
    if (!isRecord(record)) throw new TypeError('It is no lock file of tools');
    return new Map(
      Object.entries(record).map(([name, value]) => {
        const pin = asPin(value);
        if (!pin) throw new TypeError(`The pin of ${JSON.stringify(name.slice(0, 100))} cannot be read`);
        return [name, pin];
      }),
    );
  };
  return new Map([
    ...Object.entries(scopes).map(([scope, one]) => [scope, read(one)] as const),
    [EVERYBODY, read(tools)],
  ]);
}

async function readScopes(file: string): Promise<ReadonlyMap<string, Pins>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  try {
    return pinsIn(text);
  } catch (error) {
    throw new TypeError(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Replaces the file as a whole, or not at all. */
async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const next = `${file}.${process.pid}.tmp`;
  await writeFile(next, text);
  await rename(next, file);
}
