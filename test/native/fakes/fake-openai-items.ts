import type { OpenAIBody, OpenAIItem, OpenAITool } from './fake-openai.ts';
import { type Json, wireId } from './fake-wire.ts';

/** `id` may be a number or any short text, here and below; it gets the service's prefix. */
export function message(id: string | number, text: string): OpenAIItem {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return { type: 'message', id: wireId('msg_', id), role: 'assistant', status: 'completed', content };
}

export function functionCall(
  callId: string | number,
  name: string,
  args: unknown = {},
  namespace?: string,
): OpenAIItem & { readonly call_id: string } {
  const call = {
    type: 'function_call',
    id: wireId('fc_', callId),
    call_id: wireId('call_', callId),
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  };
  return namespace === undefined ? call : { ...call, namespace };
}

export interface ToolSearchCall {
  readonly id: string | number;
  /** Only a search by the client has one. */
  readonly callId?: string | number;
  readonly args?: unknown;
  /** @default 'client' with a call id, 'server' without */
  readonly execution?: 'server' | 'client';
}

export function toolSearchCall({ id, callId, args = {}, execution }: ToolSearchCall): OpenAIItem {
  return {
    type: 'tool_search_call',
    id: wireId('tsc_', id),
    execution: execution ?? (callId === undefined ? 'server' : 'client'),
    call_id: callId === undefined ? null : wireId('call_', callId),
    status: 'completed',
    arguments: args,
  };
}

export interface ToolSearchOutput {
  readonly id: string | number;
  readonly callId?: string | number;
  readonly tools: readonly OpenAITool[];
  readonly execution?: 'server' | 'client';
}

export function toolSearchOutput({ id, callId, tools, execution }: ToolSearchOutput): OpenAIItem {
  return {
    type: 'tool_search_output',
    id: wireId('tso_', id),
    execution: execution ?? (callId === undefined ? 'server' : 'client'),
    call_id: callId === undefined ? null : wireId('call_', callId),
    status: 'completed',
    tools,
  };
}

/** A search by the service with its result: two items. The tools are those of the request with these names. */
export function hostedSearch(id: string | number, body: OpenAIBody, names: readonly string[]): OpenAIItem[] {
  const tools = openaiFunctions(body).filter(({ name = '' }) => names.includes(name));
  return [toolSearchCall({ id, args: { paths: names } }), toolSearchOutput({ id, tools })];
}

export function reasoning(id: string | number, summary = ''): OpenAIItem {
  return {
    type: 'reasoning',
    id: wireId('rs_', id),
    summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
    encrypted_content: null,
  };
}

/** The function tools of a request, also those in namespaces, in order. */
export function openaiFunctions({ tools = [] }: OpenAIBody): OpenAITool[] {
  return tools
    .flatMap((tool) => (tool.type === 'namespace' ? (tool.tools ?? []) : [tool]))
    .filter(({ type }) => type === 'function');
}

/** How many answers came since the user's last message: each call or text of the model's counts, by its outputs. */
export function openaiStep({ input, messages }: OpenAIBody): number {
  const all: readonly Json[] = (messages ?? input) as never;
  const asked = all.findLastIndex(({ role }) => role === 'user');
  const outputs = ['function_call_output', 'tool_search_output'];
  let step = 0;
  let answered = false;
  for (const item of all.slice(asked + 1)) {
    const isOutput = item['role'] === 'tool' || outputs.includes(String(item['type']));
    if (isOutput && !answered) step += 1;
    answered = isOutput;
  }
  return step;
}
