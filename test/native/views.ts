import { type ModelCall, systemText, toolResults, userText } from '../support/scripted-model.ts';
import {
  type AnthropicBlock,
  type AnthropicBody,
  type OpenAIBody,
  type OpenAIItem,
  type OpenAITool,
  openaiFunctions,
} from './fake-provider.ts';
import { goalsOf, type Sent } from './goals.ts';

/** What only Anthropic knows: nothing of it may stand in a request to OpenAI. */
const OF_ANTHROPIC = /srvtoolu_|tool_reference|server_tool_use|tool_search_tool_|tool-reference/;
/** What only OpenAI knows. */
const OF_OPENAI = /"(?:tsc_|tso_)|item_reference|tool_search_call|tool_search_output|"call_id"|"tool_search"|omitFrom/;

function foreignIn(json: string, patterns: readonly RegExp[]): string[] {
  return patterns.flatMap((pattern) => {
    const at = json.search(pattern);
    return at === -1 ? [] : [json.slice(Math.max(0, at - 80), at + 120)];
  });
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join(' ');

export function anthropicView(body: AnthropicBody): Sent {
  const blocks = (content: string | readonly AnthropicBlock[]): readonly AnthropicBlock[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const asked = body.messages.findLastIndex(
    ({ role, content }) => role === 'user' && blocks(content).some(({ type }) => type !== 'tool_result'),
  );
  const all = body.messages.flatMap(({ content }) => blocks(content));
  const since = body.messages.slice(asked + 1).flatMap(({ content }) => blocks(content));
  const answered = since.flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' ? [id] : []));
  const tools = body.tools ?? [];
  const json = JSON.stringify(body);
  return {
    kind: 'anthropic',
    goals: goalsOf(textOf(body.messages[asked]?.content ?? '')),
    json,
    eager: tools.filter((tool) => tool.defer_loading !== true).map(({ name }) => name),
    deferred: tools.filter((tool) => tool.defer_loading === true).map(({ name }) => name),
    referenced: all.flatMap(referencesOf),
    done: since.flatMap(({ type, id, name }) => (type === 'tool_use' && answered.includes(id) ? [name ?? ''] : [])),
    system: JSON.stringify(body.system ?? ''),
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
export function openaiView(body: OpenAIBody, given: ReadonlyMap<string, OpenAIItem>): Sent {
  const items = body.input.map((item) => (item.type === 'item_reference' ? (given.get(item.id ?? '') ?? item) : item));
  const asked = items.findLastIndex(({ role }) => role === 'user');
  const since = items.slice(asked + 1);
  const outputs = since.flatMap(({ type, call_id: id }) => (type === 'function_call_output' ? [id] : []));
  const functions = openaiFunctions(body);
  const search = (body.tools ?? []).some(({ type }) => type === 'tool_search') ? ['tool_search'] : [];
  const json = JSON.stringify(body);
  const calls = items.filter(({ type, name }) => type === 'function_call' && name === 'tool_search');
  return {
    kind: 'openai',
    goals: goalsOf(textOf(items[asked]?.content ?? '')),
    json,
    eager: [...search, ...functions.filter((tool) => tool.defer_loading !== true).map(nameOf)],
    deferred: functions.filter((tool) => tool.defer_loading === true).map(nameOf),
    referenced: items.flatMap(({ type, tools = [] }) =>
      type === 'tool_search_output' ? tools.flatMap((tool) => (tool.tools ?? [tool]).map(nameOf)) : [],
    ),
    done: since.flatMap(({ type, call_id: id, name }) =>
      type === 'function_call' && outputs.includes(id) ? [name ?? ''] : [],
    ),
    system: items
      .flatMap(({ role, content }) => (role === 'system' || role === 'developer' ? [textOf(content)] : []))
      .join('\n'),
    foreign: [...foreignIn(json, [OF_ANTHROPIC]), ...calls.map((call) => JSON.stringify(call))],
  };
}

const nameOf = ({ name = '' }: OpenAITool): string => name;

export function chatView(body: OpenAIBody): Sent {
  const messages = body.messages ?? [];
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(asked + 1);
  const answered = since.flatMap(({ tool_call_id: id }) => id ?? []);
  const tools = (body.tools ?? []).map((tool) => (tool as unknown as { function: { name: string } }).function.name);
  const json = JSON.stringify(body);
  return {
    kind: 'chat',
    goals: goalsOf(textOf(messages[asked]?.content ?? '')),
    json,
    eager: tools,
    deferred: [],
    referenced: [],
    done: since.flatMap(({ tool_calls: calls = [] }) =>
      calls.flatMap((call) => (answered.includes(call.id) ? [call.function.name] : [])),
    ),
    system: messages
      .flatMap(({ role, content }) => (role === 'system' || role === 'developer' ? [textOf(content)] : []))
      .join('\n'),
    foreign: foreignIn(json, [OF_ANTHROPIC, OF_OPENAI]),
  };
}

export function scriptedView({ prompt, tools }: ModelCall): Sent {
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  // Without what a provider noted for itself, which no other reads.
  const json = JSON.stringify({ prompt, tools }, (key, value: unknown) =>
    key === 'providerOptions' ? undefined : value,
  );
  const parts = prompt.flatMap(({ content }) =>
    typeof content === 'string' ? [] : (content as { type: string; toolCallId?: string }[]),
  );
  const idsOf = (wanted: string) =>
    parts.flatMap(({ type, toolCallId }) => (type === wanted ? [toolCallId ?? ''] : []));
  const [calls, results] = [idsOf('tool-call'), idsOf('tool-result')];
  const apart = [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))];
  return {
    kind: 'scripted',
    goals: goalsOf(userText(prompt)),
    json,
    eager: tools.map(({ name }) => name),
    deferred: [],
    referenced: [],
    done: toolResults(prompt.slice(asked + 1)).map(({ toolName }) => toolName),
    system: systemText(prompt),
    foreign: [...foreignIn(json, [OF_ANTHROPIC, OF_OPENAI]), ...apart.map((id) => `not paired: ${id}`)],
  };
}
