import { memoryStore } from './memory.ts';
import type { LoadedToolStore } from './store.ts';

/**
 * The store of `storage: 'context'`, which reads the loaded tools from the conversation: a tool is loaded while the
 * result of a meta-tool that loaded it is among the messages. Restart-safe where the messages are, and a tool unloads
 * when its result is trimmed away.
 *
 * Nothing that a request loads or unloads is kept here, so that runs of one thread at once, or a run that was aborted,
 * leave nothing to each other. A name that the application unloads stays unloaded until it is loaded again, and no
 * longer than this process lives or the TTL lasts.
 */
export function contextStore(): LoadedToolStore & { readonly readsConversation: 'only' } {
  const removed = memoryStore();
  /** The TTL of the last add: one processor has one. */
  let ttl = 0;

  return {
    readsConversation: 'only',
    get(scope, fromConversation = []) {
      const hidden = new Set(removed.get(scope));
      return [...new Set(fromConversation)].filter((name) => !hidden.has(name));
    },
    add(scope, names, addOptions) {
      ttl = addOptions.ttl;
      removed.remove(scope, names);
    },
    // Only the conversation can forget what it shows, and what was unloaded must not come back.
    clear() {},
    remove(scope, names) {
      removed.add(scope, names, { ttl });
    },
  };
}
