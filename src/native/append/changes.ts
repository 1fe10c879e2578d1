import { type ModelAnswer, mapStream, withField } from '../../mastra/wrapped-model.ts';
import type { NativeDialect } from '../../options/native.ts';
import { asRecord, isRecord } from '../../util/record.ts';

/** What an answer's prompt had changed right before the answer. */
export interface Changes {
  /** Digests of the definitions that were added, by the names of the tools. */
  readonly added: ReadonlyMap<string, string>;
  /** Names of tools that were removed. */
  readonly removed: readonly string[];
}

/** The key under which a part of an answer keeps its note, where providers keep what they note beside a part. */
const noteKey = (dialect: NativeDialect): string => `mastra-tool-search.${dialect}`;

/**
 * The changes that a part of a prompt, or of a stored message, notes; undefined where it notes none. Anybody may have
 * written them.
 *
 * @param dialect - the provider whose models the definitions were for: each has a form of its own.
 */
export function changesNoted(part: unknown, dialect: NativeDialect): Changes | undefined {
  const { providerOptions, providerMetadata } = asRecord(part) ?? {};
  const note = asRecord(asRecord(providerOptions ?? providerMetadata)?.[noteKey(dialect)]);
  if (!note) return undefined;
  const added = Object.entries(asRecord(note['added']) ?? {}).filter((entry) => typeof entry[1] === 'string');
  const removed = Array.isArray(note['removed']) ? note['removed'].filter((name) => typeof name === 'string') : [];
  return { added: new Map(added as [string, string][]), removed };
}

/** The notes of all dialects that stand among the options of a part, for another part that takes its place. */
export function notesAmong(options: unknown): Readonly<Record<string, unknown>> {
  const own = new Set([noteKey('anthropic'), noteKey('openai')]);
  return Object.fromEntries(Object.entries(asRecord(options) ?? {}).filter(([key]) => own.has(key)));
}

/**
 * The answer with a note of the changes on each text and call: a text that is empty goes, and its note with it. Mastra
 * stores the notes with the message and gives them back in each later prompt, wherever and by whomever that is made: so the
 * changes find their place again.
 */
export function noted(answer: ModelAnswer, changes: Changes | undefined, dialect: NativeDialect): ModelAnswer {
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
