import { hash } from 'node:crypto';
import { Lru } from '../../util/lru.ts';

/** The definition of a tool, as a provider's package gets it. */
export interface Definition {
  readonly type: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly strict?: boolean;
  readonly providerOptions?: unknown;
}

const MAX_DEFINITIONS = 2000;
const MAX_CONVERSATIONS = 1000;
const MAX_OF_CONVERSATION = 500;
/** Letters of a digest: enough that no two definitions of one tool share them. */
const DIGEST_LENGTH = 16;

/** The definitions that conversations were sent, each once: one that is gone since is needed to remove it. */
export class Definitions {
  readonly #byDigest = new Lru<Definition>(MAX_DEFINITIONS);
  readonly #sent = new Lru<Set<string>>(MAX_CONVERSATIONS);
  readonly #digests = new WeakMap<object, string>();

  digestOf(definition: Definition): string {
    const known = this.#digests.get(definition);
    if (known !== undefined) return known;
    const digest = hash('sha256', JSON.stringify(definition), 'hex').slice(0, DIGEST_LENGTH);
    this.#digests.set(definition, digest);
    return digest;
  }

  /** What a conversation is sent. Without a key it is remembered for one request, by its set. */
  note(conversation: string | Set<string>, definition: Definition): void {
    const digest = this.digestOf(definition);
    this.#byDigest.set(digest, definition);
    const sent = this.#of(conversation);
    sent.add(digest);
    for (const oldest of sent) {
      if (sent.size <= MAX_OF_CONVERSATION) break;
      sent.delete(oldest);
    }
  }

  /** A definition that the conversation was sent. */
  get(conversation: string | Set<string>, digest: string): Definition | undefined {
    return this.#of(conversation).has(digest) ? this.#byDigest.get(digest) : undefined;
  }

  #of(conversation: string | Set<string>): Set<string> {
    if (typeof conversation !== 'string') return conversation;
    const sent = this.#sent.get(conversation) ?? new Set();
    this.#sent.set(conversation, sent);
    return sent;
  }
}
