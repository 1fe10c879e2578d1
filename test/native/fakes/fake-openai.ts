import { openaiChat } from './fake-openai-chat.ts';
import { neededNamespacesIn, type OpenAIRule, openaiChatRefusals, openaiRefusals } from './fake-openai-rules.ts';
import {
  events,
  type FakeError,
  type FakeProvider,
  type FakeRequest,
  type FakeScript,
  fakeProvider,
  halves,
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
export type FakeOpenAI = FakeProvider<OpenAIBody, OpenAIRule>;

export const isChat = (request: { readonly url: string }): boolean => request.url.endsWith('/chat/completions');

export interface FakeOpenAIOptions {
  /** Every response begins with reasoning, as those of models that have a tool search do. */
  readonly reasons?: boolean;
}

/** A fake of OpenAI's Responses and chat completions services: both answer the items that the script gives. */
export function fakeOpenAI(script: OpenAIScript, options: FakeOpenAIOptions = {}): FakeOpenAI {
  const stored = new Map<string, OpenAIItem>();
  const answers: (readonly OpenAIItem[])[] = [];
  let count = 0;
  return fakeProvider({
    script,
    refuse: (body, request) => (isChat(request) ? openaiChatRefusals(body) : openaiRefusals(body, stored, answers)),
    answer(scripted, _stopReason, request) {
      count += 1;
      if (isChat(request)) return openaiChat(scripted, request.body, count);
      const called = withNamespaces(scripted, request.body, stored);
      const content = options.reasons === true ? [reasoning(count, request.body), ...called] : called;
      answers.push(content);
      if (request.body.store !== false) for (const item of content) stored.set(item.id ?? '', item);
      const head = {
        id: wireId('resp_', count),
        object: 'response',
        created_at: 1_760_000_000,
        model: request.body.model,
      };
      return request.body.stream === true ? streamed(head, content) : Response.json(completed(head, content));
    },
    error: ({ error }: FakeError) => ({
      error: {
        message: error.message,
        type: error.type ?? 'invalid_request_error',
        param: null,
        code: error.code ?? null,
      },
    }),
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

/** What is not stored comes encrypted, to be sent again. */
function reasoning(count: number, { store }: OpenAIBody): OpenAIItem {
  const encrypted = store === false ? `encrypted ${count}` : null;
  return { type: 'reasoning', id: wireId('rs_', `of${count}`), summary: [], encrypted_content: encrypted };
}

const completed = (head: Json, output: readonly OpenAIItem[]): Json => ({
  ...head,
  status: 'completed',
  incomplete_details: null,
  error: null,
  output,
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  },
});

function streamed(head: Json, content: readonly OpenAIItem[]): Response {
  const response = { ...head, status: 'in_progress', output: [], incomplete_details: null, error: null, usage: null };
  const all: Json[] = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...content.flatMap(itemEvents),
    { type: 'response.completed', response: completed(head, content) },
  ];
  return events(all.map((event, index) => ({ ...event, sequence_number: index })));
}

function itemEvents(item: OpenAIItem, index: number): Json[] {
  const at = { item_id: item.id, output_index: index };
  const around = (start: OpenAIItem, inner: readonly Json[]): Json[] => [
    { type: 'response.output_item.added', output_index: index, item: start },
    ...inner,
    { type: 'response.output_item.done', output_index: index, item },
  ];
  if (item.type === 'message') {
    const [part] = item.content as [{ text: string }];
    const place = { ...at, content_index: 0 };
    return around({ ...item, status: 'in_progress', content: [] }, [
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      ...halves(part.text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
    ]);
  }
  if (item.type === 'function_call') {
    const args = String(item.arguments);
    return around({ ...item, status: 'in_progress', arguments: '' }, [
      ...halves(args).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, arguments: args },
    ]);
  }
  if (item.type === 'reasoning') {
    const [part] = item.summary as [{ text: string }?];
    const place = { ...at, summary_index: 0 };
    if (part === undefined) return around({ ...item, summary: [] }, []);
    return around({ ...item, summary: [] }, [
      { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...place, delta: part.text },
      { type: 'response.reasoning_summary_part.done', ...place, part },
    ]);
  }
  return around({ ...item, status: 'in_progress' }, []);
}
