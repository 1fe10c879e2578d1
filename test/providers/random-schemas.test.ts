// Random schemas with what providers refuse: none of it is sent, and calls fit the schemas that the tools have themselves.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import {
  type AnthropicBody,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  message,
  type OpenAIBody,
  text,
  toolUse,
} from '../native/fakes/fake-provider.ts';

type Schema = Record<string, unknown>;

/** Numbers that look random, the same in each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const KEYS = [
  'name',
  'StartTime',
  'StartTime<',
  'StartTime>',
  '$filter',
  'filter',
  'settings[x]',
  'größe',
  '名前',
  'a b',
  'x'.repeat(70),
];

interface Made {
  readonly schema: Schema;
  /** An input that fits it. */
  readonly input: unknown;
}

/** A schema that JSON schema allows, and an input for it. */
function made(pick: (below: number) => number, depth = 0): Made {
  const kind = pick(depth > 2 ? 3 : 6);
  if (kind === 0) return { schema: { type: 'string' }, input: 'x' };
  if (kind === 1) return { schema: { type: 'integer', minimum: 1 }, input: 3 };
  if (kind === 2) return { schema: { enum: ['a', 'b'] }, input: 'b' };
  if (kind === 3) {
    if (pick(2) === 0) return { schema: { type: 'array' }, input: [1, 'x'] };
    const item = made(pick, depth + 1);
    return { schema: { type: 'array', items: item.schema }, input: [item.input, item.input] };
  }
  if (kind === 4) return { schema: { type: 'object', additionalProperties: { type: 'string' } }, input: { free: 'x' } };
  return madeObject(pick, depth + 1);
}

function madeObject(pick: (below: number) => number, depth = 0): { schema: Schema; input: Schema } {
  const keys = KEYS.filter(() => pick(3) === 0);
  const inner = keys.map((key) => [key, made(pick, depth)] as const);
  const required = keys.filter(() => pick(2) === 0);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(inner.map(([key, { schema }]) => [key, schema])),
      ...(required.length > 0 ? { required } : {}),
    },
    input: Object.fromEntries(inner.map(([key, { input }]) => [key, input])),
  };
}

/** A schema for a tool: an object, with a combination at its root where chance wants it. */
function madeRoot(pick: (below: number) => number): { schema: Schema; input: Schema } {
  const [first, second] = [madeObject(pick), madeObject(pick)];
  const given = Object.keys(first.input);
  switch (pick(5)) {
    case 0:
      return { schema: { anyOf: [first.schema, second.schema] }, input: first.input };
    case 1:
      return {
        schema: { allOf: [{ $ref: '#/$defs/First' }], $defs: { First: first.schema, Unused: second.schema } },
        input: first.input,
      };
    case 2:
      return {
        schema: { ...first.schema, anyOf: [{ required: given }, { required: ['elsewhere'] }] },
        input: first.input,
      };
    case 3:
      return { schema: { $ref: '#/$defs/First', $defs: { First: first.schema } }, input: first.input };
    default:
      return first;
  }
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
const META = 'https://json-schema.org/draft/2020-12/schema';

/** Every schema in a value, as a service reads it. */
function nodesOf(node: unknown): Schema[] {
  if (Array.isArray(node)) return node.flatMap(nodesOf);
  if (typeof node !== 'object' || node === null) return [];
  return [node as Schema, ...Object.values(node).flatMap(nodesOf)];
}

function refusedIn(schema: Schema, provider: string): string[] {
  const { $schema: _, ...rest } = schema;
  const found = ajv.validate(META, rest) ? [] : [ajv.errorsText()];
  if (schema['type'] !== 'object') found.push('no object');
  for (const key of ['anyOf', 'oneOf', 'allOf']) if (key in schema) found.push(`${key} at the root`);
  const keys = Object.keys((schema['properties'] ?? {}) as Schema);
  if (provider === 'anthropic') found.push(...keys.filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)));
  for (const { type, items } of nodesOf(schema)) {
    if (provider === 'openai' && [type].flat().includes('array') && items === undefined) found.push('no items');
  }
  return found;
}

/** The input as a model writes it that reads which names are the tool's own. */
function asRead(input: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(input)) return input.map((item) => asRead(item, names));
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, asRead(value, names)]));
}

function namesIn(schema: Schema): ReadonlyMap<string, string> {
  const found = nodesOf(schema).flatMap(({ properties }) =>
    Object.entries((properties ?? {}) as Schema).flatMap(([name, property]) => {
      const [, own] = /Named (".*")\.$/m.exec(String((property as Schema | undefined)?.['description'])) ?? [];
      return own === undefined ? [] : [[JSON.parse(own) as string, name] as const];
    }),
  );
  return new Map(found);
}

const TOOLS = 25;
type Sent = readonly (readonly [name: string, schema: Schema])[];

const PROVIDERS = {
  anthropic: (call: (sent: Sent) => Schema) => {
    const sentIn = ({ tools = [] }: AnthropicBody): Sent =>
      tools.map(({ name, input_schema: schema }) => [name, schema as Schema]);
    const fake = fakeAnthropic(({ body, index }) => ({
      content:
        index > 0
          ? [text('done')]
          : Object.entries(call(sentIn(body))).map(([name, input], at) => toolUse(at + 1, name, input)),
    }));
    return { fake, model: createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5') };
  },
  openai: (call: (sent: Sent) => Schema) => {
    const sentIn = ({ tools = [] }: OpenAIBody): Sent =>
      tools.map(({ name = '', parameters }) => [name, parameters as Schema]);
    const fake = fakeOpenAI(({ body, index }) => ({
      content:
        index > 0
          ? [message('end', 'done')]
          : Object.entries(call(sentIn(body))).map(([name, input], at) => functionCall(`${at + 1}`, name, input)),
    }));
    return { fake, model: createOpenAI({ apiKey: 'x', fetch: fake.fetch })('gpt-5.4') };
  },
} as const;

it.each(['anthropic', 'openai'] as const)(
  '%s takes them, and each call reaches its tool as the tool wants it',
  async (provider) => {
    for (let seed = 1; seed <= 2; seed++) {
      const pick = random(seed * 7_919);
      const all = Array.from({ length: TOOLS }, (_, at) => ({ id: `tool_${at}`, ...madeRoot(pick) }));
      // Of the inputs, this test is certain by itself.
      for (const { schema, input } of all) expect(ajv.validate(schema, input)).toBe(true);
      const ran = new Map<string, unknown>();
      const tools = Object.fromEntries(
        all.map(({ id, schema }) => [
          id,
          createTool({
            ...{ id, description: `Does ${id}.`, inputSchema: schema },
            execute: async (input: unknown) => {
              ran.set(id, input);
              return 'ran';
            },
          } as never),
        ]),
      );
      const refused: unknown[] = [];
      const { fake, model } = PROVIDERS[provider]((sent) => {
        const schemas = new Map(sent);
        for (const [name, schema] of sent) {
          const faults = refusedIn(schema, provider);
          if (faults.length > 0) refused.push([name, faults, schema]);
        }
        return Object.fromEntries(all.map(({ id, input }) => [id, asRead(input, namesIn(schemas.get(id) ?? {}))]));
      });
      const processor = new ToolSearchProcessor({ tools, alwaysLoaded: Object.keys(tools) });
      const agent = new Agent({
        id: 'a',
        name: 'a',
        instructions: 'Help.',
        model: model as never,
        inputProcessors: [processor],
      });
      const { text: said } = await agent.generate('go');
      expect([refused, fake.refused, said]).toEqual([[], [], 'done']);
      for (const { id, input } of all) expect([id, ran.get(id)]).toEqual([id, input]);
    }
  },
);
