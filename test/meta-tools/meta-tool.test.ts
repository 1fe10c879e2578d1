import { standardSchemaToJSONSchema } from '@mastra/core/schema';
import fc from 'fast-check';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { createMetaTool, objectSchema, readTexts, TEXT } from '../../src/meta-tools/meta-tool.ts';
import { calls, rig, tool, toolRecord } from '../support/harness.ts';
import { Session } from './session.ts';

const tools = () => toolRecord(tool('get_weather'));
const schemaOf = (metaTool: MastraTool | undefined) =>
  standardSchemaToJSONSchema(metaTool?.inputSchema as never, { io: 'input' });

/** The side of a Standard Schema that Mastra validates with. */
interface LenientSchema {
  readonly '~standard': { validate(value: unknown): { value: { keys: string[] } } };
}

/** What a provider receives for each meta-tool. */
async function received(version: 'v2' | 'v3' | 'v4'): Promise<Record<string, unknown>> {
  const { agent, model } = rig({ tools: tools() }, { script: calls(), version });
  await agent.generate('Hello.');
  const sent = model.calls[0]?.tools ?? [];
  return Object.fromEntries(sent.map((entry) => [entry.name, entry.type === 'function' && entry.inputSchema]));
}

describe('the JSON schema of a meta-tool', () => {
  it('says what search_tools takes', async () => {
    expect(schemaOf((await new Session({ tools: tools() }).step()).tools['search_tools'])).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "query": {
            "description": "What the tool must do: service, action and object, in a few words. "+" before a word requires it; "select:" before exact names, separated by commas, gets those tools.",
            "type": "string",
          },
        },
        "required": [
          "query",
        ],
        "type": "object",
      }
    `);
  });

  it('says what load_tool takes', async () => {
    expect(schemaOf((await new Session({ tools: tools() }).step()).tools['load_tool'])).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "toolName": {
            "description": "The exact name of a tool to load (from search results)",
            "type": "string",
          },
          "toolNames": {
            "description": "Array of exact tool names to load in one call (from search results)",
            "items": {
              "type": "string",
            },
            "type": "array",
          },
        },
        "required": [],
        "type": "object",
      }
    `);
  });

  it.each(['v2', 'v3', 'v4'] as const)('reaches a model of version %s with its parameters', async (version) => {
    const schemas = await received(version);
    expect(schemas).toMatchObject({
      search_tools: {
        type: 'object',
        properties: { query: { type: 'string' } },
        required: ['query'],
        additionalProperties: false,
      },
      load_tool: {
        type: 'object',
        properties: { toolName: { type: 'string' }, toolNames: { type: 'array', items: { type: 'string' } } },
        additionalProperties: false,
      },
    });
  });

  it('has nothing that strict providers refuse', async () => {
    const allowed = /^(type|properties|required|additionalProperties|items|description|minimum|maximum|\$schema)$/;
    const check = (schema: unknown, path: string): void => {
      const { properties = {}, anyOf, ...fields } = schema as { properties?: object; anyOf?: object[] };
      if (anyOf) {
        for (const [position, inner] of anyOf.entries()) check(inner, `${path}|${position}`);
        return;
      }
      for (const key of Object.keys(fields)) expect(key, path).toMatch(allowed);
      expect(typeof (fields as { type?: unknown }).type, path).toBe('string');
      for (const [name, inner] of Object.entries(properties)) check(inner, `${path}.${name}`);
      if ('items' in fields) check(fields.items, `${path}[]`);
    };
    const schemas = await received('v4');
    expect(Object.keys(schemas)).toEqual(['search_tools', 'load_tool']);
    for (const [name, schema] of Object.entries(schemas)) check(schema, name);
    expect(JSON.parse(JSON.stringify(schemas))).toEqual(schemas);
  });

  it('is the same from step to step, so that a prompt cache holds', async () => {
    const processor = new ToolSearchProcessor({ tools: tools() });
    const schemas = async () => {
      const step = await new Session({ tools: tools() }, { processor }).step();
      return JSON.stringify(Object.values(step.tools).map(schemaOf));
    };
    expect(await schemas()).toBe(await schemas());
  });
});

describe('the input of a call', () => {
  const metaTool = createMetaTool<{ keys: string[] }, { done: boolean }>({
    name: 'test',
    description: 'Tests.',
    parameters: objectSchema({ keys: TEXT }, ['keys']),
    result: objectSchema({ done: { type: 'boolean' } }, ['done']),
    read: (fields) => ({ keys: Object.keys(fields) }),
    execute: async () => ({ done: true }),
  });
  const read = (value: unknown) => (metaTool.inputSchema as unknown as LenientSchema)['~standard'].validate(value);

  it.each([
    { value: { a: 1, b: 2 }, keys: ['a', 'b'], why: 'an object as it is' },
    { value: '{"a":1}', keys: ['a'], why: 'an object as JSON' },
    { value: '{"a":', keys: [], why: 'broken JSON' },
    { value: '[1]', keys: [], why: 'JSON of a list' },
    { value: 'null', keys: [], why: 'JSON of null' },
    { value: '', keys: [], why: 'an empty text' },
    { value: [1], keys: [], why: 'a list' },
    { value: null, keys: [], why: 'null' },
    { value: undefined, keys: [], why: 'undefined' },
    { value: 5, keys: [], why: 'a number' },
    { value: Object.assign(Object.create(null), { a: 1 }), keys: ['a'], why: 'no prototype' },
    { value: JSON.parse('{"__proto__":1}'), keys: ['__proto__'], why: 'a key out of JavaScript' },
  ])('is read from $why', ({ value, keys }) => {
    expect(read(value)).toEqual({ value: { keys } });
  });

  it('is empty for JSON that is nested too deep to be parsed', () => {
    expect(read(`{"a":${'['.repeat(200_000)}`)).toEqual({ value: { keys: [] } });
  });

  it('is never refused and never changed, whatever the model sends', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(fc.oneof(anything, fc.json()), (value) => {
        if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) Object.freeze(value);
        const result = read(value);
        expect(Object.keys(result)).toEqual(['value']);
        expect(Array.isArray(result.value.keys)).toBe(true);
      }),
    );
  });
});

describe('a list of texts in the input', () => {
  it.each([
    { value: undefined, texts: undefined },
    { value: null, texts: undefined },
    { value: 'a', texts: ['a'] },
    { value: ' a b ', texts: ['a b'] },
    { value: ['a', ' b '], texts: ['a', 'b'] },
    { value: '["a","b"]', texts: ['a', 'b'] },
    { value: ' ["a"]', texts: ['a'] },
    { value: '["a"', texts: ['["a"'] },
    { value: '[a]', texts: ['[a]'] },
    { value: '{"a":1}', texts: ['{"a":1}'] },
    { value: '', texts: [] },
    { value: ' ', texts: [] },
    { value: [], texts: [] },
    { value: '[]', texts: [] },
    { value: [1, {}, null, ['a']], texts: [] },
    { value: 7, texts: [] },
    { value: { 0: 'a', length: 1 }, texts: [] },
  ])('is read from $value as $texts', ({ value, texts }) => {
    expect(readTexts(value)).toEqual(texts);
  });

  it('holds nothing but trimmed texts, whatever the value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.json(), fc.array(fc.string())), (value) => {
        for (const text of readTexts(value) ?? []) expect(text).toBe(text.trim());
      }),
    );
  });

  it('is the same where it comes as JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (list) => {
        const trimmed = list.map((text) => text.trim());
        expect(readTexts(list)).toEqual(trimmed);
        expect(readTexts(JSON.stringify(list))).toEqual(trimmed);
      }),
    );
  });
});
