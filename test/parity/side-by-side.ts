import { MessageList } from '@mastra/core/agent/message-list';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { tool, toolRecord } from '../support/agent.ts';

export type Both = 'core' | 'ours';
export type Json = Record<string, unknown>;
type Sides<Value> = Record<Both, Value>;

export const catalog = (): Record<string, MastraTool> => ({
  ...toolRecord(
    tool('get_weather', 'Get the current weather of a city.'),
    tool('get_forecast', 'Get the weather forecast of a city.'),
    tool('create_issue', 'Create an issue in a repository.'),
    tool('send_email', 'Send an email message to a person.'),
    tool('delete_file', `Delete a file. ${'Very long. '.repeat(40)}`),
  ),
});

export const processorOf = (kind: Both, options: object = {}): ToolSearchProcessor =>
  kind === 'core'
    ? (new CoreProcessor({ tools: catalog(), ...options } as never) as unknown as ToolSearchProcessor)
    : new ToolSearchProcessor({ tools: catalog(), ...options });

export const contextOf = (entries: Json): RequestContext => new RequestContext(Object.entries(entries) as never);

/** One conversation with one class: steps and calls as Mastra makes them, outside an agent. */
export class Session {
  readonly processor: ToolSearchProcessor;
  readonly #requestContext: RequestContext;
  messageList: MessageList = new MessageList();
  #state = {};

  /** @param options - Over the catalog, unless they have tools. */
  constructor(kind: Both, options: object = {}, thread: string | null = 'thread-1') {
    this.processor = processorOf(kind, options);
    this.#requestContext = contextOf(thread === null ? {} : { mastra__threadId: thread });
  }

  async step(extra: Json = {}): Promise<{ tools: Record<string, MastraTool> }> {
    const { messageList } = this;
    const messages = messageList.get.all.db();
    const args = { messageList, messages, requestContext: this.#requestContext, state: this.#state };
    return (await this.processor.processInputStep({ stepNumber: 0, steps: [], ...args, ...extra } as never)) as never;
  }

  /** The names of the tools of a step besides the meta-tools. */
  async sent(extra?: Json): Promise<readonly string[]> {
    return Object.keys((await this.step(extra)).tools).filter((name) => !/^(search_tools|load_tool)$/.test(name));
  }

  /** Calls a tool of a fresh step, with the JSON round trip that results go through. */
  async call(name: string, input: unknown, extra?: Json): Promise<Json> {
    const { tools } = await this.step(extra);
    const result = await tools[name]?.execute?.(input as never, {} as never);
    return JSON.parse(JSON.stringify(result ?? null)) as Json;
  }

  load(...toolNames: readonly string[]): Promise<Json> {
    return this.call('load_tool', toolNames.length === 1 ? { toolName: toolNames[0] } : { toolNames });
  }

  /** These fields of what a search finds. */
  async found(query: unknown, fields: readonly string[] = ['name'], extra?: Json): Promise<readonly unknown[]> {
    const { results } = await this.call('search_tools', { query }, extra);
    return (results as Json[]).map((one) => (fields.length > 1 ? fields.map((field) => one[field]) : one[fields[0]!]));
  }

  nextRequest(): void {
    this.#state = {};
    this.messageList = new MessageList();
  }

  async loaded(requestContext: RequestContext = this.#requestContext): Promise<readonly string[]> {
    return Object.keys(await this.processor.getLoadedToolsForRequestContext({ requestContext }));
  }

  system(): string {
    return this.messageList
      .getAllSystemMessages()
      .map(({ content }) => content)
      .join('\n');
  }
}

export type Look = (session: Session, kind: Both) => unknown;

/** What is seen on both sides. */
export async function both(
  look: Look,
  options: () => Partial<ToolSearchProcessorOptions> = () => ({}),
  thread?: string | null,
): Promise<Sides<never>> {
  const seen = async (kind: Both) => (await look(new Session(kind, options(), thread), kind)) as never;
  return { core: await seen('core'), ours: await seen('ours') };
}

const NOW: readonly (readonly [string | RegExp, string])[] = [
  ['loaded successfully. It will be available on your next turn.', 'loaded successfully. Call it now.'],
  [/(Loaded: [^",]*) — available on your next turn/g, '$1 — call it now'],
  [/(Loaded: [^"]*) — available on your next turn/g, '$1 — call them now'],
  ['is already loaded and available.', 'needs no loading: it is in your list. Call it now.'],
  ['They are available on your next turn — call them directly.', 'Call it now.'],
  ['automatically and become available on your next turn.', 'automatically, to be called directly.'],
  [
    'automatically and become available on your next turn — there is no separate load step. After searching, use',
    'automatically — there is no separate load step. After searching, call',
  ],
];

/** What core says of a loaded tool, in the words of this package: it can be called now, and needs no other load. */
export const saidNow = <Value>(value: Value): Value =>
  JSON.parse(NOW.reduce((text, [core, ours]) => text.replaceAll(core, ours), JSON.stringify(value))) as Value;
