import { refuseUnknownOptions } from '../known-options.ts';
import { type MemoryStoreOptions, memoryOptionNames, memoryStore } from './memory.ts';
import type { LoadedToolStore } from './store.ts';

/**
 * Reads the loaded tools from the conversation itself: a tool is loaded while the result of a meta-tool that loaded
 * it is among the messages. Restart-safe where the messages are, and a tool unloads when its result is trimmed away.
 *
 * Between a load and the step whose messages show it, the name waits in this process, under the TTL and bounds of a
 * `memoryStore`. So does a name that was removed though the messages show it: until it is loaded again, and no longer
 * than this process lives or the TTL lasts.
 */
export function contextStore(options: MemoryStoreOptions = {}): LoadedToolStore & { readonly readsConversation: true } {
  refuseUnknownOptions('contextStore', options, memoryOptionNames);
  const waiting = memoryStore(options);
  const removed = memoryStore(options);
  /** That of the last add: one processor has one. */
  let ttl = 0;

  return {
    readsConversation: true,
    get(scope, fromConversation) {
      const hidden = new Set(removed.get(scope));
      if (!fromConversation) return waiting.get(scope);
      // What the messages show need not be remembered any longer: from now on trimming them unloads it.
      waiting.remove(scope, fromConversation);
      const shown = fromConversation.filter((name) => !hidden.has(name));
      return [...new Set([...shown, ...waiting.get(scope)])];
    },
    add(scope, names, addOptions) {
      ttl = addOptions.ttl;
      removed.remove(scope, names);
      waiting.add(scope, names, addOptions);
    },
    // Removed names stay removed: clearing must not bring them back.
    clear: (scope) => waiting.clear(scope),
    remove(scope, names) {
      waiting.remove(scope, names);
      removed.add(scope, names, { ttl });
    },
  };
}
