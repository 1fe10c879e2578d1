import { hash } from 'node:crypto';
import { asRecord, isRecord, Lru, type ModelAnswer, mapStream, withField } from '../../kit.ts';
import type { Definition } from '../dialect.ts';

/** What an answer's prompt had changed right before the answer. */
export interface Changes {
  /** Digests of the definitions that were added, by the names of the tools. */
  readonly added: ReadonlyMap<string, string>;
  /** Names of tools that were removed. */
  readonly removed: readonly string[];
}

/** The key under which a part of an answer keeps its note, where providers keep what they note beside a part. */
const NOTES = 'mastra-tool-search.';
const noteKey = (dialect: string): string => `${NOTES}${dialect}`;

/**
 * The changes that a part of a prompt, or of a stored message, notes; undefined where it notes none. Anybody may have
 * written them.
 *
 * @param dialect - the provider whose models the definitions were for: each has a form of its own.
 */
export function changesNoted(part: unknown, dialect: string): Changes | undefined {
  const { providerOptions, providerMetadata } = asRecord(part) ?? {};
  const note = asRecord(asRecord(providerOptions ?? providerMetadata)?.[noteKey(dialect)]);
  if (!note) return undefined;
  const added = Object.entries(asRecord(note['added']) ?? {}).filter((entry) => typeof entry[1] === 'string');
  const removed = Array.isArray(note['removed']) ? note['removed'].filter((name) => typeof name === 'string') : [];
  return { added: new Map(added as [string, string][]), removed };
}

/** The notes of all dialects that stand among the options of a part, for another part that takes its place. */
export function notesAmong(options: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(asRecord(options) ?? {}).filter(([key]) => key.startsWith(NOTES)));
}

/**
 * The answer with a note of the changes on each text and call: a text that is empty goes, and its note with it. Mastra
 * stores the notes with the message and gives them back in each later prompt, wherever and by whomever that is made: so the
 * changes find their place again.
 */
export function noted(answer: ModelAnswer, changes: Changes | undefined, dialect: string): ModelAnswer {
  if (!changes) return answer;
  const withNote = (part: unknown): unknown => {
    const fields = asRecord(part) ?? {};
    const before = changesNoted(part, dialect);
    const added = Object.fromEntries([...(before?.added ?? []), ...changes.added]);
    const note = { added, removed: [...new Set([...(before?.removed ?? []), ...changes.removed])] };
    return { ...fields, providerMetadata: { ...asRecord(fields['providerMetadata']), [noteKey(dialect)]: note } };
  };
  const { content } = answer;
  // Mastra's models have both, and it is the stream that Mastra reads.
  if (Array.isArray(content) && !(answer.stream instanceof ReadableStream)) {
    return withField(
      answer,
      'content',
      content.map((part) => (isNoting(part) ? withNote(part) : part)),
    );
  }
  const change = new TransformStream<unknown, unknown>({
    transform: (part, controller) => controller.enqueue(isNoting(part) ? withNote(part) : part),
  });
  return mapStream(answer, change);
}

/**
 * Whether Mastra stores what the part notes: of a text what its end notes, if it notes anything, and of a call what its
 * input notes, if that does.
 */
function isNoting(part: unknown): boolean {
  const { type, providerMetadata } = asRecord(part) ?? {};
  if (type === 'text' || type === 'text-start' || type === 'tool-call') return true;
  return (type === 'text-end' || type === 'tool-input-start') && isRecord(providerMetadata);
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
