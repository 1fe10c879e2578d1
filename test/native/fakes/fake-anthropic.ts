import { anthropicRefusals, beginning } from './fake-anthropic-rules.ts';
import { events, type FakeProvider, type FakeScript, fakeProvider, type Json, wireId } from './fake-wire.ts';

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
  readonly thinking?: string;
  readonly signature?: string;
  /** A tool that is added or removed in mid-conversation: by its name, or with its definition. */
  readonly tool?: { readonly type: string; readonly name?: string; readonly definition?: AnthropicTool };
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

export type AnthropicScript = FakeScript<AnthropicBody, AnthropicBlock>;
export type FakeAnthropic = FakeProvider<AnthropicBody>;

/** A fake of Anthropic's Messages service. With `thinks`, every message begins with thinking, as with extended thinking. */
export function fakeAnthropic(script: AnthropicScript, { thinks = false }: { thinks?: boolean } = {}): FakeAnthropic {
  const answers: AnthropicBlock[][] = [];
  // Searches that were answered without a result: the service gives it at the start of its next answer.
  const pending = new Set<string>();
  const bound = new Map<string, string>();
  return fakeProvider({
    script,
    refuse: (body, { headers }) => anthropicRefusals(body, { pending, answers, bound, headers }),
    answer(scripted, stopReason, { body }) {
      const count = answers.length + 1;
      // What was under way comes first.
      const late = scripted.findIndex(
        ({ type, tool_use_id: id = '' }) => !(type.endsWith('_result') && pending.has(id)),
      );
      const content = [...scripted];
      if (thinks) content.splice(Math.max(late, 0), 0, thinking(`Thought ${count}.`));
      answers.push(content);
      for (const [at, { type, signature = '' }] of content.entries()) {
        if (type === 'thinking') bound.set(signature, beginning(body, body.messages, content.slice(0, at)));
      }
      pending.clear();
      for (const block of content) {
        if (block.type === 'server_tool_use') pending.add(block.id ?? '');
        if (block.type === 'tool_search_tool_result') pending.delete(block.tool_use_id ?? '');
      }
      const stop_reason = stopReason ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
      const usage = { input_tokens: 10, output_tokens: 5 };
      const end = { stop_reason, stop_sequence: null };
      const message = { id: wireId('msg_01', count), type: 'message', role: 'assistant', model: body.model, usage };
      if (body.stream !== true) return Response.json({ ...message, ...end, content });
      return events([
        { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
        ...content.flatMap(blockEvents),
        { type: 'message_delta', delta: end, usage },
        { type: 'message_stop' },
      ]);
    },
  });
}

function blockEvents(block: AnthropicBlock, index: number): Json[] {
  const { type, text, thinking: thought, signature, input } = block;
  // Results of the service's own tools come in one piece.
  const [start, deltas]: [Json, Json[]] =
    type === 'text'
      ? [{ type, text: '' }, [{ type: 'text_delta', text }]]
      : type === 'thinking'
        ? [
            { type, thinking: '', signature: '' },
            [
              { type: 'thinking_delta', thinking: thought },
              { type: 'signature_delta', signature },
            ],
          ]
        : type.endsWith('tool_use')
          ? [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }]]
          : [{ ...block }, []];
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

export const text = (value: string): AnthropicBlock => ({ type: 'text', text: value });

export const thinking = (value: string): AnthropicBlock => ({
  ...{ type: 'thinking', thinking: value, signature: `signed: ${value}` },
});

/** `id` may be a number or any short text, here and below; it gets the service's prefix. */
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
  found: readonly string[] | { readonly error: string },
): AnthropicBlock {
  const type = 'tool_search_tool_search_result';
  const content =
    'error' in found
      ? { type: 'tool_search_tool_result_error', error_code: found.error }
      : { type, tool_references: found.map((name) => ({ type: 'tool_reference', tool_name: name })) };
  return { type: 'tool_search_tool_result', tool_use_id: wireId('srvtoolu_01', id), content };
}

/** A search by the service with its result: two blocks. */
export const serverSearch = (
  id: string | number,
  names: readonly string[],
  query = 'tools',
  variant: SearchVariant = 'bm25',
): AnthropicBlock[] => [serverSearchCall(id, query, variant), serverSearchResult(id, names)];

/** How many answers of the assistant follow the last message of the user that is not only tool results. */
export function anthropicStep({ messages }: AnthropicBody): number {
  const asked = messages.findLastIndex(
    ({ role, content }) =>
      role === 'user' && (typeof content === 'string' || content.some(({ type }) => type !== 'tool_result')),
  );
  return messages.slice(asked + 1).filter(({ role }) => role === 'assistant').length;
}
