// Tools whose definitions providers refuse, and the refusals, in the words of the services (from public reports).
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { MastraTool } from '../../src/index.ts';
import {
  type AnthropicBody,
  type AnthropicTool,
  blocksOf,
  type FakeError,
  type OpenAIBody,
  type OpenAITool,
} from '../native/fakes/fake-provider.ts';

type Schema = Readonly<Record<string, unknown>>;
export type Provider = 'anthropic' | 'openai';

/** A kind of definition that providers refuse. */
export interface RefusedKind {
  readonly kind: string;
  readonly refusedBy: readonly Provider[];
  /** Whether the services document it, or many reports name it; else only {@link refuseSchemas} refuses it. */
  readonly isKnown: boolean;
  readonly inputSchema: unknown;
  readonly description?: string;
}

const TEXT = { type: 'string' };
const BOTH = ['anthropic', 'openai'] as const;
const object = (properties: Schema, more: Schema = {}): Schema => ({
  ...{ type: 'object', properties: { text: TEXT, ...properties }, ...more },
});

/** A call with the input `{ text: 'x' }` fits all of them. */
export const REFUSED_KINDS: readonly RefusedKind[] = [
  {
    kind: 'keys with other characters',
    ...{ refusedBy: ['anthropic'], isKnown: true },
    inputSchema: object({ 'StartTime<': TEXT, $filter: TEXT, 'settings[x]': TEXT }),
  },
  {
    kind: 'a key of more than 64 characters',
    ...{ refusedBy: ['anthropic'], isKnown: true },
    inputSchema: object({ ['long_'.repeat(14)]: TEXT }),
  },
  {
    kind: 'oneOf beside properties',
    ...{ refusedBy: BOTH, isKnown: true },
    inputSchema: object({ id: TEXT }, { oneOf: [{ required: ['text'] }, { required: ['id'] }] }),
  },
  {
    kind: 'anyOf at the root',
    ...{ refusedBy: BOTH, isKnown: true },
    inputSchema: {
      anyOf: [object({}, { required: ['text'] }), { type: 'object', properties: { id: TEXT }, required: ['id'] }],
    },
  },
  {
    kind: 'a zod union',
    ...{ refusedBy: BOTH, isKnown: true },
    inputSchema: z.union([z.object({ text: z.string() }), z.object({ id: z.number() })]),
  },
  {
    kind: 'required within properties',
    ...{ refusedBy: ['anthropic'], isKnown: true },
    inputSchema: object({ required: ['text'] }),
  },
  {
    kind: 'an array without items',
    ...{ refusedBy: ['openai'], isKnown: true },
    inputSchema: object({ tags: { type: 'array' } }),
  },
  {
    kind: 'an unheard-of format',
    ...{ refusedBy: ['anthropic'], isKnown: false },
    inputSchema: object({ when: { ...TEXT, format: 'strange' } }),
  },
  {
    kind: 'a key that nobody has heard to be refused',
    ...{ refusedBy: BOTH, isKnown: false },
    inputSchema: object({ strange_key: TEXT }),
  },
  {
    kind: 'a long description',
    ...{ refusedBy: BOTH, isKnown: false },
    inputSchema: object({}),
    description: `Do what is strange. ${'And more. '.repeat(200)}`,
  },
];

/** A tool of a kind that answers with what it got. */
export function refusedTool(id: string, { inputSchema, description }: RefusedKind, ran: string[] = []): MastraTool {
  return createTool({
    ...{ id, description: description ?? `Does ${id.replaceAll('_', ' ')}.`, inputSchema: inputSchema as never },
    execute: async () => {
      ran.push(id);
      return { ran: id };
    },
  } as never) as MastraTool;
}

const MAX_DESCRIPTION = 1_024;
const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a service refuses in a request because of a tool's definition; undefined where it takes all of them. */
export function refuseSchemas(body: AnthropicBody | OpenAIBody): FakeError | undefined {
  for (const [place, tool] of 'input' in body ? placesOf(body) : toolsOf(body)) {
    const error = 'input_schema' in tool ? refusedByAnthropic(place, tool) : refusedByOpenAI(place, tool as OpenAITool);
    if (error) return { status: 400, error };
  }
  return undefined;
}

/** Anthropic's tools, or those of a chat completion: both have messages. */
function* toolsOf(body: AnthropicBody | OpenAIBody): Iterable<readonly [string, AnthropicTool | OpenAITool]> {
  for (const [at, tool] of ((body.tools ?? []) as readonly object[]).entries()) {
    if ('function' in tool) yield [`tools[${at}].function`, tool.function as OpenAITool];
    else if ('input_schema' in tool) yield [`tools.${at}.custom`, tool as AnthropicTool];
  }
  if (!('system' in body) && !('max_tokens' in body)) return;
  for (const [at, message] of (body as AnthropicBody).messages.entries()) {
    for (const [index, { type, tool }] of blocksOf(message).entries())
      if (tool?.definition) yield [`messages.${at}.content.${index}.${type}.tool.definition`, tool.definition];
  }
}

/** The functions of OpenAI's Responses: in the list, in namespaces, in searches and in mid-conversation. */
function* placesOf({ tools = [], input }: OpenAIBody): Iterable<readonly [string, OpenAITool]> {
  yield* functionsAt('tools', tools);
  for (const [at, item] of input.entries()) yield* functionsAt(`input[${at}].tools`, item.tools ?? []);
}

function* functionsAt(place: string, tools: readonly OpenAITool[]): Iterable<readonly [string, OpenAITool]> {
  for (const [at, tool] of tools.entries()) {
    if (tool.type === 'function') yield [`${place}[${at}]`, tool];
    if (tool.tools) yield* functionsAt(`${place}[${at}].tools`, tool.tools);
  }
}

const INVALID =
  'JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.';

function refusedByAnthropic(place: string, tool: AnthropicTool): FakeError['error'] | undefined {
  const { input_schema: schema = {}, description = '' } = tool as AnthropicTool & { description?: string };
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const refused = (part: string, why: string) => ({ message: `${place}.${part}: ${why}` });
  if (description.length > MAX_DESCRIPTION)
    return refused('description', `String should have at most ${MAX_DESCRIPTION} characters`);
  if (['oneOf', 'allOf', 'anyOf'].some((key) => key in schema))
    return refused('input_schema', 'input_schema does not support oneOf, allOf, or anyOf at the top level');
  if (schema['type'] === undefined) return refused('input_schema.type', 'Field required');
  if (Object.keys(properties).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)))
    return refused('input_schema.properties', "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'");
  const isStrange = nodesOf(schema).some(([, node]) => node['format'] === 'strange') || 'strange_key' in properties;
  const isBroken = Object.values(properties).some((property) => !isObject(property) && typeof property !== 'boolean');
  return isStrange || isBroken ? refused('input_schema', INVALID) : undefined;
}

function refusedByOpenAI(place: string, { name, parameters, ...tool }: OpenAITool): FakeError['error'] | undefined {
  const schema: Schema = parameters ?? { type: 'object', properties: {} };
  const { description = '' } = tool;
  if (description.length > MAX_DESCRIPTION) {
    const param = `${place}.description`;
    const lengths = `maximum length ${MAX_DESCRIPTION}, but got a string with length ${description.length} instead`;
    const message = `Invalid '${param}': string too long. Expected a string with ${lengths}.`;
    return { message, type: 'invalid_request_error', param, code: 'string_above_max_length' };
  }
  const refused = (why: string) => ({
    ...{ message: `Invalid schema for function '${name}': ${why}`, type: 'invalid_request_error' },
    ...{ param: `${place}.parameters`, code: 'invalid_function_parameters' },
  });
  const combined = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((key) => key in schema);
  if (combined && schema['type'] === 'object')
    return refused(
      "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    );
  if (schema['type'] !== 'object')
    return refused(`schema must be a JSON Schema of 'type: "object"', got 'type: "${schema['type'] ?? 'None'}"'.`);
  for (const [path, node] of nodesOf(schema)) {
    const context = `In context=(${path.map((part) => `'${part}'`).join(', ')})`;
    if (path.at(-1) === 'strange_key') return refused(`${context}, schema must have a 'type' key.`);
    const isArray = [node['type']].flat().includes('array');
    if (isArray && !('items' in node)) return refused(`${context}, array schema missing items.`);
  }
  return undefined;
}

/** A schema and all within it, each with the way to it. */
function nodesOf(node: unknown, path: readonly string[] = []): (readonly [readonly string[], Schema])[] {
  if (Array.isArray(node)) return node.flatMap((part, at) => nodesOf(part, [...path, String(at)]));
  if (!isObject(node)) return [];
  return [[path, node], ...Object.entries(node).flatMap(([key, part]) => nodesOf(part, [...path, key]))];
}
