import { neededNamespacesIn, openaiChatRefusals, openaiFunctions, openaiRefusals } from './fake-openai-rules.ts';
import {
  events,
  type FakeProvider,
  type FakeRequest,
  type FakeScript,
  fakeProvider,
  type Json,
  wireId,
} from './fake-wire.ts';

/** An item of a response's output, or of a request's input. */
export interface OpenAIItem {
  /** Absent for a message in a request. */
  readonly type?: string;
  readonly id?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly call_id?: string | null;
  readonly name?: string;
  readonly namespace?: string;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly execution?: 'server' | 'client';
  readonly tools?: readonly OpenAITool[];
  readonly status?: string;
  readonly summary?: unknown;
  readonly encrypted_content?: string | null;
}

export interface OpenAITool {
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: Json;
  readonly defer_loading?: boolean;
  readonly strict?: boolean;
  /** Of a search tool. */
  readonly execution?: 'server' | 'client';
  /** Of a namespace. */
  readonly tools?: readonly OpenAITool[];
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

/** The body of a request to `/v1/responses` or `/v1/chat/completions`, as far as tests read it. */
export interface OpenAIBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly tool_choice?: unknown;
  /** Responses. */
  readonly input: readonly OpenAIItem[];
  readonly tools?: readonly OpenAITool[];
  readonly store?: boolean;
  readonly instructions?: string;
  /** Chat completions, whose tools have the function in a property of its own. */
  readonly messages?: readonly ChatMessage[];
}

export type OpenAIRequest = FakeRequest<OpenAIBody>;
export type OpenAIScript = FakeScript<OpenAIBody, OpenAIItem>;
export type FakeOpenAI = FakeProvider<OpenAIBody>;

export const isChat = (request: { readonly url: string }): boolean => request.url.endsWith('/chat/completions');

/**
 * A fake of OpenAI's Responses and chat completions services: both answer the items that the script gives. With `reasons`,
 * every response begins with reasoning, as those of models that have a tool search do.
 */
export function fakeOpenAI(script: OpenAIScript, { reasons = false }: { reasons?: boolean } = {}): FakeOpenAI {
  const stored = new Map<string, OpenAIItem>();
  const answers: (readonly OpenAIItem[])[] = [];
  let count = 0;
  return fakeProvider({
    script,
    refuse: (body, request) => (isChat(request) ? openaiChatRefusals(body) : openaiRefusals(body, stored, answers)),
    answer(scripted, _stopReason, request) {
      const { body } = request;
      count += 1;
      if (isChat(request)) return chatAnswer(scripted, body, wireId('chatcmpl-', count));
      const called = withNamespaces(scripted, body, stored);
      // What is not stored comes encrypted, to be sent again.
      const encrypted_content = body.store === false ? `encrypted ${count}` : null;
      const content = reasons ? [{ ...reasoning(`of${count}`), encrypted_content }, ...called] : called;
      answers.push(content);
      if (body.store !== false) for (const item of content) stored.set(item.id ?? '', item);
      const head = { id: wireId('resp_', count), object: 'response', created_at: 1_760_000_000, model: body.model };
      const ended = { status: 'completed', usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } };
      const response = { ...head, ...ended, output: content };
      if (body.stream !== true) return Response.json(response);
      const begun = { ...head, status: 'in_progress', output: [] };
      const all: Json[] = [
        { type: 'response.created', response: begun },
        ...content.flatMap(itemEvents),
        { type: 'response.completed', response },
      ];
      return events(all.map((event, index) => ({ ...event, sequence_number: index })));
    },
  });
}

/** Calls of tools that were loaded into a namespace come with it. */
function withNamespaces(
  scripted: readonly OpenAIItem[],
  { input, tools = [] }: OpenAIBody,
  stored: ReadonlyMap<string, OpenAIItem>,
): readonly OpenAIItem[] {
  const known = input.map((item) => stored.get(item.id ?? '') ?? item);
  const loaded = new Map([...known, ...scripted].flatMap((item) => [...neededNamespacesIn(item)]));
  for (const { name = '', defer_loading: deferred } of tools) if (deferred !== true) loaded.delete(name);
  return scripted.map((item) => {
    const namespace = item.namespace ?? loaded.get(item.name ?? '');
    return item.type === 'function_call' && namespace !== undefined ? { ...item, namespace } : item;
  });
}

function itemEvents(item: OpenAIItem, output_index: number): Json[] {
  const { type, id: item_id, summary } = item;
  const deltas: Json[] = [];
  let start: OpenAIItem = { ...item, status: 'in_progress' };
  if (type === 'message') {
    start = { ...start, content: [] };
    deltas.push({ type: 'response.output_text.delta', content_index: 0, delta: textOf(item), logprobs: [] });
  } else if (type === 'function_call') {
    start = { ...start, arguments: '' };
    deltas.push({ type: 'response.function_call_arguments.delta', delta: String(item.arguments) });
  } else if (type === 'reasoning') {
    start = { ...item, summary: [] };
    for (const part of summary as readonly { readonly text: string }[]) {
      const place = { summary_index: 0, part };
      deltas.push({ type: 'response.reasoning_summary_part.added', ...place });
      deltas.push({ type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: part.text });
      deltas.push({ type: 'response.reasoning_summary_part.done', ...place });
    }
  }
  return [
    { type: 'response.output_item.added', output_index, item: start },
    ...deltas.map((delta) => ({ ...delta, item_id, output_index })),
    { type: 'response.output_item.done', output_index, item },
  ];
}

const textOf = ({ content }: OpenAIItem): string => (content as [{ text: string }])[0].text;

/** Items of the Responses service as a chat completion, which knows only texts and function calls. */
function chatAnswer(items: readonly OpenAIItem[], { model, stream }: OpenAIBody, id: string): Response {
  const content = items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : [])).join('');
  const calls = items
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id, name, arguments: args }, index) => ({
      ...{ index, id: call_id, type: 'function', function: { name, arguments: String(args) } },
    }));
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const completion = (choice: Json): Json => ({
    ...{ id, created: 1_760_000_000, model, object: `chat.completion${stream === true ? '.chunk' : ''}`, usage },
    choices: [{ index: 0, finish_reason, logprobs: null, ...choice }],
  });
  return stream === true
    ? events([completion({ delta: message })], 'data: [DONE]\n\n')
    : Response.json(completion({ message }));
}

/** `id` may be a number or any short text, here and below; it gets the service's prefix. */
export function message(id: string | number, text: string): OpenAIItem {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return { type: 'message', id: wireId('msg_', id), role: 'assistant', status: 'completed', content };
}

export function functionCall(
  id: string | number,
  name: string,
  args: unknown = {},
  namespace?: string,
): OpenAIItem & { readonly call_id: string } {
  return {
    ...{ type: 'function_call', id: wireId('fc_', id), call_id: wireId('call_', id), status: 'completed' },
    ...{ name, arguments: JSON.stringify(args), ...(namespace === undefined ? {} : { namespace }) },
  };
}

interface Searching {
  readonly id: string | number;
  /** Only a search by the client has one. */
  readonly callId?: string | number;
}
const searchOf = ({ callId }: Searching) => ({
  execution: callId === undefined ? ('server' as const) : ('client' as const),
  call_id: callId === undefined ? null : wireId('call_', callId),
  status: 'completed',
});

export const toolSearchCall = ({ args = {}, ...one }: Searching & { readonly args?: unknown }): OpenAIItem => ({
  ...{ type: 'tool_search_call', id: wireId('tsc_', one.id), ...searchOf(one), arguments: args },
});

export const toolSearchOutput = ({
  tools,
  ...one
}: Searching & { readonly tools: readonly OpenAITool[] }): OpenAIItem => ({
  ...{ type: 'tool_search_output', id: wireId('tso_', one.id), ...searchOf(one), tools },
});

/** A search by the service with its result: two items. The tools are those of the request with these names. */
export function hostedSearch(id: string | number, body: OpenAIBody, names: readonly string[]): OpenAIItem[] {
  const tools = openaiFunctions(body).filter(({ name = '' }) => names.includes(name));
  return [toolSearchCall({ id, args: { paths: names } }), toolSearchOutput({ id, tools })];
}

export const reasoning = (id: string | number, summary = ''): OpenAIItem => ({
  ...{ type: 'reasoning', id: wireId('rs_', id), encrypted_content: null },
  summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
});

/** How many answers came since the user's last message: each call or text of the model's counts, by its outputs. */
export function openaiStep({ input, messages }: OpenAIBody): number {
  const all: readonly Json[] = (messages ?? input) as never;
  const isOutput = all
    .slice(all.findLastIndex(({ role }) => role === 'user') + 1)
    .map(({ role, type }) => role === 'tool' || /_output$/.test(String(type)));
  return isOutput.filter((one, at) => one && !isOutput[at - 1]).length;
}
