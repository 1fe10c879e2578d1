import { type ModelAnswer, mapStream, withField } from '../../mastra/wrapped-model.ts';
import { asRecord, isRecord } from '../../util/record.ts';

/** What an answer's prompt had changed right before the answer. */
export interface Changes {
  /** Digests of the definitions that were added, by the names of the tools. */
  readonly added: ReadonlyMap<string, string>;
  /** Names of tools that were removed. */
  readonly removed: readonly string[];
}

/** The key under which a part of an answer keeps its note, where providers keep what they note beside a part. */
const NOTE = 'mastra-tool-search.changes';

/** The changes that a part of a prompt, or of a stored message, notes; undefined where it notes none. Anybody may have written them. */
export function changesNoted(part: unknown): Changes | undefined {
  const { providerOptions, providerMetadata } = asRecord(part) ?? {};
  const note = asRecord(asRecord(providerOptions ?? providerMetadata)?.[NOTE]);
  if (!note) return undefined;
  const added = Object.entries(asRecord(note['added']) ?? {}).filter((entry) => typeof entry[1] === 'string');
  const removed = Array.isArray(note['removed']) ? note['removed'].filter((name) => typeof name === 'string') : [];
  return { added: new Map(added as [string, string][]), removed };
}

/**
 * The answer with a note of the changes on its first text or call. Mastra stores it with the message and gives it back in
 * each later prompt, wherever and by whomever that is made: so the changes find their place again.
 */
export function noted(answer: ModelAnswer, changes: Changes | undefined): ModelAnswer {
  if (!changes) return answer;
  const note = { [NOTE]: { added: Object.fromEntries(changes.added), removed: [...changes.removed] } };
  const withNote = (part: unknown): unknown => {
    const fields = asRecord(part) ?? {};
    return { ...fields, providerMetadata: { ...asRecord(fields['providerMetadata']), ...note } };
  };
  const { content } = answer;
  // Mastra's models have both, and it is the stream that Mastra reads.
  if (Array.isArray(content) && !(answer.stream instanceof ReadableStream)) {
    const first = content.findIndex((part) => isNotable(part, 'text'));
    return withField(
      answer,
      'content',
      content.map((part, at) => (at === first ? withNote(part) : part)),
    );
  }
  let bearer: unknown;
  const change = new TransformStream<unknown, unknown>({
    transform(part, controller) {
      const { type, id, toolCallId = id, providerMetadata } = asRecord(part) ?? {};
      const isStart = type === 'text-start' || type === 'tool-input-start' || type === 'tool-call';
      if (isStart) bearer ??= toolCallId;
      // Mastra keeps what the last part of a text or a call notes, if that notes anything, and of a call the first part.
      const isNoting = bearer !== undefined && bearer === toolCallId && (isStart || isRecord(providerMetadata));
      controller.enqueue(isNoting ? withNote(part) : part);
    },
  });
  return mapStream(answer, change);
}

function isNotable(part: unknown, text: string): boolean {
  const type = asRecord(part)?.['type'];
  return type === text || type === 'tool-call';
}
