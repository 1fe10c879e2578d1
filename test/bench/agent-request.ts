// Requests to a processor, as Mastra and a model make them. Without the code of a processor: what is measured brings it.
import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import type { MastraTool } from '../../src/index.ts';

export interface Processor {
  processInputStep(args: never): Promise<unknown>;
}

/** A tool as MCP servers list it, under the name a model calls. */
export interface ListedTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: object;
}

/** As `@mastra/mcp` makes them of what a server lists: new objects, schemas too, each time. */
export function mastraTools(
  tools: readonly ListedTool[],
  onRun: (id: string) => unknown = () => ({}),
): Record<string, MastraTool> {
  const entries = tools.map(({ id, description, inputSchema, annotations }) => {
    const tool = createTool({
      ...{ id, description, inputSchema: structuredClone(inputSchema) },
      ...(annotations === undefined ? {} : { mcp: { annotations } }),
      execute: async () => onRun(id),
    } as never);
    return [id, tool as MastraTool] as const;
  });
  return Object.fromEntries(entries);
}

export type StepTools = Readonly<Record<string, MastraTool>>;

interface RequestOptions {
  /** What the agent resolved for the request. */
  readonly tools?: Record<string, MastraTool>;
  readonly thread?: string;
  readonly text?: string;
}

/** One request of a thread. Its steps share the message list, the state and the tools, as Mastra's do. */
export class AgentRequest {
  readonly #processor: Processor;
  readonly #args: object;

  constructor(
    processor: Processor,
    { tools = {}, thread = 'thread', text = 'Help me with this.' }: RequestOptions = {},
  ) {
    const messageList = new MessageList({ threadId: thread }).add(text, 'input');
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
  async search(query: string): Promise<readonly SearchResult[]> {
    return search(await this.step(), query);
  }
}

export interface SearchResult {
  readonly name: string;
  readonly confidence?: number;
  readonly alsoAs?: readonly string[];
}

/** Searches as a model does. */
export async function search(tools: StepTools, query: string): Promise<readonly SearchResult[]> {
  const answer = await tools['search_tools']?.execute?.({ query }, {} as never);
  const { results } = answer as { results?: readonly SearchResult[] };
  if (!results) throw new Error(`"${query}" was answered without results: ${JSON.stringify(answer)}`);
  return results;
}
