import type { LibSQLStore } from '@mastra/libsql';

/** A storage whose every operation takes so many milliseconds longer, as that of a database far away would. */
export interface SlowStorage {
  readonly storage: LibSQLStore;
  /** Returns when no operation has been running for some turns of the event loop. */
  idle(): Promise<void>;
}

/** Turns of the event loop between an operation and the next one of the same run, and some more. */
const QUIET_TURNS = 50;

export function slowStorage(storage: LibSQLStore, milliseconds: number): SlowStorage {
  let running = 0;

  /** What a domain calls on itself is not slowed again. */
  const slowed = (domain: object): object =>
    new Proxy(domain, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function' || value.constructor.name !== 'AsyncFunction') return value;
        return async (...args: readonly unknown[]) => {
          running += 1;
          try {
            if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
            return await Reflect.apply(value, target, args);
          } finally {
            running -= 1;
          }
        };
      },
    });
  const domains = storage.stores as unknown as Record<string, object>;
  for (const [name, domain] of Object.entries(domains)) domains[name] = slowed(domain);

  return {
    storage,
    async idle() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
        if (running > 0) quiet = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
