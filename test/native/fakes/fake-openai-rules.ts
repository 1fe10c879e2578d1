import type { ChatMessage, OpenAIBody, OpenAIItem, OpenAITool } from './fake-openai.ts';
import { type AdditionalToolsRule, isDefinition, refusedAdditionalTools } from './fake-openai-additional.ts';
import type { Chains } from './fake-openai-chains.ts';
import { neededNamespacesIn } from './fake-openai-namespaces.ts';
import { type Refusal, repeated } from './fake-wire.ts';

export type OpenAIRule =
  | AdditionalToolsRule
  | 'tool-name'
  | 'duplicate-tool-name'
  | 'deferred-without-search'
  | 'several-searches'
  | 'tool-choice'
  | 'item-reference'
  | 'item-id'
  | 'call-without-output'
  | 'output-without-call'
  | 'search-without-output'
  | 'search-output-without-search'
  | 'search-output-tools'
  | 'missing-namespace'
  | 'unsupported-model'
  | 'reasoning-chain';

type Refusals = Generator<Refusal<OpenAIRule>>;

/** What the service refuses in a request, in the order in which it looks. */
export function* openaiRefusals(body: OpenAIBody, stored: ReadonlyMap<string, OpenAIItem>, chains: Chains): Refusals {
  yield* refusedModel(body);
  yield* refusedTools(body);
  for (const { type, id = '' } of body.input) {
    if (type === 'item_reference' && !stored.has(id)) {
      yield { rule: 'item-reference', message: `Item with id '${id}' not found.` };
    }
  }
  const input = body.input.map((item) => (item.type === 'item_reference' ? (stored.get(item.id ?? '') ?? item) : item));
  yield* refusedIds(input);
  yield* refusedAdditionalTools(body, input);
  // The service has the items before this response itself.
  if (body.previous_response_id !== undefined) return;
  yield* refusedCalls(input);
  yield* refusedSearches(input);
  yield* refusedNamespaces(input, body.tools);
  for (const message of chains.broken(input)) yield { rule: 'reasoning-chain', message };
}

/** The smallest models have no tool search. */
function* refusedModel({ model, tools = [] }: OpenAIBody): Refusals {
  if (!model.includes('nano') || !tools.some(({ type }) => type === 'tool_search')) return;
  yield { rule: 'unsupported-model', message: `Tool 'tool_search' is not supported with ${model}.` };
}

function* refusedTools({ tools = [], tool_choice: choice }: OpenAIBody): Refusals {
  const groups = [tools, ...tools.flatMap((tool) => (tool.type === 'namespace' ? [tool.tools ?? []] : []))];
  const functions = groups.map((group) => group.filter(({ type }) => type === 'function'));
  for (const { name = '' } of functions.flat()) {
    if (/^[a-zA-Z0-9_-]{1,128}$/.test(name)) continue;
    const expected = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    yield { rule: 'tool-name', message: `Invalid 'tools[].name': '${name}' does not match pattern. ${expected}` };
  }
  for (const group of functions) {
    const twice = repeated(group.map(({ name = '' }) => name));
    if (twice !== undefined) yield { rule: 'duplicate-tool-name', message: `Duplicate tool name: '${twice}'.` };
  }
  const searches = tools.filter(({ type }) => type === 'tool_search').length;
  if (searches > 1) yield { rule: 'several-searches', message: 'Only one tool_search tool is allowed.' };
  const deferred = functions.flat().find((tool) => tool.defer_loading === true);
  if (deferred !== undefined && searches === 0) {
    const message = `Tool '${deferred.name}' has defer_loading, which requires a tool_search tool.`;
    yield { rule: 'deferred-without-search', message };
  }
  const forced = choice as { type?: string; name?: string } | undefined;
  if (forced?.type === 'function' && !functions.flat().some(({ name }) => name === forced.name)) {
    yield { rule: 'tool-choice', message: `Tool choice '${forced.name}' not found in 'tools' parameter.` };
  }
}

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
};

function* refusedIds(input: readonly OpenAIItem[]): Refusals {
  for (const [index, { type, role, id }] of input.entries()) {
    const prefix = PREFIXES[type ?? (role === 'assistant' ? 'message' : '')];
    if (prefix === undefined || id === undefined || id.startsWith(prefix)) continue;
    const message = `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`;
    yield { rule: 'item-id', message };
  }
}

function* refusedCalls(input: readonly OpenAIItem[]): Refusals {
  const calls = callIds(input, ({ type }) => type === 'function_call');
  const outputs = callIds(input, ({ type }) => type === 'function_call_output');
  const open = calls.find((id) => !outputs.includes(id));
  if (open !== undefined) {
    yield { rule: 'call-without-output', message: `No tool output found for function call ${open}.` };
  }
  const stray = outputs.find((id) => !calls.includes(id));
  if (stray !== undefined) {
    const message = `No tool call found for function call output with call_id ${stray}.`;
    yield { rule: 'output-without-call', message };
  }
}

function* refusedSearches(input: readonly OpenAIItem[]): Refusals {
  const ofClient = (item: OpenAIItem, type: string): boolean => item.type === type && item.execution === 'client';
  const calls = callIds(input, (item) => ofClient(item, 'tool_search_call'));
  const outputs = callIds(input, (item) => ofClient(item, 'tool_search_output'));
  const open = calls.find((id) => !outputs.includes(id));
  if (open !== undefined) {
    yield { rule: 'search-without-output', message: `No tool output found for tool search call ${open}.` };
  }
  const stray = outputs.find((id) => !calls.includes(id));
  if (stray !== undefined) {
    const message = `No tool search call found for tool search output with call_id ${stray}.`;
    yield { rule: 'search-output-without-search', message };
  }
  for (const [index, { type, execution, tools = [] }] of input.entries()) {
    if (type !== 'tool_search_output') continue;
    const wrong = tools.find((tool) => !isDefinition(tool));
    if (wrong !== undefined) {
      const message = `Invalid 'input[${index}].tools': ${JSON.stringify(wrong)} is not a tool.`;
      yield { rule: 'search-output-tools', message };
    }
    if (execution !== 'client' || new Set(tools.map((tool) => tool.type)).size < 2) continue;
    const message = `Invalid 'input[${index}].tools': namespaces and functions cannot be mixed.`;
    yield { rule: 'search-output-tools', message };
  }
}

/** A call behind a search that loaded the tool has to name the namespace it was loaded into, unless it is sent at once. */
function* refusedNamespaces(input: readonly OpenAIItem[], tools: readonly OpenAITool[] = []): Refusals {
  const loaded = new Set<string>();
  const atOnce = new Set(tools.flatMap((tool) => (tool.defer_loading === true ? [] : (tool.name ?? ''))));
  for (const [index, item] of input.entries()) {
    const { type, name = '', namespace } = item;
    for (const one of neededNamespacesIn(item).keys()) loaded.add(one);
    if (type !== 'function_call' || namespace != null || !loaded.has(name) || atOnce.has(name)) continue;
    const why = 'It does not exist in the default namespace.';
    const message = `Missing namespace for function_call '${name}'. ${why} (input[${index}].namespace)`;
    yield { rule: 'missing-namespace', message };
  }
}

const callIds = (input: readonly OpenAIItem[], wanted: (item: OpenAIItem) => boolean): string[] =>
  input.filter(wanted).map((item) => item.call_id ?? '');

/** What chat completions refuse: calls and results that do not follow each other, and names. */
export function* openaiChatRefusals({ messages = [], tools = [] }: OpenAIBody): Refusals {
  const names = tools.map((tool) => (tool as unknown as { function?: { name: string } }).function?.name ?? '');
  const wrong = names.find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
  if (wrong !== undefined) {
    yield { rule: 'tool-name', message: `Invalid 'tools[].function.name': '${wrong}' does not match pattern.` };
  }
  const twice = repeated(names);
  if (twice !== undefined) yield { rule: 'duplicate-tool-name', message: `Duplicate tool name: '${twice}'.` };
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool' && !answersCall(messages, index)) {
      const text = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      yield { rule: 'output-without-call', message: `Invalid parameter: ${text}` };
    }
    const answered = followers(messages, index).map((follower) => follower.tool_call_id);
    const open = message.tool_calls?.find(({ id }) => !answered.includes(id));
    if (open === undefined) continue;
    const text = `The following tool_call_ids did not have response messages: ${open.id}`;
    yield { rule: 'call-without-output', message: `An assistant message with 'tool_calls' must be answered. ${text}` };
  }
}

/** The results that follow a message directly. */
function followers(messages: readonly ChatMessage[], index: number): readonly ChatMessage[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== 'tool');
  return end === -1 ? rest : rest.slice(0, end);
}

function answersCall(messages: readonly ChatMessage[], index: number): boolean {
  const caller = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
  return caller?.tool_calls?.some(({ id }) => id === messages[index]?.tool_call_id) ?? false;
}
