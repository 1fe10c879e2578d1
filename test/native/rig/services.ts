// Fake services whose models pursue what the user asks for, with whatever search a request offers.
import type { ModelReply } from '../../support/scripted-model.ts';
import {
  type AnthropicBlock,
  type AnthropicBody,
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
  openaiFunctions,
  serverSearch,
  text,
  toolSearchCall,
  toolUse,
} from '../fakes/fake-provider.ts';
import { type Action, type Call, isFinding, nextAction, type Sent } from './goals.ts';
import { anthropicView, chatView, openaiView } from './views.ts';

/** The kinds of models: two with a tool search of their own, and two without. */
export type Kind = 'anthropic' | 'openai' | 'chat' | 'scripted';

/** Answers with an error instead; undefined leaves it to the model. */
export type Interruption = (sent: Sent) => FakeError | undefined;

/** What the model does; undefined leaves it to what the user asks for. */
export type Decision = (sent: Sent) => Action | undefined;

/** A service with such a model. */
export interface Service {
  readonly fake: FakeAnthropic | FakeOpenAI;
  /** What its models read in all requests so far, refused ones included. */
  views(): readonly Sent[];
  bodies(): readonly (AnthropicBody | OpenAIBody)[];
}

type Called = Exclude<Action, { readonly type: 'say' | 'raw' }>;

const INPUT = { text: 'x' };

/** An action as a call of a function. */
function callOf(action: Called): Call {
  if (action.type === 'search') return { name: action.tool, input: { query: action.query } };
  if (action.type === 'load') return { name: 'load_tool', input: { toolName: action.name } };
  const { type, name, input = INPUT } = action;
  return type === 'call' ? { name, input } : { name: 'call_tool', input: { toolName: name, arguments: input } };
}

/** What Anthropic answers. Its own search finds a tool in the same response, and the model calls it there. */
function anthropicAnswer(action: Action, sent: Sent): readonly AnthropicBlock[] {
  const id = sent.index + 1;
  if (action.type === 'raw') return action.content as AnthropicBlock[];
  if (action.type === 'say') return [text(action.text)];
  const { name, input } = callOf(action);
  if (action.type !== 'search' || !name.startsWith('tool_search_tool')) return [toolUse(id, name, input)];
  const found = action.wanted.filter((wanted) => sent.deferred.includes(wanted));
  const search = serverSearch(id, found, String(action.query), name.endsWith('regex') ? 'regex' : 'bm25');
  if (found[0] === undefined) return [...search, text('not found')];
  return [...search, isFinding(sent) ? text('done') : toolUse(id, found[0], INPUT)];
}

/** What OpenAI answers, of either service. */
function openaiAnswer(action: Action, sent: Sent): readonly OpenAIItem[] {
  const id = `${sent.index + 1}${sent.kind}`;
  const body = sent.body as OpenAIBody;
  if (action.type === 'raw') return action.content as OpenAIItem[];
  if (action.type === 'say') return [message(id, action.text)];
  const { name, input } = callOf(action);
  if (action.type !== 'search' || name !== 'tool_search' || sent.kind === 'chat') {
    const space = body.tools?.find((tool) => tool.tools?.some((inner) => inner.name === name));
    return [functionCall(id, name, input, space?.name)];
  }
  const isHosted = body.tools?.some((tool) => tool.type === 'tool_search' && tool.execution !== 'client');
  if (!isHosted) return [toolSearchCall({ id, callId: id, args: input })];
  const [first] = openaiFunctions(body).filter((one) => action.wanted.includes(one.name ?? ''));
  const search = hostedSearch(id, body, action.wanted);
  if (first?.name === undefined) return [...search, message(id, 'not found')];
  return [...search, isFinding(sent) ? message(id, 'done') : functionCall(id, first.name, INPUT)];
}

/** What a scripted model answers. */
export function scriptedAnswer(action: Action): ModelReply {
  if (action.type === 'say') return { text: action.text };
  const { name, input } = callOf(action as Called);
  return { toolCalls: [{ toolName: name, input }] };
}

export function anthropicService(
  interrupt?: Interruption,
  decide?: Decision,
): Service & { readonly fake: FakeAnthropic } {
  const fake = fakeAnthropic(
    ({ body, index }) => {
      const sent = anthropicView(body, index);
      const error = interrupt?.(sent);
      if (error) return error;
      const action = decide?.(sent) ?? nextAction(sent);
      return { ...action, content: anthropicAnswer(action, sent) };
    },
    { thinks: true },
  );
  return {
    fake,
    views: () => fake.requests.map(({ body, index }) => anthropicView(body, index)),
    bodies: () => fake.requests.map(({ body }) => body),
  };
}

/** OpenAI's Responses, and its Chat Completions, which have no tool search. */
export function openaiService(interrupt?: Interruption, decide?: Decision): Service & { readonly fake: FakeOpenAI } {
  /** What the service answered, and keeps: a request may refer to it by its id. */
  const items = new Map<string, OpenAIItem>();
  const read = (request: OpenAIRequest): Sent =>
    isChat(request) ? chatView(request.body, request.index) : openaiView(request.body, items, request.index);
  const fake = fakeOpenAI(
    (request) => {
      const sent = read(request);
      const error = interrupt?.(sent);
      if (error) return error;
      const content = openaiAnswer(decide?.(sent) ?? nextAction(sent), sent);
      for (const item of content) items.set(item.id ?? '', item);
      return { content };
    },
    { reasons: true },
  );
  return { fake, views: () => fake.requests.map(read), bodies: () => fake.requests.map(({ body }) => body) };
}

/** The service of a provider. */
export const serviceOf = (dialect: 'anthropic' | 'openai', ...given: Parameters<typeof anthropicService>): Service =>
  dialect === 'anthropic' ? anthropicService(...given) : openaiService(...given);
