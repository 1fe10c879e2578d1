import { type MemoryStoreOptions, memoryStore } from './memory.ts';
import type { LoadedToolStore } from './store.ts';

/**
 * Reads the loaded tools from the conversation itself: a tool is loaded while the result of a meta-tool that loaded
 * it is among the messages. Restart-safe where the messages are, and a tool unloads when its result is trimmed away.
 *
 * Between a load and the step whose messages show it, the name waits in this process, under the TTL and bounds of a
 * `memoryStore`.
 */
export function contextStore(options: MemoryStoreOptions = {}): LoadedToolStore & { readonly readsConversation: true } {
  const waiting = memoryStore(options);

  return {
    readsConversation: true,
    get(scope, fromConversation) {
      if (!fromConversation) return waiting.get(scope);
      // What the messages show need not be remembered any longer: from now on trimming them unloads it.
      waiting.remove(scope, fromConversation);
      return [...new Set([...fromConversation, ...waiting.get(scope)])];
    },
    add: (scope, names, addOptions) => waiting.add(scope, names, addOptions),
    clear: (scope) => waiting.clear(scope),
  };
}
