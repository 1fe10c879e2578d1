import type { ChatMessage, OpenAIBody, OpenAIItem, OpenAITool } from './fake-openai.ts';
import { openaiFunctions } from './fake-openai-items.ts';
import { type Refusal, repeated } from './fake-wire.ts';

export type OpenAIRule =
  | 'additional-tools-unsupported'
  | 'additional-tools-role'
  | 'additional-tools-definition'
  | 'additional-tools-breakpoint'
  | 'additional-tools-position'
  | 'additional-tools-deferred'
  | 'additional-tools-again'
  | 'additional-tools-in-tools'
  | 'allowed-tools'
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
export function* openaiRefusals(
  body: OpenAIBody,
  stored: ReadonlyMap<string, OpenAIItem>,
  answers: readonly (readonly OpenAIItem[])[],
): Refusals {
  yield* refusedTools(body);
  const stray = body.input.find(({ type, id = '' }) => type === 'item_reference' && !stored.has(id));
  if (stray) yield ['item-reference', `Item with id '${stray.id}' not found.`];
  const input = body.input.map((item) => (item.type === 'item_reference' ? (stored.get(item.id ?? '') ?? item) : item));
  yield* refusedIds(input);
  yield* refusedAdditions(body, input);
  yield* refusedPairs(input);
  yield* refusedFinds(input);
  yield* refusedNamespaces(input, body.tools);
  yield* refusedChains(input, answers);
}

function* refusedTools({ model, tools = [], tool_choice: choice }: OpenAIBody): Refusals {
  const searches = tools.filter(({ type }) => type === 'tool_search').length;
  // The smallest models have no tool search.
  if (searches > 0 && model.includes('nano')) {
    yield ['unsupported-model', `Tool 'tool_search' is not supported with ${model}.`];
  }
  const groups = [tools, ...tools.flatMap((tool) => (tool.type === 'namespace' ? [tool.tools ?? []] : []))];
  const functions = groups.map((group) => group.filter(({ type }) => type === 'function'));
  const wrong = functions.flat().find(({ name = '' }) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name));
  if (wrong) {
    const expected = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    yield ['tool-name', `Invalid 'tools[].name': '${wrong.name}' does not match pattern. ${expected}`];
  }
  for (const group of functions) {
    const twice = repeated(group.map(({ name = '' }) => name));
    if (twice !== undefined) yield ['duplicate-tool-name', `Duplicate tool name: '${twice}'.`];
  }
  if (searches > 1) yield ['several-searches', 'Only one tool_search tool is allowed.'];
  const deferred = functions.flat().find((tool) => tool.defer_loading === true);
  if (deferred && searches === 0) yield ['deferred-without-search', needsSearch(deferred)];
  const names = functions.flat().map(({ name }) => name);
  const { type, name, tools: allowed } = (choice ?? {}) as OpenAITool;
  // Only tools of the request itself can be chosen or allowed.
  const missing = "not found in 'tools' parameter.";
  if (type === 'function' && !names.includes(name)) yield ['tool-choice', `Tool choice '${name}' ${missing}`];
  const absent = type === 'allowed_tools' && allowed?.find((one) => !names.includes(one.name));
  if (absent) yield ['allowed-tools', `Tool choice '${absent.name}' ${missing}`];
}

const needsSearch = ({ name }: OpenAITool): string =>
  `Tool '${name}' has defer_loading, which requires a tool_search tool.`;

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
};

const kindOf = ({ type, role }: OpenAIItem): string => type ?? (role === 'assistant' ? 'message' : '');

function* refusedIds(input: readonly OpenAIItem[]): Refusals {
  for (const [index, item] of input.entries()) {
    const prefix = PREFIXES[kindOf(item)];
    if (prefix === undefined || item.id === undefined || item.id.startsWith(prefix)) continue;
    yield ['item-id', `Invalid 'input[${index}].id': '${item.id}'. Expected an ID that begins with '${prefix}'.`];
  }
}

/** Every call has its output, and every output its call: of functions, and of searches by the client. */
function* refusedPairs(input: readonly OpenAIItem[]): Refusals {
  const idsOf = (wanted: string, isSearch: boolean): string[] =>
    input.flatMap(({ type, execution, call_id: id }) =>
      type === wanted && (!isSearch || execution === 'client') ? [id ?? ''] : [],
    );
  const kinds = [
    ['function_call', 'function_call_output', 'call-without-output', 'output-without-call'],
    ['tool_search_call', 'tool_search_output', 'search-without-output', 'search-output-without-search'],
  ] as const;
  for (const [call, output, open, stray] of kinds) {
    const [calls, outputs] = [idsOf(call, call !== 'function_call'), idsOf(output, call !== 'function_call')];
    const words = call.replaceAll('_', ' ');
    const first = calls.find((id) => !outputs.includes(id));
    if (first !== undefined) yield [open, `No tool output found for ${words} ${first}.`];
    const last = outputs.find((id) => !calls.includes(id));
    if (last !== undefined) yield [stray, `No ${words} found for its output with call_id ${last}.`];
  }
}

function* refusedFinds(input: readonly OpenAIItem[]): Refusals {
  for (const [index, { type, execution, tools = [] }] of input.entries()) {
    if (type !== 'tool_search_output') continue;
    const place = `Invalid 'input[${index}].tools'`;
    const wrong = tools.find((tool) => !isDefinition(tool));
    if (wrong) yield ['search-output-tools', `${place}: ${JSON.stringify(wrong)} is not a tool.`];
    if (execution !== 'client' || new Set(tools.map((tool) => tool.type)).size < 2) continue;
    yield ['search-output-tools', `${place}: namespaces and functions cannot be mixed.`];
  }
}

/**
 * The namespaces that calls behind an item have to name, by their tools. What a search loads into none stands in one of
 * its own; a function that is added outside of any stands in none.
 */
export function neededNamespacesIn({ type, tools = [] }: OpenAIItem): ReadonlyMap<string, string> {
  const isFound = type === 'tool_search_output';
  if (!isFound && type !== 'additional_tools') return new Map();
  const inner = (tool: OpenAITool): [string, string][] =>
    (tool.tools ?? [tool]).map(({ name = '' }) => [name, tool.name ?? '']);
  return new Map(tools.filter((tool) => isFound || tool.type === 'namespace').flatMap(inner));
}

/** A call behind a search that loaded the tool has to name the namespace it was loaded into, unless it is sent at once. */
function* refusedNamespaces(input: readonly OpenAIItem[], tools: readonly OpenAITool[] = []): Refusals {
  const loaded = new Set<string>();
  const atOnce = new Set(tools.flatMap((tool) => (tool.defer_loading === true ? [] : (tool.name ?? ''))));
  for (const [index, item] of input.entries()) {
    const { type, name = '', namespace } = item;
    for (const one of neededNamespacesIn(item).keys()) loaded.add(one);
    if (type !== 'function_call' || namespace != null || !loaded.has(name) || atOnce.has(name)) continue;
    const why = `It does not exist in the default namespace. (input[${index}].namespace)`;
    yield ['missing-namespace', `Missing namespace for function_call '${name}'. ${why}`];
  }
}

const isReasoning = ({ type }: OpenAIItem): boolean => type === 'reasoning';

/**
 * What belongs together in the responses of a reasoning model: what it reasoned has to be followed by what it did then,
 * and an item that is sent with its id has to come behind its reasoning.
 */
function* refusedChains(input: readonly OpenAIItem[], answers: readonly (readonly OpenAIItem[])[]): Refusals {
  for (const [index, item] of input.entries()) {
    const answer = answers.find((items) => item.id !== undefined && items.some(({ id }) => id === item.id)) ?? [];
    const at = answer.findIndex(({ id }) => id === item.id);
    const needed = isReasoning(item) ? undefined : answer.slice(0, Math.max(at, 0)).findLast(isReasoning);
    if (needed && !input.slice(0, index).some(({ id }) => id === needed.id)) {
      const why = `was provided without its required 'reasoning' item: '${needed.id}'.`;
      yield ['reasoning-chain', `Item '${item.id}' of type '${kindOf(item)}' ${why}`];
    }
    const follower = isReasoning(item) ? answer.slice(at + 1).find((other) => !isReasoning(other)) : undefined;
    const next = input.slice(index + 1).find((other) => !isReasoning(other));
    if (!follower || (next && isSame(follower, next))) continue;
    const why = 'was provided without its required following item.';
    yield ['reasoning-chain', `Item '${item.id}' of type 'reasoning' ${why}`];
  }
}

/** An item that is sent whole may lack its id. */
function isSame(item: OpenAIItem, sent: OpenAIItem): boolean {
  if (sent.id !== undefined) return sent.id === item.id;
  return kindOf(sent) === kindOf(item) && sent.call_id === item.call_id;
}

/** What the service refuses of an input that adds tools in mid-conversation. */
function* refusedAdditions(body: OpenAIBody, input: readonly OpenAIItem[]): Refusals {
  const names = new Set(openaiFunctions(body).map(({ name = '' }) => name));
  const added = new Set<string>();
  const open = new Set<string>();
  for (const [index, item] of input.entries()) {
    const { type, call_id: callId } = item;
    if (type === 'function_call') open.add(callId ?? '');
    if (type === 'function_call_output') open.delete(callId ?? '');
    if (type !== 'additional_tools') continue;
    const place = `input[${index}]`;
    yield* refusedAddition(body, item, place);
    // Not documented. Elsewhere the service takes nothing but outputs behind calls.
    if (open.size > 0) yield ['additional-tools-position', `Invalid '${place}': stands between a call and its output.`];
    for (const { name = '' } of functionsIn(item)) {
      // Not documented. Whoever adds a tool twice has lost count.
      const twice = `Duplicate tool name in '${place}.tools': '${name}'.`;
      if (added.has(name)) yield ['additional-tools-again', twice];
      if (names.has(name)) yield ['additional-tools-in-tools', twice];
      added.add(name);
    }
  }
}

/** The first version that others have seen take such items. */
const FIRST = 5.6;

function* refusedAddition({ model, tools: own = [] }: OpenAIBody, item: OpenAIItem, place: string): Refusals {
  const { role, tools = [] } = item;
  if (Number(/^gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0) < FIRST) {
    yield ['additional-tools-unsupported', `Invalid value: 'additional_tools'. (${place}.type)`];
  }
  if (role !== 'developer') {
    yield ['additional-tools-role', `Invalid value: '${role}'. Supported values are: 'developer'. (${place}.role)`];
  }
  if (tools.length === 0 || !tools.every(isDefinition)) {
    yield ['additional-tools-definition', `Invalid '${place}.tools': ${JSON.stringify(tools)} is not a list of tools.`];
  }
  if ('prompt_cache_breakpoint' in item) {
    yield ['additional-tools-breakpoint', `Unknown parameter: '${place}.prompt_cache_breakpoint'.`];
  }
  const deferred = functionsIn(item).find((tool) => tool.defer_loading === true);
  if (deferred && !own.some(({ type }) => type === 'tool_search')) {
    yield ['additional-tools-deferred', needsSearch(deferred)];
  }
}

/** The tools of an item, also those in namespaces. */
const functionsIn = ({ tools = [] }: OpenAIItem): readonly OpenAITool[] =>
  tools.flatMap((tool) => tool.tools ?? [tool]);

/** A function needs a name and parameters, a namespace a name, a description and functions. */
function isDefinition({ type, name, description, parameters, tools }: OpenAITool): boolean {
  if (typeof name !== 'string') return false;
  if (type === 'function') return typeof parameters === 'object';
  if (type !== 'namespace' || typeof description !== 'string') return false;
  return tools?.every((tool) => tool.type === 'function' && isDefinition(tool)) ?? false;
}

/** The names of the tools that an input adds, in order. */
export const additionsIn = ({ input }: OpenAIBody): readonly string[] =>
  input.flatMap((item) => (item.type === 'additional_tools' ? functionsIn(item).map(({ name = '' }) => name) : []));

/** What chat completions refuse: calls and results that do not follow each other, and names. */
export function* openaiChatRefusals({ messages = [], tools = [] }: OpenAIBody): Refusals {
  const names = tools.map((tool) => (tool as unknown as { function?: { name: string } }).function?.name ?? '');
  const wrong = names.find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
  if (wrong !== undefined) yield ['tool-name', `Invalid 'tools[].function.name': '${wrong}' does not match pattern.`];
  const twice = repeated(names);
  if (twice !== undefined) yield ['duplicate-tool-name', `Duplicate tool name: '${twice}'.`];
  for (const [index, message] of messages.entries()) {
    const caller = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
    if (message.role === 'tool' && !caller?.tool_calls?.some(({ id }) => id === message.tool_call_id)) {
      const why = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      yield ['output-without-call', `Invalid parameter: ${why}`];
    }
    const answered = followers(messages, index).map((follower) => follower.tool_call_id);
    const open = message.tool_calls?.find(({ id }) => !answered.includes(id));
    if (open) yield ['call-without-output', `An assistant message with 'tool_calls' must be answered: ${open.id}`];
  }
}

/** The results that follow a message directly. */
function followers(messages: readonly ChatMessage[], index: number): readonly ChatMessage[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== 'tool');
  return end === -1 ? rest : rest.slice(0, end);
}
