import type { OpenAIBody, OpenAIItem, OpenAITool } from './fake-openai.ts';
import { type Refusal, repeated } from './fake-wire.ts';

type Refusals = Generator<Refusal>;

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
  for (const item of input) {
    const prefix = PREFIXES[kindOf(item)];
    if (prefix && item.id !== undefined && !item.id.startsWith(prefix)) yield ['item-id', item.id];
  }
  yield* refusedAdditions(body, input);
  yield* refusedPairs(input);
  yield* refusedFinds(input);
  yield* refusedNamespaces(input, body.tools);
  yield* refusedChains(input, answers);
}

const PREFIXES: Readonly<Record<string, string>> = {
  ...{ message: 'msg', function_call: 'fc', reasoning: 'rs', tool_search_call: 'tsc', tool_search_output: 'tso' },
};
const kindOf = ({ type, role }: OpenAIItem): string => type ?? (role === 'assistant' ? 'message' : '');

/** The functions of a list, also those in namespaces, in order. */
const functionsIn = ({ tools = [] }: { readonly tools?: readonly OpenAITool[] }): OpenAITool[] =>
  tools.flatMap((tool) => tool.tools ?? [tool]).filter(({ type }) => type === 'function');
/** The function tools of a request. */
export const openaiFunctions = (body: OpenAIBody): OpenAITool[] => functionsIn(body);

function* refusedTools({ tools = [], tool_choice: choice }: OpenAIBody): Refusals {
  const searches = tools.filter(({ type }) => type === 'tool_search').length;
  const names = functionsIn({ tools }).map(({ name = '' }) => name);
  const wrong = names.find((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name));
  if (wrong !== undefined) yield ['tool-name', wrong];
  for (const group of [tools, ...tools.flatMap((tool) => (tool.tools ? [tool.tools] : []))]) {
    const twice = repeated(group.flatMap(({ type, name = '' }) => (type === 'function' ? [name] : [])));
    if (twice !== undefined) yield ['duplicate-tool-name', twice];
  }
  const deferred = functionsIn({ tools }).find((tool) => tool.defer_loading === true);
  if (deferred && searches === 0) yield ['deferred-without-search', String(deferred.name)];
  // Only tools of the request itself can be chosen or allowed.
  const { type, name = '', tools: allowed = [] } = (choice ?? {}) as OpenAITool;
  if (type === 'function' && !names.includes(name)) yield ['tool-choice', name];
  const absent = type === 'allowed_tools' && allowed.find((one) => !names.includes(one.name ?? ''));
  if (absent) yield ['allowed-tools', String(absent.name)];
}

/** Every call has its output, and every output its call: of functions, and of searches by the client. */
function* refusedPairs(input: readonly OpenAIItem[]): Refusals {
  const kinds = [
    ['function_call', 'function_call_output', 'call-without-output', 'output-without-call'],
    ['tool_search_call', 'tool_search_output', 'search-without-output', 'search-output-without-search'],
  ] as const;
  for (const [call, output, open, stray] of kinds) {
    const [calls, outputs] = [call, output].map((wanted) =>
      input.flatMap(({ type, execution, call_id: id }) => (type === wanted && execution !== 'server' ? [id] : [])),
    );
    const first = calls?.find((id) => !outputs?.includes(id));
    if (first !== undefined) yield [open, String(first)];
    const last = outputs?.find((id) => !calls?.includes(id));
    if (last !== undefined) yield [stray, String(last)];
  }
}

function* refusedFinds(input: readonly OpenAIItem[]): Refusals {
  for (const [index, { type, execution, tools = [] }] of input.entries()) {
    if (type !== 'tool_search_output') continue;
    const isMixed = execution === 'client' && new Set(tools.map((tool) => tool.type)).size > 1;
    if (isMixed || !tools.every(isDefinition)) yield ['search-output-tools', `input[${index}]`];
  }
}

/** A function needs a name and parameters, a namespace a name, a description and functions. */
function isDefinition({ type, name, description, parameters, tools }: OpenAITool): boolean {
  if (typeof name !== 'string') return false;
  if (type === 'function') return typeof parameters === 'object';
  if (type !== 'namespace' || typeof description !== 'string') return false;
  return tools?.every((tool) => tool.type === 'function' && isDefinition(tool)) ?? false;
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
  for (const item of input) {
    const { type, name = '', namespace } = item;
    for (const one of neededNamespacesIn(item).keys()) loaded.add(one);
    if (type !== 'function_call' || namespace != null || !loaded.has(name) || atOnce.has(name)) continue;
    yield ['missing-namespace', `Missing namespace for function_call '${name}'.`];
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
      yield ['reasoning-chain', `'${item.id}' was provided without its required 'reasoning' item: '${needed.id}'.`];
    }
    const follower = isReasoning(item) ? answer.slice(at + 1).find((other) => !isReasoning(other)) : undefined;
    const next = input.slice(index + 1).find((other) => !isReasoning(other));
    if (!follower || (next && isSame(follower, next))) continue;
    yield ['reasoning-chain', `'${item.id}' was provided without its required following item.`];
  }
}

/** An item that is sent whole may lack its id. */
function isSame(item: OpenAIItem, sent: OpenAIItem): boolean {
  if (sent.id !== undefined) return sent.id === item.id;
  return kindOf(sent) === kindOf(item) && sent.call_id === item.call_id;
}

/** The first version that others have seen take tools in mid-conversation. */
const FIRST = 5.6;

/** What the service refuses of an input that adds tools in mid-conversation. */
function* refusedAdditions(body: OpenAIBody, input: readonly OpenAIItem[]): Refusals {
  const names = new Set(openaiFunctions(body).map(({ name = '' }) => name));
  const added = new Set<string>();
  const open = new Set<string>();
  for (const [index, item] of input.entries()) {
    const { type, tools = [], call_id: callId } = item;
    if (type === 'function_call') open.add(callId ?? '');
    if (type === 'function_call_output') open.delete(callId ?? '');
    if (type !== 'additional_tools') continue;
    const place = `input[${index}]`;
    const isNew = Number(/^gpt-(\d+(?:\.\d+)?)/.exec(body.model)?.[1] ?? 0) >= FIRST;
    if (!isNew) yield ['additional-tools-unsupported', `Invalid value: 'additional_tools'. (${place}.type)`];
    if (tools.length === 0 || !tools.every(isDefinition)) yield ['additional-tools-definition', place];
    const isDeferred = functionsIn(item).some((tool) => tool.defer_loading === true);
    const hasSearch = body.tools?.some((tool) => tool.type === 'tool_search') === true;
    if (isDeferred && !hasSearch) yield ['additional-tools-deferred', place];
    // Not documented. Elsewhere the service takes nothing but outputs behind calls.
    if (open.size > 0) yield ['additional-tools-position', place];
    for (const { name = '' } of functionsIn(item)) {
      // Not documented. Whoever adds a tool twice has lost count.
      if (added.has(name)) yield ['additional-tools-again', `Duplicate tool name in '${place}': '${name}'.`];
      if (names.has(name)) yield ['additional-tools-in-tools', `Duplicate tool name in '${place}': '${name}'.`];
      added.add(name);
    }
  }
}

/** The names of the tools that an input adds, in order. */
export const additionsIn = ({ input }: OpenAIBody): readonly string[] =>
  input.flatMap((item) => (item.type === 'additional_tools' ? functionsIn(item).map(({ name = '' }) => name) : []));

/** What chat completions refuse: calls and results that do not follow each other, and names. */
export function* openaiChatRefusals({ messages = [], tools = [] }: OpenAIBody): Refusals {
  const names = tools.map((tool) => (tool as unknown as { function?: { name: string } }).function?.name ?? '');
  const wrong = names.find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) ?? repeated(names);
  if (wrong !== undefined) yield ['tool-name', wrong];
  for (const [index, message] of messages.entries()) {
    const caller = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
    const isCalled = caller?.tool_calls?.some(({ id }) => id === message.tool_call_id) === true;
    if (message.role === 'tool' && !isCalled) yield ['output-without-call', String(message.tool_call_id)];
    const rest = messages.slice(index + 1);
    const end = rest.findIndex(({ role }) => role !== 'tool');
    const answered = rest.slice(0, end === -1 ? rest.length : end).map((follower) => follower.tool_call_id);
    const open = message.tool_calls?.find(({ id }) => !answered.includes(id));
    if (open) yield ['call-without-output', open.id];
  }
}
