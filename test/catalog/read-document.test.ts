import { createTool } from '@mastra/core/tools';
import { makeCoreTool } from '@mastra/core/utils';
import { tool as aiTool, jsonSchema, zodSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as zodMini } from 'zod/mini';
import { z as zod3 } from 'zod3';
import { z as zod3v4 } from 'zod3/v4';
import { documentOf, parameterNames, parametersOf } from './catalogs.ts';

/** name: description = values */
const linesOf = async (inputSchema: unknown) =>
  (await parametersOf(inputSchema)).map(
    ({ name, description, values }) => `${name}: ${description} = ${values.join(',')}`,
  );

const create = (inputSchema: unknown) =>
  createTool({ id: 'a', description: 'Does it.', inputSchema, execute: async () => 'ran' } as never);

const JSON_SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Which city' },
    unit: { type: 'string', enum: ['metric', 'imperial'] },
    place: { type: 'object', properties: { zip: { type: 'string', description: 'Postal code' } } },
  },
} as const;
const ZOD4 = z.object({
  city: z.string().describe('Which city'),
  unit: z.enum(['metric', 'imperial']).optional(),
  place: z.object({ zip: z.string().describe('Postal code') }).nullable(),
});
const ZOD3 = zod3.object({
  city: zod3.string().describe('Which city'),
  unit: zod3.enum(['metric', 'imperial']).optional(),
  place: zod3.object({ zip: zod3.string().describe('Postal code') }).nullable(),
});
const LINES = ['city: Which city = ', 'unit:  = metric,imperial', 'place:  = ', 'zip: Postal code = '];

describe('the parameters of a document', () => {
  it.each([
    { why: 'a JSON schema', source: JSON_SCHEMA },
    { why: 'zod 4', source: ZOD4 },
    { why: 'zod 3', source: ZOD3 },
    { why: 'zod 4 with a refinement', source: ZOD4.refine(() => true) },
    { why: 'zod 3 with a refinement', source: ZOD3.refine(() => true) },
    { why: 'jsonSchema() of the AI SDK', source: jsonSchema(JSON_SCHEMA as never) },
    { why: 'jsonSchema() that is built when it is needed', source: jsonSchema(() => JSON_SCHEMA as never) },
    { why: 'zodSchema() of the AI SDK', source: zodSchema(ZOD4) },
    { why: 'tool() of the AI SDK', source: aiTool({ inputSchema: ZOD4 }).inputSchema },
    { why: 'createTool() with zod 4', source: create(ZOD4).inputSchema },
    { why: 'createTool() with zod 3', source: create(ZOD3).inputSchema },
    { why: 'createTool() with a JSON schema', source: create(JSON_SCHEMA).inputSchema },
    {
      why: 'createTool() with jsonSchema() of the AI SDK',
      source: create(jsonSchema(JSON_SCHEMA as never)).inputSchema,
    },
    { why: 'a function that returns a schema', source: () => ZOD4 },
    { why: 'a function that returns a JSON schema', source: () => JSON_SCHEMA },
  ])('are read from $why', async ({ source }) => {
    expect(await linesOf(source)).toEqual(LINES);
    expect(await documentOf({ inputSchema: source })).not.toHaveProperty('problem');
  });

  it('are read from a tool that Mastra has converted', async () => {
    const options = { name: 'a', requestContext: new Map(), tracingContext: {} };
    const converted = makeCoreTool(create(ZOD4) as never, options as never);
    expect(converted).not.toHaveProperty('inputSchema');
    const { document } = await documentOf(converted);
    expect(document.parameters.map(({ name }) => name)).toEqual(['city', 'unit', 'place', 'zip']);
  });

  it.each([
    { why: 'zod mini', source: zodMini.object({ a: zodMini.string() }), names: ['a'] },
    { why: 'the zod 4 inside zod 3.25', source: zod3v4.object({ a: zod3v4.string() }), names: ['a'] },
    {
      why: 'zod of what JSON cannot say',
      source: z.object({ a: z.date(), b: z.bigint(), c: z.map(z.string(), z.any()) }),
      names: ['a', 'b', 'c'],
    },
    {
      why: 'the input of a transformation',
      source: z.object({ a: z.string().transform((text) => text.length) }),
      names: ['a'],
    },
    { why: 'the input of a pipe', source: z.object({ a: z.string() }).transform(({ a }) => ({ b: a })), names: ['a'] },
    {
      why: 'an intersection',
      source: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
      names: ['a', 'b'],
    },
    {
      why: 'a union of objects',
      source: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      names: ['a', 'b'],
    },
    { why: 'objects in an array', source: z.object({ a: z.array(z.object({ b: z.string() })) }), names: ['a', 'b'] },
    { why: 'objects in a tuple', source: z.object({ a: z.tuple([z.object({ b: z.string() })]) }), names: ['a', 'b'] },
    {
      why: 'objects in a record',
      source: z.object({ a: z.record(z.string(), z.object({ b: z.string() })) }),
      names: ['a', 'b'],
    },
    {
      why: 'a property that zod reads late',
      source: z.object({
        a: z.string(),
        get b() {
          return z.array(z.object({ c: z.lazy(() => z.string()) }));
        },
      }),
      names: ['a', 'b', 'c'],
    },
    {
      why: 'a union in JSON schema',
      source: { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },
      names: ['a', 'b'],
    },
    { why: 'allOf', source: { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, names: ['a', 'b'] },
    {
      why: 'oneOf below a property',
      source: { properties: { a: { oneOf: [{ properties: { b: {} } }, { type: 'null' }] } } },
      names: ['a', 'b'],
    },
    { why: 'properties that are true or false', source: { properties: { a: true, b: false } }, names: ['a', 'b'] },
    {
      why: 'properties with names out of JavaScript',
      source: JSON.parse('{"properties":{"__proto__":{},"constructor":{}}}'),
      names: ['__proto__', 'constructor'],
    },
    {
      why: 'a reference to a definition',
      source: { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { properties: { b: {} } } } },
      names: ['a', 'b'],
    },
    {
      why: 'a reference at the top',
      source: { $ref: '#/definitions/A', definitions: { A: { properties: { b: {} } } } },
      names: ['b'],
    },
    {
      why: 'a reference with escaped characters',
      source: { properties: { a: { $ref: '#/$defs/x~1y~0z' } }, $defs: { 'x/y~z': { properties: { b: {} } } } },
      names: ['a', 'b'],
    },
    {
      why: 'a reference with percent signs',
      source: { properties: { a: { $ref: '#/$defs/a%20b' } }, $defs: { 'a b': { properties: { b: {} } } } },
      names: ['a', 'b'],
    },
    {
      why: 'a reference into an array',
      source: { properties: { a: { $ref: '#/anyOf/0' } }, anyOf: [{ properties: { b: {} } }] },
      names: ['a', 'b'],
    },
    {
      why: 'references one after the other',
      source: { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: { properties: { b: {} } } } },
      names: ['b'],
    },
    {
      why: 'the root inside itself',
      source: { properties: { a: {}, children: { items: { $ref: '#' } } } },
      names: ['a', 'children'],
    },
    {
      why: 'no further than a circle of references',
      source: { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { $ref: '#/$defs/A' } } },
      names: ['a'],
    },
    {
      why: 'a name, where a reference leads nowhere',
      source: { properties: { a: { $ref: '#/$defs/none' }, b: { $ref: 'https://example.com/b' } } },
      names: ['a', 'b'],
    },
    {
      why: 'a name, where a reference leads into an object of JavaScript',
      source: { properties: { a: { $ref: '#/constructor/prototype' } } },
      names: ['a'],
    },
  ])('are read from $why', async ({ source, names }) => {
    expect(await parameterNames(source)).toEqual(names);
  });

  it('are read from a Standard Schema that is a function', async () => {
    const standard = { version: 1, vendor: 'arktype', validate: () => {}, jsonSchema: { input: () => JSON_SCHEMA } };
    expect(await parameterNames(Object.assign(() => {}, { '~standard': standard }))).toEqual([
      'city',
      'unit',
      'place',
      'zip',
    ]);
  });

  it.each([
    { why: 'nothing', source: undefined },
    { why: 'null', source: null },
    { why: 'a text', source: 'a schema' },
    { why: 'a number', source: 5 },
    { why: 'true', source: true },
    { why: 'an array', source: [] },
    { why: 'no properties', source: { type: 'object' } },
    { why: 'properties that are none', source: { properties: 'a' } },
    { why: 'properties that are inherited', source: { properties: Object.create({ a: {} }) } },
    { why: 'a promise', source: Promise.resolve(JSON_SCHEMA) },
  ])('are empty for $why, which is reported as no problem', async ({ source }) => {
    expect(await documentOf({ inputSchema: source })).toEqual({
      document: { name: 'a', description: '', title: '', server: '', keywords: [], parameters: [] },
    });
  });
});

describe('the values of a parameter', () => {
  it.each([
    { why: 'an enum', property: { enum: ['a', 'b'] }, values: ['a', 'b'] },
    { why: 'a constant', property: { const: 'a' }, values: ['a'] },
    { why: 'a union of constants', property: { anyOf: [{ const: 'a' }, { const: 'b' }] }, values: ['a', 'b'] },
    { why: 'an enum or null', property: { anyOf: [{ enum: ['a'] }, { type: 'null' }] }, values: ['a'] },
    { why: 'a list of an enum', property: { type: 'array', items: { enum: ['a', 'b'] } }, values: ['a', 'b'] },
    { why: 'texts alone', property: { enum: ['a', 1, null, true, ['b']] }, values: ['a'] },
    { why: 'an enum that is none', property: { enum: 'abc' }, values: [] },
    { why: 'a default is no value', property: { default: 'a' }, values: [] },
  ])('are those of $why', async ({ property, values }) => {
    expect(await parametersOf({ properties: { x: property } })).toEqual([{ name: 'x', description: '', values }]);
  });

  it('are those of a literal in zod', async () => {
    expect(await linesOf(z.object({ a: z.literal('x'), b: z.union([z.literal('y'), z.literal('z')]) }))).toEqual([
      'a:  = x',
      'b:  = y,z',
    ]);
  });

  it('come from the target of a reference, and its description from beside the reference', async () => {
    const properties = { a: { $ref: '#/$defs/A', description: 'Own' }, b: { $ref: '#/$defs/A' } };
    const source = { properties, $defs: { A: { description: 'Common', enum: ['x'] } } };
    expect(await linesOf(source)).toEqual(['a: Own = x', 'b: Common = x']);
  });

  it('are those of all branches in a discriminated union', async () => {
    const source = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('table'), rows: z.number() }),
      z.object({ kind: z.literal('chart'), axis: z.string() }),
    ]);
    expect((await parametersOf(source)).flatMap(({ values }) => values)).toEqual(['table', 'chart']);
  });
});
