// Models that pursue what the user asks for ("use pay", "find weather") with whatever search a request offers.
import {
  type AnthropicBlock,
  type AnthropicBody,
  type AnthropicRequest,
  type AnthropicScript,
  anthropicStep,
  type FakeAnthropic,
  type FakeError,
  type FakeOpenAI,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  hostedSearch,
  isChat,
  message,
  type OpenAIBody,
  type OpenAIItem,
  type OpenAIRequest,
  type OpenAIScript,
  openaiFunctions,
  openaiStep,
  serverSearch,
  text,
  toolSearchCall,
  toolUse,
} from './fake-provider.ts';

type Body = AnthropicBody | OpenAIBody;

/** What a request shows the model, whichever service it went to. */
export interface View {
  readonly index: number;
  /** Answers since the last message of the user. */
  readonly step: number;
  /** Of the user, the last one. */
  readonly asked: string;
  /** By name; a provider's own tools by their type. */
  readonly eager: readonly string[];
  readonly deferred: readonly string[];
  /** Tools that results of searches in the conversation name. */
  readonly found: readonly string[];
  /** Whether the provider's search is among the tools, or a reference, a deferred tool or a search of its own. */
  readonly isNative: boolean;
  /** The results of the tools' calls, as texts, oldest first. */
  readonly results: readonly string[];
}

/** Undefined leaves it to the model. */
export type Interruption = (view: View) => FakeError | undefined;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Every object in a body, itself included. */
function* objectsIn(value: unknown): Iterable<Record<string, unknown>> {
  if (!isObject(value)) return;
  if (!Array.isArray(value)) yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

const isNativeObject = ({ type, defer_loading: deferred }: Record<string, unknown>): boolean =>
  deferred === true || /^tool_search|^tool_reference$|^server_tool_use$/.test(String(type));

const plain = (content: unknown): string => {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
};

/** Two messages of the user in a row arrive as one. */
const lastText = (content: unknown): string => plain(Array.isArray(content) ? content.slice(-1) : content);

export function anthropicView({ index, body }: Pick<AnthropicRequest, 'index' | 'body'>): View {
  const users = body.messages.filter(({ role }) => role === 'user').map(({ content }) => lastText(content));
  const blocks = [...objectsIn(body.messages)];
  const tools = body.tools ?? [];
  return {
    index,
    step: anthropicStep(body),
    asked: users.findLast((said) => said !== '') ?? '',
    eager: tools.filter((tool) => tool.defer_loading !== true).map(({ name }) => name),
    deferred: tools.filter((tool) => tool.defer_loading === true).map(({ name }) => name),
    found: blocks.filter(({ type }) => type === 'tool_reference').map(({ tool_name: name }) => String(name)),
    isNative: [...objectsIn(body)].some(isNativeObject),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))),
  };
}

/** @param items - those that the service keeps, by id. */
export function openaiView({ index, body, url }: OpenAIRequest, items: ReadonlyMap<string, OpenAIItem>): View {
  const input = (body.messages ?? body.input) as readonly OpenAIItem[];
  const all = input.map((item) => (item.type === 'item_reference' ? (items.get(item.id ?? '') ?? item) : item));
  const functions = openaiFunctions(body);
  const chat = (body.tools ?? []).flatMap((tool) => (tool as { function?: { name: string } }).function?.name ?? []);
  const searches = (body.tools ?? []).filter(({ type }) => type === 'tool_search').map(({ type }) => type);
  return {
    index,
    step: openaiStep(body),
    asked: lastText(input.findLast(({ role }) => role === 'user')?.content),
    eager: isChat({ url })
      ? chat
      : [...searches, ...functions.filter((tool) => tool.defer_loading !== true).map(({ name = '' }) => name)],
    deferred: functions.filter((tool) => tool.defer_loading === true).map(({ name = '' }) => name),
    found: all
      .filter(({ type }) => type === 'tool_search_output')
      .flatMap(({ tools }) => [...objectsIn(tools)].filter(({ type }) => type === 'function'))
      .map(({ name }) => String(name)),
    isNative: [...objectsIn({ ...body, input: all })].some(isNativeObject),
    results: all
      .filter(({ type, role }) => type === 'function_call_output' || role === 'tool')
      .map(({ output, content }) =>
        typeof (output ?? content) === 'string' ? String(output ?? content) : plain(output),
      ),
  };
}

type Action =
  | { readonly search: string }
  | { readonly load: string }
  | { readonly use: string }
  | { readonly say: string };

/** What to do next. `done` are the tools that were called, and the searches, since the user asked. */
function next({ asked, eager, deferred, found }: View, done: readonly string[]): Action {
  const [, verb, subject = ''] = /^(use|find) (\w+)/.exec(asked) ?? [];
  const search = eager.find((name) => name === 'search_tools' || name.startsWith('tool_search'));
  const searched = done.some((name) => name === 'search_tools' || name.startsWith('tool_search'));
  if (verb === undefined || done.includes(subject)) return { say: 'done' };
  if (verb === 'find') return searched || search === undefined ? { say: 'done' } : { search: subject };
  if (eager.includes(subject) || found.includes(subject)) return { use: subject };
  if (eager.includes('load_tool')) return done.includes('load_tool') ? { say: 'not found' } : { load: subject };
  // The service's own search is in the same answer.
  const isHosted = search !== undefined && search !== 'search_tools' && deferred.includes(subject);
  if (isHosted) return { search: subject };
  return searched || search === undefined ? { say: 'not found' } : { search: subject };
}

const words = (name: string): string => name.replaceAll('_', ' ');

export function anthropicGoals(interrupt: Interruption = () => undefined): AnthropicScript {
  return (request) => {
    const view = anthropicView(request);
    const error = interrupt(view);
    if (error) return error;
    const { messages } = request.body;
    const last = messages.findLastIndex(({ role, content }) => role === 'user' && plain(content) !== '');
    const done = messages.slice(last + 1).flatMap(({ content }) => {
      const blocks = typeof content === 'string' ? [] : (content as readonly AnthropicBlock[]);
      return blocks.flatMap(({ type, name = '' }) => (type.endsWith('tool_use') ? [name] : []));
    });
    const action = next(view, done);
    const id = (n: number): string => `${request.index}_${n}`;
    if ('say' in action) return { content: [text(action.say)] };
    if ('load' in action) return { content: [toolUse(id(1), 'load_tool', { toolName: action.load })] };
    if ('use' in action) return { content: [toolUse(id(1), action.use, { text: 'x' })] };
    if (view.eager.includes('search_tools')) {
      return { content: [toolUse(id(1), 'search_tools', { query: words(action.search) })] };
    }
    const isFound = view.deferred.includes(action.search);
    const variant = view.eager.includes('tool_search_tool_regex') ? 'regex' : 'bm25';
    const searched = serverSearch(id(1), isFound ? [action.search] : [], words(action.search), variant);
    const isUsed = isFound && view.asked.startsWith('use');
    const after = isUsed ? toolUse(id(2), action.search, { text: 'x' }) : text(isFound ? 'done' : 'not found');
    return { content: [...searched, after] };
  };
}

/** @param items - is given what is answered. */
export function openaiGoals(items: Map<string, OpenAIItem>, interrupt: Interruption = () => undefined): OpenAIScript {
  const answer = (request: OpenAIRequest): readonly OpenAIItem[] | FakeError => {
    const view = openaiView(request, items);
    const error = interrupt(view);
    if (error) return error;
    const { body } = request;
    const all = ((body.messages ?? body.input) as readonly OpenAIItem[]).map(
      (item) => items.get(item.id ?? '') ?? item,
    );
    const done = all.slice(all.findLastIndex(({ role }) => role === 'user') + 1).flatMap((item) => {
      const { tool_calls: calls = [] } = item as { tool_calls?: { function: { name: string } }[] };
      if (item.type === 'tool_search_call') return ['tool_search'];
      return [...calls.map((call) => call.function.name), ...(item.type === 'function_call' ? [item.name ?? ''] : [])];
    });
    const action = next(view, done);
    const id = (n: number): string => `${request.index}_${n}`;
    if ('say' in action) return [message(id(1), action.say)];
    if ('load' in action) return [functionCall(id(1), 'load_tool', { toolName: action.load })];
    if ('use' in action) return [functionCall(id(1), action.use, { text: 'x' })];
    if (view.eager.includes('search_tools')) {
      return [functionCall(id(1), 'search_tools', { query: words(action.search) })];
    }
    const { execution } = body.tools?.find(({ type }) => type === 'tool_search') ?? {};
    if (execution === 'client') {
      return [toolSearchCall({ id: id(1), callId: id(1), args: { query: words(action.search) } })];
    }
    const searched = hostedSearch(id(1), body, [action.search]);
    const isFound = view.deferred.includes(action.search);
    const isUsed = isFound && view.asked.startsWith('use');
    const said = message(id(3), isFound ? 'done' : 'not found');
    return [...searched, isUsed ? functionCall(id(2), action.search, { text: 'x' }) : said];
  };
  return (request) => {
    const content = answer(request);
    if ('error' in content) return content;
    for (const item of content) items.set(item.id ?? '', item);
    return { content };
  };
}

/** A service with such a model. */
export interface Service {
  readonly fake: FakeAnthropic | FakeOpenAI;
  /** Of the requests that it got. */
  views(): readonly View[];
  bodies(): readonly Body[];
}

export function anthropicService(interrupt?: Interruption): Service & { readonly fake: FakeAnthropic } {
  const fake = fakeAnthropic(anthropicGoals(interrupt), { thinks: true });
  return {
    fake,
    views: () => fake.requests.map(anthropicView),
    bodies: () => fake.requests.map(({ body }) => body),
  };
}

export function openaiService(interrupt?: Interruption): Service & { readonly fake: FakeOpenAI } {
  const items = new Map<string, OpenAIItem>();
  const fake = fakeOpenAI(openaiGoals(items, interrupt), { reasons: true });
  return {
    fake,
    views: () => fake.requests.map((request) => openaiView(request, items)),
    bodies: () => fake.requests.map(({ body }) => body),
  };
}
