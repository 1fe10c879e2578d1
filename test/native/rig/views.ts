import { type ModelCall, systemText, userText } from '../../support/scripted-model.ts';
import {
  type AnthropicBody,
  additionsIn,
  type OpenAIBody,
  type OpenAIItem,
  type OpenAITool,
  offeredBy,
  openaiFunctions,
  references,
} from '../fakes/fake-provider.ts';
import type { Sent } from './goals.ts';

/** What only Anthropic knows: nothing of it may stand in a request to OpenAI. */
const OF_ANTHROPIC =
  /srvtoolu_|tool_reference|server_tool_use|tool_search_tool_|tool-reference|tool_addition|toolChanges/;
/** What only OpenAI knows. */
const OF_OPENAI =
  /"(?:tsc_|tso_)|item_reference|tool_search_call|tool_search_output|"call_id"|"tool_search"|omitFrom|additional_?[tT]ools/;
/** What stands in a request alone that uses a provider's tool search. */
const NATIVE =
  /"defer_loading":true|"type":"(?:tool_search[a-z0-9_]*|tool_reference|server_tool_use|tool_addition|additional_tools)"/;

/** A part of a conversation, in any of its forms: what the user said, a call, or the result of one. */
interface Piece {
  readonly said?: string;
  readonly call?: { readonly id: string; readonly name: string; readonly input: unknown };
  readonly result?: { readonly id: string; readonly text: string };
}

type Own = Pick<Sent, 'kind' | 'index' | 'json' | 'eager' | 'system'> & Partial<Sent>;

/** A request, with what follows from its conversation and its text, where nothing else is known. */
function sentOf(pieces: readonly Piece[], own: Own, ...foreign: readonly RegExp[]): Sent {
  const at = pieces.findLastIndex(({ said }) => said !== undefined);
  const { said: asked = '' } = pieces[at] ?? {};
  const since = pieces.slice(at + 1);
  const answered = since.flatMap(({ result }) => result?.id ?? []);
  const calls = since.flatMap(({ call }) => call ?? []);
  const strange = foreign.flatMap((pattern) => {
    const place = own.json.search(pattern);
    return place === -1 ? [] : [own.json.slice(Math.max(0, place - 80), place + 120)];
  });
  return {
    ...{ asked, calls, isNative: NATIVE.test(own.json), deferred: [], appended: [], referenced: [] },
    goals: asked.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? [],
    done: calls.filter(({ id }) => answered.includes(id)).map(({ name, input }) => calledBy(name, input)),
    results: pieces.flatMap(({ result }) => result?.text ?? []),
    ...own,
    foreign: [...strange, ...(own.foreign ?? [])],
  };
}

/** The tool that a call is for: one of the bridge names it. */
function calledBy(name: string, input: unknown): string {
  if (name === 'execute_typescript')
    return /external\("([^"]+)"/.exec(JSON.stringify(input).replaceAll('\\', ''))?.[1] ?? name;
  if (name !== 'call_tool') return name;
  const fields = (typeof input === 'string' ? JSON.parse(input) : input) as { toolName?: string };
  return fields.toolName ?? name;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
/** The texts of a message: two of the user's in a row may arrive as one. */
const textsOf = (content: unknown): readonly string[] =>
  typeof content === 'string' ? [content] : ((content ?? []) as { text?: string }[]).map(({ text = '' }) => text);
const systemOf = (messages: readonly { readonly role?: string; readonly content?: unknown }[]): string =>
  messages.flatMap(({ role = '', content }) => (/system|developer/.test(role) ? textsOf(content) : [])).join('\n');
const said = (content: unknown): Piece[] => textsOf(content).map((text) => ({ said: text }));

export function anthropicView(body: AnthropicBody, index = 0): Sent {
  const { model, messages, tools = [] } = body;
  const blocks = messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) => ({ role, ...block })),
  );
  const pieces = blocks.flatMap(({ role, type, id = '', name = '', input, text, ...block }): Piece[] => {
    if (type.endsWith('tool_use')) return [{ call: { id, name, input } }];
    if (type === 'tool_result') return [{ result: { id: block.tool_use_id ?? '', text: asText(block.content) } }];
    return role === 'user' ? [{ said: text ?? '' }] : [];
  });
  const listed = tools.map(({ name }) => name);
  const deferred = tools.filter((tool) => tool.defer_loading === true).map(({ name }) => name);
  const appended = [...offeredBy(body).keys()].filter((name) => !listed.includes(name));
  const eager = listed.filter((name) => !deferred.includes(name));
  const json = JSON.stringify(body);
  // Where definitions are appended, nothing of the provider's own stands in a request until one is.
  const isNative = NATIVE.test(json) || (model === 'claude-opus-5' && !eager.includes('load_tool'));
  const read = { kind: 'anthropic', index, body, json, eager, deferred, appended, isNative } as const;
  const referenced = [...blocks.flatMap(references), ...appended];
  return sentOf(pieces, { ...read, referenced, system: JSON.stringify(body.system ?? '') }, OF_OPENAI);
}

const nameOf = ({ name = '' }: OpenAITool): string => name;

/** @param given - what the service answered, by id: a request may only refer to it. */
export function openaiView(body: OpenAIBody, given: ReadonlyMap<string, OpenAIItem>, index = 0): Sent {
  const items = body.input.map((item) => (item.type === 'item_reference' ? (given.get(item.id ?? '') ?? item) : item));
  const pieces = items.flatMap(
    ({ type, role, content, call_id: callId, name = '', arguments: input, output }): Piece[] => {
      const id = callId ?? '';
      if (type === 'tool_search_call') return [{ call: { id, name: 'tool_search', input } }];
      if (type === 'function_call') return [{ call: { id, name, input } }];
      if (type === 'function_call_output') return [{ result: { id, text: asText(output) } }];
      return role === 'user' ? said(content) : [];
    },
  );
  const functions = openaiFunctions(body);
  const search = (body.tools ?? []).some(({ type }) => type === 'tool_search') ? ['tool_search'] : [];
  const misnamed = items.filter(({ type, name }) => type === 'function_call' && name === 'tool_search');
  return sentOf(
    pieces,
    {
      ...{ kind: 'openai', index, body, json: JSON.stringify(body), system: systemOf(items) },
      eager: [...search, ...functions.filter((tool) => tool.defer_loading !== true).map(nameOf)],
      deferred: functions.filter((tool) => tool.defer_loading === true).map(nameOf),
      appended: additionsIn(body),
      referenced: items.flatMap(({ type = '', tools = [] }) =>
        /^(?:tool_search_output|additional_tools)$/.test(type)
          ? tools.flatMap((tool) => (tool.tools ?? [tool]).map(nameOf))
          : [],
      ),
      isNative: NATIVE.test(JSON.stringify({ ...body, input: items })),
      foreign: misnamed.map((call) => JSON.stringify(call)),
    },
    OF_ANTHROPIC,
  );
}

export function chatView(body: OpenAIBody, index = 0): Sent {
  const { messages = [], tools = [] } = body;
  const pieces = messages.flatMap(({ role, content, tool_calls: calls = [], tool_call_id: id = '' }): Piece[] => {
    if (role === 'user') return said(content);
    if (role === 'tool') return [{ result: { id, text: asText(content) } }];
    return calls.map((one) => ({ call: { id: one.id, name: one.function.name, input: one.function.arguments } }));
  });
  const eager = tools.map((tool) => (tool as unknown as { function: { name: string } }).function.name);
  const read = { kind: 'chat', index, body, json: JSON.stringify(body), eager, system: systemOf(messages) } as const;
  return sentOf(pieces, read, OF_ANTHROPIC, OF_OPENAI);
}

interface PromptPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: { readonly value?: unknown; readonly reason?: unknown };
}

export function scriptedView({ prompt, tools }: ModelCall, index = 0): Sent {
  // Without what a provider noted for itself, which no other reads.
  const json = JSON.stringify({ prompt, tools }, (key, value: unknown) =>
    key === 'providerOptions' ? undefined : value,
  );
  const pieces = prompt.flatMap(({ role, content }): Piece[] => {
    if (role === 'user') return [{ said: userText(prompt) }];
    return (typeof content === 'string' ? [] : (content as PromptPart[])).flatMap((part): Piece[] => {
      const { type, toolCallId: id = '', toolName: name = '', input, output } = part;
      if (type === 'tool-call') return [{ call: { id, name, input } }];
      return type === 'tool-result' ? [{ result: { id, text: asText(output?.value ?? output?.reason) } }] : [];
    });
  });
  const [called, results] = (['call', 'result'] as const).map((key) => pieces.flatMap((piece) => piece[key]?.id ?? []));
  const apart = [...(called ?? []), ...(results ?? [])].filter((id) => !called?.includes(id) || !results?.includes(id));
  const foreign = apart.map((id) => `not paired: ${id}`);
  const eager = tools.map(({ name }) => name);
  const read = { kind: 'scripted', index, json, eager, system: systemText(prompt), isNative: false, foreign } as const;
  return sentOf(pieces, read, OF_ANTHROPIC, OF_OPENAI);
}
