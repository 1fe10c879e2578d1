import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import {
  type LoadToolResult,
  type MastraTool,
  type SearchToolsResult,
  type ToolSearchEvent,
  type ToolSearchFilter,
  type ToolSearchFilterPhase,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { email, tool, toolRecord, weather } from '../support/agent.ts';

type Tools = Record<string, MastraTool>;

export const office = (): Tools => toolRecord(weather(), email(), tool('create_issue', 'Open a bug.'));
/** t0, t1, … */
export const numbered = (count: number): Tools => toolRecord(...Array.from({ length: count }, (_, n) => tool(`t${n}`)));
/** A filter that denies these tools in a phase, or all where none is named. */
export const denying =
  (denied: ToolSearchFilterPhase, ...names: string[]): ToolSearchFilter =>
  ({ phase, toolName }) =>
    phase !== denied || (names.length > 0 && !names.includes(toolName));
export const namesOf = ({ results }: SearchToolsResult): string[] => results.map(({ name }) => name);

export interface SessionSetup {
  /** Null for a request without a thread. */
  readonly thread?: string | null;
  readonly resource?: string;
  /** Another request of the same processor. */
  readonly processor?: ToolSearchProcessor;
  readonly messageList?: MessageList;
}

/** One request of a processor outside an agent: steps and calls as Mastra makes them, over a real message list. */
export class Session {
  readonly events: ToolSearchEvent[] = [];
  readonly processor: ToolSearchProcessor;
  readonly messageList: MessageList;
  readonly requestContext: RequestContext;
  readonly #state = {};

  constructor(options: ToolSearchProcessorOptions, setup: SessionSetup = {}) {
    const { thread = 'thread-1', resource } = setup;
    const onEvent = (event: ToolSearchEvent): void => {
      this.events.push(event);
      options.onEvent?.(event);
    };
    this.processor = setup.processor ?? new ToolSearchProcessor({ ...options, onEvent });
    this.messageList = setup.messageList ?? new MessageList();
    const entries: [string, unknown][] = [];
    if (thread !== null) entries.push(['mastra__threadId', thread]);
    if (resource !== undefined) entries.push(['mastra__resourceId', resource]);
    this.requestContext = new RequestContext(entries as never);
  }

  async step(extra: object = {}): Promise<{ tools: Tools; activeTools?: string[] }> {
    const { messageList, requestContext } = this;
    const args = { messageList, messages: messageList.get.all.db(), requestContext, state: this.#state };
    const result = await this.processor.processInputStep({ stepNumber: 0, steps: [], ...args, ...extra } as never);
    return result as unknown as { tools: Tools; activeTools?: string[] };
  }

  /** Calls a tool of a fresh step, with the JSON round trip that results go through. */
  async call<Result>(name: string, input: unknown): Promise<Result> {
    const { tools } = await this.step();
    return callIn<Result>(tools, name, input);
  }

  search(input: unknown): Promise<SearchToolsResult> {
    return this.call('search_tools', input);
  }

  load(input: unknown): Promise<LoadToolResult> {
    return this.call('load_tool', input);
  }

  /** The names that a new step sends besides the meta-tools. */
  async sent(extra: object = {}): Promise<string[]> {
    const { tools } = await this.step(extra);
    return Object.keys(tools).filter((name) => name !== 'search_tools' && name !== 'load_tool');
  }

  eventsOf<Type extends ToolSearchEvent['type']>(type: Type): Extract<ToolSearchEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<ToolSearchEvent, { type: Type }> => event.type === type);
  }
}

export async function callIn<Result>(tools: Tools, name: string, input: unknown): Promise<Result> {
  const result = await tools[name]?.execute?.(input as never, {} as never);
  return JSON.parse(JSON.stringify(result ?? null)) as Result;
}
