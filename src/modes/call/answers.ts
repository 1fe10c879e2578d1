// Rewrites calls in the answers of a model before Mastra reads them, and back in the prompts that repeat them.
import { mapToolParts, type Prompt, type ToolPart } from '../../loaded/conversation/prompt.ts';
import { changeParts, type ModelAnswer } from '../../mastra/wrapped-model.ts';
import { parseJson } from '../../meta-tools/meta-tool.ts';
import { asRecord } from '../../util/record.ts';

/** A tool call in a model's answer: the same in all versions of the specification. */
export interface CallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as JSON. */
  readonly input: string;
  readonly providerMetadata?: Readonly<Record<string, unknown>>;
}

/** The calls that become others. Not by id: a provider may give one twice. */
type Rewriting = (calls: readonly CallPart[]) => Promise<ReadonlyMap<CallPart, CallPart>>;

/** Rewrites calls in a model's answer, held back from the first of them on, so that its parts keep their order. */
export function rewriteAnswer(
  answer: ModelAnswer,
  isConcerned: (name: string) => boolean,
  rewriting: Rewriting,
): Promise<ModelAnswer> {
  const isHeld = (part: unknown): boolean => {
    const { type, toolName, providerExecuted } = asRecord(part) ?? {};
    const isOfCall = type === 'tool-call' || type === 'tool-input-start';
    return isOfCall && typeof toolName === 'string' && providerExecuted !== true && isConcerned(toolName);
  };
  const distinct = distinctIds();
  const held: unknown[] = [];
  const release = async (controller: TransformStreamDefaultController<unknown>): Promise<void> => {
    const parts = held.splice(0);
    const calls = parts.filter((part): part is CallPart => isHeld(part) && asRecord(part)?.['type'] === 'tool-call');
    const released = calls.length === 0 ? parts : rewritten(parts, await rewriting(calls));
    for (const part of released) controller.enqueue(part);
  };
  const change = new TransformStream<unknown, unknown>({
    async transform(given, controller) {
      const part = distinct(given);
      const isEnd = asRecord(part)?.['type'] === 'finish';
      if (isEnd) await release(controller);
      if (!isEnd && (held.length > 0 || isHeld(part))) held.push(part);
      else controller.enqueue(part);
    },
    flush: release,
  });
  return changeParts(answer, change);
}

function rewritten(parts: readonly unknown[], calls: ReadonlyMap<CallPart, CallPart>): readonly unknown[] {
  const seen = new Set<CallPart>();
  return parts.flatMap((part, at) => {
    const { type, id } = asRecord(part) ?? {};
    // Parts of the input stand before their call.
    const isOf = (later: unknown): boolean =>
      asRecord(later)?.['type'] === 'tool-call' && asRecord(later)?.['toolCallId'] === id;
    const source = type === 'tool-call' ? part : parts.slice(at).find(isOf);
    const call = calls.get(source as CallPart);
    if (!call) return [part];
    if (type === 'tool-call') return [call];
    // Mastra keeps what a provider notes beside the first part of a call.
    if (type === 'tool-input-start')
      return [{ ...asRecord(part), toolName: call.toolName, providerMetadata: call.providerMetadata }];
    if (type !== 'tool-input-delta') return [part];
    // The arguments at once: what the model wrote piece by piece has another form.
    if (seen.has(call)) return [];
    seen.add(call);
    return [{ ...asRecord(part), delta: call.input }];
  });
}

/** Gives each call of one answer an id of its own: of two with the same, Mastra takes the one for the other. */
function distinctIds(): (part: unknown) => unknown {
  const seen = new Set<string>();
  /** The new ids of the call that is being streamed, by the old ones. */
  const others = new Map<string, string>();
  const own = (id: string): string => {
    if (!seen.has(id)) return id;
    let count = 2;
    while (seen.has(`${id}_${count}`)) count += 1;
    const other = others.get(id) ?? `${id}_${count}`;
    others.set(id, other);
    return other;
  };
  return (part) => {
    const { type, id, toolCallId, providerExecuted } = asRecord(part) ?? {};
    if (providerExecuted === true || typeof type !== 'string') return part;
    if (type === 'tool-call' && typeof toolCallId === 'string') {
      const distinct = own(toolCallId);
      seen.add(distinct);
      others.delete(toolCallId);
      return distinct === toolCallId ? part : { ...asRecord(part), toolCallId: distinct };
    }
    const isRepeated = type.startsWith('tool-input-') && typeof id === 'string' && seen.has(id);
    return isRepeated ? { ...asRecord(part), id: own(id) } : part;
  };
}

/** The key under which a call keeps what the model wrote, where providers keep what they note beside a call. */
const NOTE = 'mastra-tool-search';

/** What a call keeps of the one that the model wrote. */
export function noteOf(toolName: string, input: string): Readonly<Record<string, unknown>> {
  return { [NOTE]: { toolName, input } };
}

/** Whether a call became another one: another processor's, in front of this one. */
export function isNoted({ providerMetadata }: { readonly providerMetadata?: unknown }): boolean {
  return asRecord(providerMetadata)?.[NOTE] !== undefined;
}

/** The prompt with the calls that the model wrote. One without a note stays: whether its name is a tool must not show. */
export function asWritten(prompt: Prompt): Prompt {
  // A provider may count its ids anew in each answer, so a result belongs to the last call of its id.
  const written = new Map<string, ToolPart>();
  return mapToolParts(prompt, (part) => {
    if (part.type === 'tool-call') {
      const call = writtenCall(part);
      if (call) written.set(part.toolCallId, call);
      else written.delete(part.toolCallId);
      return call ?? part;
    }
    const call = written.get(part.toolCallId);
    if (!call) return part;
    return { ...withoutNote(part), toolName: call.toolName, ...('input' in part ? { input: call.input } : {}) };
  });
}

function writtenCall(part: ToolPart): ToolPart | undefined {
  const { toolName, input } = asRecord(asRecord(part.providerOptions)?.[NOTE]) ?? {};
  if (typeof toolName !== 'string') return undefined;
  const fields = typeof input === 'string' ? asRecord(parseJson(input)) : undefined;
  return { ...withoutNote(part), ...(fields ? { toolName, input: fields } : {}) };
}

function withoutNote(part: ToolPart): ToolPart {
  const { providerOptions, ...others } = part;
  const { [NOTE]: _, ...rest } = asRecord(providerOptions) ?? {};
  return Object.keys(rest).length > 0 ? { ...others, providerOptions: rest } : others;
}
