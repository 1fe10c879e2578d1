import { MessageList } from '@mastra/core/agent/message-list';
import { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import { type PreselectOptions, type ToolSearchEvent, ToolSearchProcessor } from '../../../src/index.ts';
import { recall } from '../../../src/workbench/evaluate/figures.ts';
import type { LabelledQuery, LabelledSet } from '../retrieval/sets.ts';
import { mastraTools } from '../retrieval/through-search-tools.ts';

/** What is there before the first model call. */
export interface Share {
  /** The share of the messages that have a tool which serves them. */
  readonly any: number;
  /** The share of the needs that are served. */
  readonly needs: number;
  /** Definitions that a message sends. */
  readonly definitions: number;
}

export interface PreselectFigures {
  readonly messages: number;
  readonly all: Share;
  readonly even: Share;
  readonly odd: Share;
  /** Time of a first step, with the index built. */
  readonly milliseconds: { readonly median: number; readonly p99: number };
}

/** A message of a user: the task behind a query, where the set has it. */
export type Message = LabelledQuery & { readonly task?: string };

export const textOf = ({ task, query }: Message): string => task ?? query;

/** A processor that logs nothing: catalogs have tools with flaws. */
export function quietly(processor: ToolSearchProcessor): ToolSearchProcessor {
  processor.__registerMastra(new Mastra({ logger: false }));
  return processor;
}

/** Begins a run with a message, through the hook that Mastra calls, and returns its milliseconds. */
export function firstStep(
  processor: ToolSearchProcessor,
  tell: (tools: Readonly<Record<string, unknown>>) => void = () => {},
): (text: string) => Promise<number> {
  return async (text) => {
    const messageList = new MessageList().add({ role: 'user', content: text }, 'input');
    const step = { messageList, messages: messageList.get.all.db(), requestContext: new RequestContext(), state: {} };
    const start = performance.now();
    const { tools } = await processor.processInputStep({ stepNumber: 0, steps: [], ...step } as never);
    const took = performance.now() - start;
    tell(tools);
    return took;
  };
}

/** Begins a run with each message of a set. */
export async function measurePreselect(set: LabelledSet, options: PreselectOptions = {}): Promise<PreselectFigures> {
  let preselected: readonly string[] = [];
  let tools: readonly string[] = [];
  const onEvent = (event: ToolSearchEvent): void => {
    if (event.type === 'preselect') preselected = event.tools;
  };
  const processor = new ToolSearchProcessor({
    ...{ tools: mastraTools(set.tools), preselect: options, onEvent },
    timeouts: { preselect: Number.POSITIVE_INFINITY },
  });
  // A name that providers refuse is sent in another form.
  const begin = firstStep(quietly(processor), (sent) => {
    tools = preselected.map((name) => (sent[name] as { readonly id: string }).id);
  });

  await begin('anything to build the index');
  const judged: Share[] = [];
  const times: number[] = [];
  for (const message of set.queries as readonly Message[]) {
    times.push(await begin(textOf(message)));
    const needs = recall(tools, message.groups ?? message.relevant.map((name) => [name]), tools.length);
    const isRight = tools.some((name) => message.relevant.includes(name));
    judged.push({ any: Number(isRight), needs, definitions: tools.length });
  }
  return {
    messages: judged.length,
    all: meanOf(judged),
    even: meanOf(judged.filter((_, position) => position % 2 === 0)),
    odd: meanOf(judged.filter((_, position) => position % 2 === 1)),
    milliseconds: { median: timeAt(times, 0.5), p99: timeAt(times, 0.99) },
  };
}

/** The time that this share of the runs does not exceed. */
export function timeAt(times: readonly number[], share: number): number {
  return times.toSorted((one, other) => one - other)[Math.floor(share * (times.length - 1))] ?? 0;
}

function meanOf(shares: readonly Share[]): Share {
  const mean = (of: (share: Share) => number): number =>
    shares.reduce((sum, share) => sum + of(share), 0) / shares.length;
  return {
    any: mean(({ any }) => any),
    needs: mean(({ needs }) => needs),
    definitions: mean((one) => one.definitions),
  };
}
