import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../../../src/index.ts';
import type { Processor } from './contestants.ts';

export type StepTools = Readonly<Record<string, MastraTool>>;

/** One request of a thread. Its steps share the message list, the state and the tools, as Mastra's do. */
export class AgentRequest {
  readonly #processor: Processor;
  readonly #args: object;

  /** @param tools - what the agent resolved for the request. */
  constructor(processor: Processor, tools: Record<string, MastraTool> = {}, thread = 'thread') {
    const messageList = new MessageList({ threadId: thread }).add('Help me with this.', 'input');
    const requestContext = new RequestContext([['mastra__threadId', thread]]);
    const messages = messageList.get.all.db();
    this.#processor = processor;
    this.#args = { messageList, messages, requestContext, state: {}, stepNumber: 0, steps: [], tools };
  }

  async step(): Promise<StepTools> {
    const outcome = (await this.#processor.processInputStep(this.#args as never)) as { tools: StepTools };
    return outcome.tools;
  }

  /** The first step, and a search in it. */
  async search(query: string): Promise<void> {
    await search(await this.step(), query);
  }
}

/** As a model calls it. Returns how many tools were found. */
export async function search(tools: StepTools, query: string): Promise<number> {
  const answer = (await tools['search_tools']?.execute?.({ query }, {} as never)) as { results?: unknown[] };
  if (!answer.results) throw new Error(`"${query}" was answered without results: ${JSON.stringify(answer)}`);
  return answer.results.length;
}

/** Loads tools and makes sure that the next step has them. */
export async function load(request: AgentRequest, names: readonly string[]): Promise<void> {
  const tools = await request.step();
  await tools['load_tool']?.execute?.({ toolNames: names }, {} as never);
  const next = await request.step();
  const missing = names.filter((name) => !Object.hasOwn(next, name));
  if (missing.length > 0) throw new Error(`Not loaded: ${missing.join(', ')}.`);
}
