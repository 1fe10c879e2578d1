import type { OpenAIBody, OpenAIItem, OpenAITool } from './fake-openai.ts';
import { openaiFunctions } from './fake-openai-items.ts';
import type { Refusal } from './fake-wire.ts';

/** Rules of tools that are added in mid-conversation. */
export type AdditionalToolsRule =
  | 'additional-tools-unsupported'
  | 'additional-tools-role'
  | 'additional-tools-definition'
  | 'additional-tools-breakpoint'
  | 'additional-tools-position'
  | 'additional-tools-deferred'
  | 'additional-tools-again'
  | 'additional-tools-in-tools'
  | 'allowed-tools';

type Refusals = Generator<Refusal<AdditionalToolsRule>>;

export const isAdditional = ({ type }: OpenAIItem): boolean => type === 'additional_tools';

/** What the service refuses of an input that adds tools, and of a choice among them. */
export function* refusedAdditionalTools(body: OpenAIBody, input: readonly OpenAIItem[]): Refusals {
  yield* refusedChoice(body);
  const names = new Set(openaiFunctions(body).map(({ name = '' }) => name));
  const added = new Set<string>();
  const open = new Set<string>();
  for (const [index, item] of input.entries()) {
    const { type, call_id: callId } = item;
    if (type === 'function_call') open.add(callId ?? '');
    if (type === 'function_call_output') open.delete(callId ?? '');
    if (!isAdditional(item)) continue;
    yield* refusedItem(body, item, index);
    // Not documented. Elsewhere the service takes nothing but outputs behind calls.
    if (open.size > 0) {
      const message = `Invalid 'input[${index}]': 'additional_tools' stands between a call and its output.`;
      yield { rule: 'additional-tools-position', message };
    }
    for (const name of functionsIn(item).map((tool) => tool.name ?? '')) {
      // Not documented. Whoever adds a tool twice has lost count.
      if (added.has(name)) yield again('additional-tools-again', index, name, 'was added before');
      if (names.has(name)) yield again('additional-tools-in-tools', index, name, "stands in 'tools' as well");
      added.add(name);
    }
  }
}

function again(rule: AdditionalToolsRule, index: number, name: string, why: string): Refusal<AdditionalToolsRule> {
  return { rule, message: `Duplicate tool name in 'input[${index}].tools': '${name}' ${why}.` };
}

/** The first version that others have seen take such items. */
const FIRST = 5.6;

function* refusedItem({ model, tools: own = [] }: OpenAIBody, item: OpenAIItem, index: number): Refusals {
  const { role, tools = [] } = item;
  const place = `input[${index}]`;
  if (Number(/^gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0) < FIRST) {
    yield { rule: 'additional-tools-unsupported', message: `Invalid value: 'additional_tools'. (${place}.type)` };
  }
  if (role !== 'developer') {
    const message = `Invalid value: '${role}'. Supported values are: 'developer'. (${place}.role)`;
    yield { rule: 'additional-tools-role', message };
  }
  const wrong = tools.find((tool) => !isDefinition(tool));
  if (tools.length === 0 || wrong !== undefined) {
    const message = `Invalid '${place}.tools': ${JSON.stringify(wrong ?? tools)} is not a list of tools.`;
    yield { rule: 'additional-tools-definition', message };
  }
  if ('prompt_cache_breakpoint' in item) {
    const message = `Unknown parameter: '${place}.prompt_cache_breakpoint'.`;
    yield { rule: 'additional-tools-breakpoint', message };
  }
  const deferred = functionsIn(item).find((tool) => tool.defer_loading === true);
  if (deferred && !own.some(({ type }) => type === 'tool_search')) {
    const message = `Tool '${deferred.name}' has defer_loading, which requires a tool_search tool.`;
    yield { rule: 'additional-tools-deferred', message };
  }
}

/** Only tools of the request itself can be allowed. */
function* refusedChoice(body: OpenAIBody): Refusals {
  const choice = body.tool_choice as { type?: string; tools?: readonly OpenAITool[] } | undefined;
  if (choice?.type !== 'allowed_tools') return;
  const names = openaiFunctions(body).map(({ name }) => name);
  const absent = choice.tools?.find(({ type, name }) => type === 'function' && !names.includes(name));
  if (absent === undefined) return;
  yield { rule: 'allowed-tools', message: `Tool choice '${absent.name}' not found in 'tools' parameter.` };
}

/** The tools of an item, also those in namespaces. */
const functionsIn = ({ tools = [] }: OpenAIItem): readonly OpenAITool[] =>
  tools.flatMap((tool) => tool.tools ?? [tool]);

/** A function needs a name and parameters, a namespace a name, a description and functions. */
export function isDefinition({ type, name, description, parameters, tools }: OpenAITool): boolean {
  if (typeof name !== 'string') return false;
  if (type === 'function') return typeof parameters === 'object';
  if (type !== 'namespace' || typeof description !== 'string') return false;
  return tools?.every((tool) => tool.type === 'function' && isDefinition(tool)) ?? false;
}

/** The names of the tools that an input adds, in order. */
export const additionsIn = ({ input }: OpenAIBody): readonly string[] =>
  input.filter(isAdditional).flatMap((item) => functionsIn(item).map(({ name = '' }) => name));
