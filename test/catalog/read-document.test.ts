import { createTool } from '@mastra/core/tools';
import { makeCoreTool } from '@mastra/core/utils';
import { jsonSchema, zodSchema } from 'ai';
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
const STANDARD = { version: 1, vendor: 'arktype', validate: () => {}, jsonSchema: { input: () => JSON_SCHEMA } };
const OF_B = { properties: { b: {} } };
/** One property, which refers to something. */
const refersTo = ($ref: string) => ({ properties: { a: { $ref } } });
const LINES = ['city: Which city = ', 'unit:  = metric,imperial', 'place:  = ', 'zip: Postal code = '];

describe('the parameters of a document', () => {
  it.each([
    { why: 'a JSON schema', source: JSON_SCHEMA },
    { why: 'zod 4', source: ZOD4 },
    { why: 'zod 3', source: ZOD3 },
    { why: 'zod 3 with a refinement', source: ZOD3.refine(() => true) },
    { why: 'jsonSchema() of the AI SDK', source: jsonSchema(JSON_SCHEMA as never) },
    { why: 'jsonSchema() that is built when it is needed', source: jsonSchema(() => JSON_SCHEMA as never) },
    { why: 'zodSchema() of the AI SDK', source: zodSchema(ZOD4) },
    { why: 'createTool() with zod 4', source: create(ZOD4).inputSchema },
    { why: 'createTool() with a JSON schema', source: create(JSON_SCHEMA).inputSchema },
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

  it.each<[why: string, source: unknown, names: string]>([
    ['zod mini', zodMini.object({ a: zodMini.string() }), 'a'],
    ['the zod 4 inside zod 3.25', zod3v4.object({ a: zod3v4.string() }), 'a'],
    ['zod of what JSON cannot say', z.object({ a: z.date(), b: z.bigint(), c: z.map(z.string(), z.any()) }), 'a b c'],
    ['the input of a transformation', z.object({ a: z.string().transform((text) => text.length) }), 'a'],
    ['the input of a pipe', z.object({ a: z.string() }).transform(({ a }) => ({ b: a })), 'a'],
    ['objects in an array', z.object({ a: z.array(z.object({ b: z.string() })) }), 'a b'],
    ['objects in a tuple', z.object({ a: z.tuple([z.object({ b: z.string() })]) }), 'a b'],
    ['objects in a record', z.object({ a: z.record(z.string(), z.object({ b: z.string() })) }), 'a b'],
    ['a property that is read late', z.object({ a: z.lazy(() => z.array(z.object({ b: z.string() }))) }), 'a b'],
    ['anyOf in JSON schema', { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, 'a b'],
    ['allOf', { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, 'a b'],
    ['oneOf below a property', { properties: { a: { oneOf: [{ properties: { b: {} } }, { type: 'null' }] } } }, 'a b'],
    ['properties that are true or false', { properties: { a: true, b: false } }, 'a b'],
    [
      'names out of JavaScript',
      JSON.parse('{"properties":{"__proto__":{},"constructor":{}}}'),
      '__proto__ constructor',
    ],
    ['a reference to a definition', { ...refersTo('#/$defs/A'), $defs: { A: OF_B } }, 'a b'],
    ['a reference at the top', { $ref: '#/definitions/A', definitions: { A: OF_B } }, 'b'],
    ['a reference with escaped characters', { ...refersTo('#/$defs/x~1y~0z'), $defs: { 'x/y~z': OF_B } }, 'a b'],
    ['a reference with percent signs', { ...refersTo('#/$defs/a%20b'), $defs: { 'a b': OF_B } }, 'a b'],
    ['a reference into an array', { ...refersTo('#/anyOf/0'), anyOf: [OF_B] }, 'a b'],
    ['references to references', { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: OF_B } }, 'b'],
    ['the root inside itself', { properties: { a: {}, children: { items: { $ref: '#' } } } }, 'a children'],
    ['a circle of references', { ...refersTo('#/$defs/A'), $defs: { A: { $ref: '#/$defs/A' } } }, 'a'],
    ['a reference that leads nowhere', refersTo('#/$defs/none'), 'a'],
    ['a reference into an object of JavaScript', refersTo('#/constructor/prototype'), 'a'],
    ['a Standard Schema that is a function', Object.assign(() => {}, { '~standard': STANDARD }), 'city unit place zip'],
  ])('are read from %s', async (_, source, names) => {
    expect((await parameterNames(source)).join(' ')).toBe(names);
  });

  it('are empty for what has none, which is reported as no problem', async () => {
    const inherited = { properties: Object.create({ a: {} }) };
    const none = [undefined, null, 'a schema', 5, true, [], { type: 'object' }, { properties: 'a' }, inherited];
    for (const inputSchema of [...none, Promise.resolve(JSON_SCHEMA)])
      expect(await documentOf({ inputSchema })).toEqual({
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
