import type { DefinitionPin, PinStore } from '../kit.ts';
import { asPin } from './stored-pin.ts';
import {
  type MastraWithStorage,
  readThreadStateOptions,
  type ThreadStateStoreOptions,
  threadStateOf,
} from './thread-state.ts';

/** The type of the state that holds pins, beside that of loaded tools. */
const TYPE = 'tool-search-pins';

/**
 * Keeps the pins of `pins` in the storage that the Mastra instance already has, in its domain `threadState`: one value
 * for each scope. In one process writes wait for each other. Of two processes that pin at the same time, one may lose
 * its pins; its tools then count as new once more.
 *
 * Every operation rejects with ToolSearchError `storage-unavailable` if there is no such storage.
 *
 * @throws ToolSearchError `invalid-option`, for something that is no Mastra instance.
 *
 * @example
 * ```ts
 * import { threadStatePinStore } from 'mastra-tool-search/thread-state';
 *
 * const processor = new ToolSearchProcessor({ tools, pins: { store: threadStatePinStore(), onChange: 'withhold' } });
 * ```
 */
export function threadStatePinStore(options: ThreadStateStoreOptions = {}): PinStore {
  let mastra: MastraWithStorage | undefined = readThreadStateOptions('threadStatePinStore', options);
  const isGiven = mastra !== undefined;
  const read = async (scope: string): Promise<Map<string, DefinitionPin>> => {
    const { state, address } = await threadStateOf(mastra, scope, TYPE);
    return decode(await state.getState(address));
  };
  const write = async (scope: string, change: (pins: Map<string, DefinitionPin>) => Map<string, DefinitionPin>) => {
    const { state, address, queue } = await threadStateOf(mastra, scope, TYPE);
    await queue.run(`${TYPE} ${address.threadId}`, async () => {
      const pins = change(decode(await state.getState(address)));
      // Stored as text, because PostgreSQL's jsonb refuses some characters.
      await state.setState({ ...address, value: JSON.stringify([...pins]) });
    });
  };
  return {
    useMastra(registered) {
      if (!isGiven) mastra = readThreadStateOptions('threadStatePinStore', { mastra: registered as MastraWithStorage });
    },
    read,
    add: (scope, pins) => write(scope, (before) => new Map([...pins, ...before])),
    replace: (scope, pins) => write(scope, (before) => new Map([...before, ...pins])),
  };
}

/** @throws TypeError for a value that is no list of pins: it must not count as a scope without pins. */
function decode(value: unknown): Map<string, DefinitionPin> {
  if (value === undefined || value === null) return new Map();
  const entries: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (!Array.isArray(entries)) throw new TypeError('The storage has no list of pins');
  return new Map(
    entries.map((entry: unknown) => {
      const [name, written] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
      const pin = asPin(written);
      if (typeof name !== 'string' || !pin) throw new TypeError('The storage has a pin that cannot be read');
      return [name, pin] as const;
    }),
  );
}
