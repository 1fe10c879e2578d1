import { type ModelCall, systemText, toolResults, userText } from '../../support/scripted-model.ts';
import {
  type AnthropicBlock,
  type AnthropicBody,
  additionsIn,
  type OpenAIBody,
  type OpenAIItem,
  type OpenAITool,
  offeredBy,
  openaiFunctions,
} from '../fakes/fake-provider.ts';

import { type Call, goalsOf, type Sent } from './goals.ts';

/** What only Anthropic knows: nothing of it may stand in a request to OpenAI. */
const OF_ANTHROPIC =
  /srvtoolu_|tool_reference|server_tool_use|tool_search_tool_|tool-reference|tool_addition|toolChanges/;
/** What only OpenAI knows. */
const OF_OPENAI =
  /"(?:tsc_|tso_)|item_reference|tool_search_call|tool_search_output|"call_id"|"tool_search"|omitFrom|additional_?[tT]ools/;
/** What stands in a request alone that uses a provider's tool search. */
const NATIVE =
  /"defer_loading":true|"type":"(?:tool_search[a-z0-9_]*|tool_reference|server_tool_use|tool_addition|additional_tools)"/;

function foreignIn(json: string, patterns: readonly RegExp[]): string[] {
  return patterns.flatMap((pattern) => {
    const at = json.search(pattern);
    return at === -1 ? [] : [json.slice(Math.max(0, at - 80), at + 120)];
  });
}

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as readonly { readonly text?: string }[]) : [];
  return parts.map(({ text = '' }) => text).join(' ');
};

/** Two messages of the user in a row arrive as one: its last part is the last message. */
const lastTextOf = (content: unknown): string => textOf(Array.isArray(content) ? content.slice(-1) : content);

/** The tool that a call is for: one of the bridge names it. */
function calledBy(name: string, input: unknown): string {
  if (name !== 'call_tool') return name;
  const fields = (typeof input === 'string' ? JSON.parse(input) : input) as { toolName?: string };
  return fields.toolName ?? name;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function anthropicView(body: AnthropicBody, index = 0): Sent {
  const blocks = (content: string | readonly AnthropicBlock[]): readonly AnthropicBlock[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const at = body.messages.findLastIndex(
    ({ role, content }) => role === 'user' && blocks(content).some(({ type }) => type !== 'tool_result'),
  );
  const asked = lastTextOf(body.messages[at]?.content ?? '');
  const all = body.messages.flatMap(({ content }) => blocks(content));
  const since = body.messages.slice(at + 1).flatMap(({ content }) => blocks(content));
  const answered = since.flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' ? [id] : []));
  const { model, tools = [] } = body;
  const listed = new Set(tools.map(({ name }) => name));
  const deferred = tools.filter((tool) => tool.defer_loading === true).map(({ name }) => name);
  const appended = [...offeredBy(body).keys()].filter((name) => !listed.has(name));
  const eager = [...listed].filter((name) => !deferred.includes(name));
  const json = JSON.stringify(body);
  return {
    kind: 'anthropic',
    index,
    asked,
    goals: goalsOf(asked),
    json,
    eager,
    deferred,
    appended,
    referenced: [...all.flatMap(referencesOf), ...appended],
    calls: since.flatMap(({ type, name = '', input }) => (type.endsWith('tool_use') ? [{ name, input }] : [])),
    done: since.flatMap(({ type, id, name = '', input }) =>
      type === 'tool_use' && answered.includes(id) ? [calledBy(name, input)] : [],
    ),
    results: all.flatMap(({ type, content }) => (type === 'tool_result' ? [asText(content)] : [])),
    system: JSON.stringify(body.system ?? ''),
    // Where definitions are appended, nothing of the provider's own stands in a request until one is.
    isNative: NATIVE.test(json) || (model === 'claude-opus-5' && !eager.includes('load_tool')),
    foreign: foreignIn(json, [OF_OPENAI]),
  };
}

function referencesOf({ type, content }: AnthropicBlock): string[] {
  if (type !== 'tool_result' && type !== 'tool_search_tool_result') return [];
  const found = content as { tool_references?: AnthropicBlock[] } | AnthropicBlock[] | string | undefined;
  const parts = Array.isArray(found) ? found : typeof found === 'object' ? (found.tool_references ?? []) : [];
  return parts.flatMap((part) => (part.type === 'tool_reference' ? [part.tool_name ?? ''] : []));
}

/** @param given - what the service answered, by id: a request may only refer to it. */
export function openaiView(body: OpenAIBody, given: ReadonlyMap<string, OpenAIItem>, index = 0): Sent {
  const items = body.input.map((item) => (item.type === 'item_reference' ? (given.get(item.id ?? '') ?? item) : item));
  const at = items.findLastIndex(({ role }) => role === 'user');
  const asked = lastTextOf(items[at]?.content);
  const since = items.slice(at + 1);
  const outputs = since.flatMap(({ type, call_id: id }) => (type === 'function_call_output' ? [id] : []));
  const functions = openaiFunctions(body);
  const search = (body.tools ?? []).some(({ type }) => type === 'tool_search') ? ['tool_search'] : [];
  const json = JSON.stringify(body);
  const misnamed = items.filter(({ type, name }) => type === 'function_call' && name === 'tool_search');
  return {
    kind: 'openai',
    index,
    asked,
    goals: goalsOf(asked),
    json,
    eager: [...search, ...functions.filter((tool) => tool.defer_loading !== true).map(nameOf)],
    deferred: functions.filter((tool) => tool.defer_loading === true).map(nameOf),
    appended: additionsIn(body),
    referenced: items.flatMap(({ type, tools = [] }) =>
      type === 'tool_search_output' || type === 'additional_tools'
        ? tools.flatMap((tool) => (tool.tools ?? [tool]).map(nameOf))
        : [],
    ),
    calls: since.flatMap(({ type, name = '', arguments: input }): Call[] => {
      if (type === 'tool_search_call') return [{ name: 'tool_search', input }];
      return type === 'function_call' ? [{ name, input }] : [];
    }),
    done: since.flatMap(({ type, call_id: id, name = '', arguments: input }) =>
      type === 'function_call' && outputs.includes(id) ? [calledBy(name, input)] : [],
    ),
    results: items.flatMap(({ type, output }) => (type === 'function_call_output' ? [asText(output)] : [])),
    system: items
      .flatMap(({ role, content }) => (role === 'system' || role === 'developer' ? [textOf(content)] : []))
      .join('\n'),
    isNative: NATIVE.test(JSON.stringify({ ...body, input: items })),
    foreign: [...foreignIn(json, [OF_ANTHROPIC]), ...misnamed.map((call) => JSON.stringify(call))],
  };
}

const nameOf = ({ name = '' }: OpenAITool): string => name;

export function chatView(body: OpenAIBody, index = 0): Sent {
  const messages = body.messages ?? [];
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const asked = lastTextOf(messages[at]?.content);
  const since = messages.slice(at + 1);
  const calls = since.flatMap(({ tool_calls: made = [] }) => made);
  const answered = since.flatMap(({ tool_call_id: id }) => id ?? []);
  const tools = (body.tools ?? []).map((tool) => (tool as unknown as { function: { name: string } }).function.name);
  const json = JSON.stringify(body);
  return {
    kind: 'chat',
    index,
    asked,
    goals: goalsOf(asked),
    json,
    eager: tools,
    deferred: [],
    appended: [],
    referenced: [],
    calls: calls.map((call) => ({ name: call.function.name, input: call.function.arguments })),
    done: calls.flatMap((call) =>
      answered.includes(call.id) ? [calledBy(call.function.name, call.function.arguments)] : [],
    ),
    results: messages.flatMap(({ role, content }) => (role === 'tool' ? [asText(content)] : [])),
    system: messages
      .flatMap(({ role, content }) => (role === 'system' || role === 'developer' ? [textOf(content)] : []))
      .join('\n'),
    isNative: NATIVE.test(json),
    foreign: foreignIn(json, [OF_ANTHROPIC, OF_OPENAI]),
  };
}

interface PromptPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
}

export function scriptedView({ prompt, tools }: ModelCall, index = 0): Sent {
  const at = prompt.findLastIndex(({ role }) => role === 'user');
  const asked = userText(prompt);
  // Without what a provider noted for itself, which no other reads.
  const json = JSON.stringify({ prompt, tools }, (key, value: unknown) =>
    key === 'providerOptions' ? undefined : value,
  );
  const partsIn = (messages: typeof prompt): readonly PromptPart[] =>
    messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content as PromptPart[])));
  const idsOf = (wanted: string) =>
    partsIn(prompt).flatMap(({ type, toolCallId }) => (type === wanted ? [toolCallId ?? ''] : []));
  const [calls, results] = [idsOf('tool-call'), idsOf('tool-result')];
  const since = partsIn(prompt.slice(at + 1));
  const apart = [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))];
  return {
    kind: 'scripted',
    index,
    asked,
    goals: goalsOf(asked),
    json,
    eager: tools.map(({ name }) => name),
    deferred: [],
    appended: [],
    referenced: [],
    calls: since.flatMap(({ type, toolName: name = '', input }) => (type === 'tool-call' ? [{ name, input }] : [])),
    done: since.flatMap(({ type, toolCallId = '', toolName = '', input }) =>
      type === 'tool-call' && results.includes(toolCallId) ? [calledBy(toolName, input)] : [],
    ),
    results: toolResults(prompt).map((result) => asText(result)),
    system: systemText(prompt),
    isNative: false,
    foreign: [...foreignIn(json, [OF_ANTHROPIC, OF_OPENAI]), ...apart.map((id) => `not paired: ${id}`)],
  };
}
