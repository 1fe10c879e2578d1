import { asRecord } from '../util/record.ts';
import { type Conversation, partsOf, roleOf } from './messages.ts';

/** The last run of these messages, where it was cut: it used one of the meta-tools, and ended with a tool's result. */
export function cutRunIn(
  messages: Conversation,
  metaTools: ReadonlySet<unknown>,
): { readonly id: unknown; readonly steps: number } | undefined {
  const run = messages.slice(messages.findLastIndex((message) => roleOf(message) !== 'assistant') + 1);
  const parts = run.flatMap(({ content }) => partsOf(content).map((part) => asRecord(part) ?? {}));
  if (!parts.some((part) => metaTools.has(asRecord(part['toolInvocation'])?.['toolName']))) return undefined;
  const last = parts.findLast(({ type }) => type === 'text' || type === 'tool-invocation');
  const state = asRecord(last?.['toolInvocation'])?.['state'];
  if (state !== 'result' && state !== 'output-error') return undefined;
  return { id: run.at(-1)?.id, steps: stepsIn(run) };
}

/** Mastra keeps the steps of a run in one message, a DurableAgent in one each. */
function stepsIn(run: Conversation): number {
  let steps = 0;
  for (const { content } of run) {
    const starts = partsOf(content).map((part) => asRecord(part)?.['type'] === 'step-start');
    steps += starts.filter(Boolean).length + (starts[0] ? 0 : 1);
  }
  return steps;
}
