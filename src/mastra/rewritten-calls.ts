// Rewrites calls in the answers of a model before Mastra reads them.
import { asRecord } from '../util/record.ts';
import { changeParts, type ModelAnswer } from './wrapped-model.ts';

/** A tool call in a model's answer. All versions of the specification have this form. */
export interface CallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as JSON. */
  readonly input: string;
  readonly providerMetadata?: Readonly<Record<string, unknown>>;
}

/** Maps calls to their replacements. The keys are not ids, because a provider may repeat an id. */
type Rewriting = (calls: readonly CallPart[]) => Promise<ReadonlyMap<CallPart, CallPart>>;

/**
 * Rewrites calls in a model's answer. From the first such call on, the answer is held back to its end, so that its
 * parts keep their order.
 */
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
  const held: unknown[] = [];
  const release = async (controller: TransformStreamDefaultController<unknown>): Promise<void> => {
    const parts = held.splice(0);
    const calls = parts.filter((part): part is CallPart => isHeld(part) && asRecord(part)?.['type'] === 'tool-call');
    const released = calls.length === 0 ? parts : rewritten(parts, await rewriting(calls));
    for (const part of released) controller.enqueue(part);
  };
  const change = new TransformStream<unknown, unknown>({
    async transform(part, controller) {
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
    // Mastra keeps the provider metadata of a call's first part.
    if (type === 'tool-input-start')
      return [{ ...asRecord(part), toolName: call.toolName, providerMetadata: call.providerMetadata }];
    if (type !== 'tool-input-delta') return [part];
    // The new arguments replace all deltas of the model at once.
    if (seen.has(call)) return [];
    seen.add(call);
    return [{ ...asRecord(part), delta: call.input }];
  });
}
