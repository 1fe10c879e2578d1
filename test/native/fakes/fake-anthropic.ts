import { type AnthropicRule, anthropicRefusals, beginning } from './fake-anthropic-rules.ts';
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

/** A content block of a message, or a part of a tool result. */
export interface AnthropicBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly tool_name?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
  readonly cache_control?: unknown;
  readonly thinking?: string;
  readonly signature?: string;
  /** Of a tool that is added or removed. */
  readonly tool?: AnthropicToolChange;
}

/** A tool that is added or removed in mid-conversation: by its name, or with its definition. */
export interface AnthropicToolChange {
  readonly type: string;
  readonly name?: string;
  readonly definition?: AnthropicTool;
}

export interface AnthropicMessage {
  /** In mid-conversation also `system`. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly AnthropicBlock[];
}

export interface AnthropicTool {
  /** Absent for a function tool. */
  readonly type?: string;
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: Json;
  readonly defer_loading?: boolean;
  readonly cache_control?: unknown;
}

/** The body of a request to `/v1/messages`, as far as tests read it. */
export interface AnthropicBody {
  readonly model: string;
  readonly messages: readonly AnthropicMessage[];
  readonly system?: unknown;
  readonly tools?: readonly AnthropicTool[];
  readonly tool_choice?: { readonly type: string; readonly name?: string };
  readonly stream?: boolean;
}

export type AnthropicRequest = FakeRequest<AnthropicBody>;
export type AnthropicScript = FakeScript<AnthropicBody, AnthropicBlock>;
export type FakeAnthropic = FakeProvider<AnthropicBody, AnthropicRule>;

export interface FakeAnthropicOptions {
  /** Every message begins with thinking, as with extended thinking. */
  readonly thinks?: boolean;
}

/** A fake of Anthropic's Messages service. */
export function fakeAnthropic(script: AnthropicScript, options: FakeAnthropicOptions = {}): FakeAnthropic {
  const thoughts: AnthropicBlock[][] = [];
  // Searches that were answered without a result: the service gives it at the start of its next answer.
  const pending = new Set<string>();
  const bound = new Map<string, string>();
  let count = 0;
  return fakeProvider({
    script,
    refuse: (body, { headers }) => anthropicRefusals(body, { pending, answers: thoughts, bound, headers }),
    answer(scripted, stopReason, request) {
      count += 1;
      // What was under way comes first.
      const late = scripted.findIndex(
        ({ type, tool_use_id: id = '' }) => !(type.endsWith('_result') && pending.has(id)),
      );
      const content = [...scripted];
      if (options.thinks === true) content.splice(Math.max(late, 0), 0, thinking(`Thought ${count}.`));
      thoughts.push(content);
      for (const [at, { type, signature }] of content.entries()) {
        if (type !== 'thinking' || !signature) continue;
        bound.set(signature, beginning(request.body, request.body.messages, content.slice(0, at)));
      }
      pending.clear();
      for (const block of content) {
        if (block.type === 'server_tool_use') pending.add(block.id ?? '');
        if (block.type === 'tool_search_tool_result') pending.delete(block.tool_use_id ?? '');
      }
      const reason = stopReason ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
      const head = { id: wireId('msg_01', count), type: 'message', role: 'assistant', model: request.body.model };
      return request.body.stream === true ? streamed(head, content, reason) : whole(head, content, reason);
    },
    error: ({ error }: FakeError) => ({
      type: 'error',
      error: {
        ...{ type: error.type ?? 'invalid_request_error', message: error.message },
        ...(error.code == null ? {} : { details: { error_code: error.code } }),
      },
    }),
  });
}

const USAGE = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function whole(head: Json, content: readonly AnthropicBlock[], reason: string): Response {
  const usage = { ...USAGE, output_tokens: 5 };
  return Response.json({ ...head, content, stop_reason: reason, stop_sequence: null, usage });
}

function streamed(head: Json, content: readonly AnthropicBlock[], reason: string): Response {
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null };
  return events([
    { type: 'message_start', message: { ...message, usage: { ...USAGE, output_tokens: 1 } } },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]);
}

function blockEvents(block: AnthropicBlock, index: number): Json[] {
  const delta = (kind: Json): Json => ({ type: 'content_block_delta', index, delta: kind });
  const around = (start: AnthropicBlock, deltas: readonly Json[]): Json[] => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas,
    { type: 'content_block_stop', index },
  ];
  if (block.type === 'text') {
    const pieces = halves(block.text ?? '').map((text) => delta({ type: 'text_delta', text }));
    return around({ type: 'text', text: '' }, pieces);
  }
  if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    const pieces = ['', ...halves(JSON.stringify(block.input))];
    return around(
      { ...block, input: {} },
      pieces.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
    );
  }
  if (block.type === 'thinking') {
    const pieces = halves(block.thinking ?? '').map((part) => delta({ type: 'thinking_delta', thinking: part }));
    const signed = delta({ type: 'signature_delta', signature: block.signature });
    return around({ type: 'thinking', thinking: '', signature: '' }, [...pieces, signed]);
  }
  // Results of the service's own tools come in one piece.
  return around(block, []);
}

export const text = (value: string): AnthropicBlock => ({ type: 'text', text: value });

export const thinking = (value: string): AnthropicBlock => ({
  type: 'thinking',
  thinking: value,
  signature: `signed: ${value}`,
});

/** `id` may be a number or any short text; it gets the service's prefix. */
export function toolUse(id: string | number, name: string, input: unknown = {}): AnthropicBlock {
  return { type: 'tool_use', id: wireId('toolu_01', id), name, input };
}

export type SearchVariant = 'bm25' | 'regex';

export function serverSearchCall(id: string | number, query: string, variant: SearchVariant = 'bm25'): AnthropicBlock {
  const input = variant === 'bm25' ? { query } : { pattern: query };
  return { type: 'server_tool_use', id: wireId('srvtoolu_01', id), name: `tool_search_tool_${variant}`, input };
}

/** The result of a search. With an error code instead of names, of a search that failed. */
export function serverSearchResult(
  id: string | number,
  names: readonly string[] | { readonly error: string },
): AnthropicBlock {
  const content =
    'error' in names
      ? { type: 'tool_search_tool_result_error', error_code: names.error }
      : {
          type: 'tool_search_tool_search_result',
          tool_references: names.map((name) => ({ type: 'tool_reference', tool_name: name })),
        };
  return { type: 'tool_search_tool_result', tool_use_id: wireId('srvtoolu_01', id), content };
}

/** A search by the service with its result: two blocks. */
export function serverSearch(
  id: string | number,
  names: readonly string[],
  query = 'tools',
  variant: SearchVariant = 'bm25',
): AnthropicBlock[] {
  return [serverSearchCall(id, query, variant), serverSearchResult(id, names)];
}

/** How many answers of the assistant follow the last message of the user that is not only tool results. */
export function anthropicStep(body: AnthropicBody): number {
  const asked = body.messages.findLastIndex(
    ({ role, content }) =>
      role === 'user' && (typeof content === 'string' || content.some(({ type }) => type !== 'tool_result')),
  );
  return body.messages.slice(asked + 1).filter(({ role }) => role === 'assistant').length;
}
