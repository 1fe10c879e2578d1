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
  references,
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

type Read = Pick<Sent, 'kind' | 'index' | 'asked' | 'json' | 'eager' | 'calls' | 'done' | 'results' | 'system'>;

/** A request, with what follows from its text, where nothing else is known. */
function sentOf(read: Read & Partial<Sent>, ...foreign: readonly RegExp[]): Sent {
  const { asked, json, foreign: found = [], ...rest } = read;
  const strange = foreign.flatMap((pattern) => {
    const at = json.search(pattern);
    return at === -1 ? [] : [json.slice(Math.max(0, at - 80), at + 120)];
  });
  return {
    ...{ asked, json, goals: goalsOf(asked), isNative: NATIVE.test(json), deferred: [], appended: [], referenced: [] },
    ...rest,
    foreign: [...strange, ...found],
  };
}

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as readonly { readonly text?: string }[]) : [];
  return parts.map(({ text = '' }) => text).join(' ');
};

/** Two messages of the user in a row arrive as one: its last part is the last message. */
const lastTextOf = (content: unknown): string => textOf(Array.isArray(content) ? content.slice(-1) : content);

const systemOf = (messages: readonly { readonly role?: string; readonly content?: unknown }[]): string =>
  messages
    .flatMap(({ role, content }) => (role === 'system' || role === 'developer' ? [textOf(content)] : []))
    .join('\n');

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
  const all = body.messages.flatMap(({ content }) => blocks(content));
  const since = body.messages.slice(at + 1).flatMap(({ content }) => blocks(content));
  const answered = since.flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' ? [id] : []));
  const { model, tools = [] } = body;
  const listed = new Set(tools.map(({ name }) => name));
  const deferred = tools.filter((tool) => tool.defer_loading === true).map(({ name }) => name);
  const appended = [...offeredBy(body).keys()].filter((name) => !listed.has(name));
  const eager = [...listed].filter((name) => !deferred.includes(name));
  const json = JSON.stringify(body);
  return sentOf(
    {
      ...{ kind: 'anthropic', index, json, eager, deferred, appended },
      asked: lastTextOf(body.messages[at]?.content ?? ''),
      referenced: [...all.flatMap(references), ...appended],
      calls: since.flatMap(({ type, name = '', input }) => (type.endsWith('tool_use') ? [{ name, input }] : [])),
      done: since.flatMap(({ type, id, name = '', input }) =>
        type === 'tool_use' && answered.includes(id) ? [calledBy(name, input)] : [],
      ),
      results: all.flatMap(({ type, content }) => (type === 'tool_result' ? [asText(content)] : [])),
      system: JSON.stringify(body.system ?? ''),
      // Where definitions are appended, nothing of the provider's own stands in a request until one is.
      isNative: NATIVE.test(json) || (model === 'claude-opus-5' && !eager.includes('load_tool')),
    },
    OF_OPENAI,
  );
}

/** @param given - what the service answered, by id: a request may only refer to it. */
export function openaiView(body: OpenAIBody, given: ReadonlyMap<string, OpenAIItem>, index = 0): Sent {
  const items = body.input.map((item) => (item.type === 'item_reference' ? (given.get(item.id ?? '') ?? item) : item));
  const at = items.findLastIndex(({ role }) => role === 'user');
  const since = items.slice(at + 1);
  const outputs = since.flatMap(({ type, call_id: id }) => (type === 'function_call_output' ? [id] : []));
  const functions = openaiFunctions(body);
  const search = (body.tools ?? []).some(({ type }) => type === 'tool_search') ? ['tool_search'] : [];
  const misnamed = items.filter(({ type, name }) => type === 'function_call' && name === 'tool_search');
  return sentOf(
    {
      ...{ kind: 'openai', index, json: JSON.stringify(body), asked: lastTextOf(items[at]?.content) },
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
      system: systemOf(items),
      isNative: NATIVE.test(JSON.stringify({ ...body, input: items })),
      foreign: misnamed.map((call) => JSON.stringify(call)),
    },
    OF_ANTHROPIC,
  );
}

const nameOf = ({ name = '' }: OpenAITool): string => name;

export function chatView({ messages = [], tools = [], ...body }: OpenAIBody, index = 0): Sent {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(at + 1);
  const answered = since.flatMap(({ tool_call_id: id }) => id ?? []);
  const calls = since.flatMap(({ tool_calls: made = [] }) =>
    made.map(({ id, function: { name, arguments: input } }) => ({ id, name, input })),
  );
  return sentOf(
    {
      ...{ kind: 'chat', index, calls, asked: lastTextOf(messages[at]?.content), system: systemOf(messages) },
      json: JSON.stringify({ ...body, messages, tools }),
      eager: tools.map((tool) => (tool as unknown as { function: { name: string } }).function.name),
      done: calls.filter(({ id }) => answered.includes(id)).map(({ name, input }) => calledBy(name, input)),
      results: messages.flatMap(({ role, content }) => (role === 'tool' ? [asText(content)] : [])),
    },
    ...[OF_ANTHROPIC, OF_OPENAI],
  );
}

interface PromptPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
}

export function scriptedView({ prompt, tools }: ModelCall, index = 0): Sent {
  // Without what a provider noted for itself, which no other reads.
  const json = JSON.stringify({ prompt, tools }, (key, value: unknown) =>
    key === 'providerOptions' ? undefined : value,
  );
  const partsIn = (messages: typeof prompt): readonly PromptPart[] =>
    messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content as PromptPart[])));
  const idsOf = (wanted: string) =>
    partsIn(prompt).flatMap(({ type, toolCallId }) => (type === wanted ? [toolCallId ?? ''] : []));
  const [called, results] = [idsOf('tool-call'), idsOf('tool-result')];
  const since = partsIn(prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1));
  const calls = since.flatMap(({ type, toolName: name = '', toolCallId: id = '', input }) =>
    type === 'tool-call' ? [{ name, id, input }] : [],
  );
  const apart = [...called.filter((id) => !results.includes(id)), ...results.filter((id) => !called.includes(id))];
  return sentOf(
    {
      ...{ kind: 'scripted', index, json, calls, asked: userText(prompt), system: systemText(prompt), isNative: false },
      eager: tools.map(({ name }) => name),
      done: calls.filter(({ id }) => results.includes(id)).map(({ name, input }) => calledBy(name, input)),
      results: toolResults(prompt).map((result) => asText(result)),
      foreign: apart.map((id) => `not paired: ${id}`),
    },
    ...[OF_ANTHROPIC, OF_OPENAI],
  );
}
