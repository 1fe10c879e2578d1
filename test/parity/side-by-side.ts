import { MessageList } from '@mastra/core/agent/message-list';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { tool, toolRecord } from '../support/harness.ts';

export type Both = 'core' | 'ours';
export type Json = Record<string, unknown>;
export type CoreOptions = ConstructorParameters<typeof CoreProcessor>[0];

export const catalog = (): Record<string, MastraTool> => ({
  ...toolRecord(
    tool('get_weather', 'Get the current weather of a city.'),
    tool('get_forecast', 'Get the weather forecast of a city.'),
    tool('create_issue', 'Create an issue in a repository.'),
    tool('send_email', 'Send an email message to a person.'),
    tool('delete_file', `Delete a file. ${'Very long. '.repeat(40)}`),
  ),
});

/** One conversation with one class: steps and calls as Mastra makes them, outside an agent. */
export class Session {
  readonly processor: CoreProcessor;
  readonly #requestContext: RequestContext;
  messageList: MessageList;
  #state = {};

  constructor(kind: Both, options: ToolSearchProcessorOptions, thread: string | null = 'thread-1') {
    const make = (): unknown =>
      kind === 'core' ? new CoreProcessor(options as CoreOptions) : new ToolSearchProcessor(options);
    this.processor = make() as CoreProcessor;
    this.#requestContext = new RequestContext(thread === null ? [] : [['mastra__threadId', thread] as never]);
    this.messageList = new MessageList();
  }

  async step(extra: Json = {}): Promise<{ tools: Record<string, MastraTool>; activeTools?: string[] }> {
    const { messageList } = this;
    const args = {
      messageList,
      messages: messageList.get.all.db(),
      requestContext: this.#requestContext,
      state: this.#state,
    };
    return (await this.processor.processInputStep({ stepNumber: 0, steps: [], ...args, ...extra } as never)) as never;
  }

  /** Calls a tool of a fresh step, with the JSON round trip that results go through. */
  async call(name: string, input: unknown): Promise<Json> {
    const { tools } = await this.step();
    const result = await tools[name]?.execute?.(input as never, {} as never);
    return JSON.parse(JSON.stringify(result ?? null)) as Json;
  }

  nextRequest(): void {
    this.#state = {};
    this.messageList = new MessageList();
  }

  loaded(): Promise<Json> {
    return this.processor.getLoadedToolsForRequestContext({ requestContext: this.#requestContext }) as Promise<Json>;
  }
}

export const both = async <Result>(
  run: (session: Session) => Promise<Result>,
  options: () => ToolSearchProcessorOptions = () => ({ tools: catalog() }),
  thread: string | null = 'thread-1',
): Promise<Record<Both, Result>> => ({
  core: await run(new Session('core', options(), thread)),
  ours: await run(new Session('ours', options(), thread)),
});

/** What core says of a loaded tool, in the words of this package: it can be called now, and needs no other load. */
export function saidNow<Value>(value: Value): Value {
  const text = JSON.stringify(value)
    .replaceAll('loaded successfully. It will be available on your next turn.', 'loaded successfully. Call it now.')
    .replace(/(Loaded: [^",]*) — available on your next turn/g, '$1 — call it now')
    .replace(/(Loaded: [^"]*) — available on your next turn/g, '$1 — call them now')
    .replaceAll(
      'is already loaded and available.',
      'needs no loading: it is in your list. Do not load it again. Call it now.',
    )
    .replaceAll('They are available on your next turn — call them directly.', 'Call it now.')
    .replaceAll(
      'loaded automatically and become available on your next turn.',
      'loaded automatically, to be called directly.',
    )
    .replace(
      'loaded automatically and become available on your next turn — there is no separate load step. After searching, use',
      'loaded automatically — there is no separate load step. After searching, call',
    );
  return JSON.parse(text) as Value;
}

/** A result without what scorers and wording may decide: keys and kinds. */
export function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
  }
  return typeof value;
}
