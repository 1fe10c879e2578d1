import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { documentOf, parameterNames, parametersOf } from './catalogs.ts';

const long = 'x'.repeat(100_000);

describe('a document', () => {
  const mcp = { annotations: { title: 'MCP' } };

  it.each([
    { why: 'texts without spaces around them', tool: { description: '  Does it.\n' }, description: 'Does it.' },
    { why: 'empty texts where the tool has none', tool: {} },
    {
      why: 'empty texts where the fields of the tool are no texts',
      tool: { description: 5, title: {}, mcp: 'x', mcpMetadata: [] },
    },
    { why: 'the title of the tool itself first', tool: { title: 'Own', mcp }, title: 'Own' },
    { why: 'the title from MCP else', tool: { title: ' ', mcp }, title: 'MCP' },
    {
      why: 'the server from MCP',
      tool: { mcpMetadata: { serverName: 'github', serverVersion: '1' } },
      server: 'github',
    },
  ])('has $why', async ({ tool, description = '', title = '', server = '' }) => {
    expect((await documentOf(tool)).document).toMatchObject({ name: 'a', description, title, server });
  });

  it('has texts of bounded length', async () => {
    const inputSchema = { properties: { [long]: { description: long, enum: [long] } } };
    const { document } = await documentOf({
      description: long,
      title: long,
      mcpMetadata: { serverName: long },
      inputSchema,
    });
    expect(document.description.length).toBe(4_000);
    expect(JSON.stringify(document).length).toBeLessThan(6_000);
  });
});

describe('the limit of parameters in a document', () => {
  const record = (count: number, prefix = 'p', value: object = {}) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, value]));

  it.each([
    { count: 5_000, kept: 200 },
    { count: 200, kept: 200 },
    { count: 199, kept: 199 },
  ])('keeps the first $kept of $count, in their order', async ({ count, kept }) => {
    expect(await parameterNames({ properties: record(count) })).toEqual(Object.keys(record(kept)));
  });

  it('cuts inner parameters before outer ones', async () => {
    const properties = record(150, 'outer');
    for (const outer of Object.keys(properties)) properties[outer] = { properties: record(10, `inner_${outer}_`) };
    const names = await parameterNames({ properties });
    expect(names.length).toBe(200);
    expect(names.slice(0, 150)).toEqual(Object.keys(properties));
    expect(names.slice(150).every((name) => name.startsWith('inner'))).toBe(true);
  });

  it('counts a parameter once that comes again with the same description', async () => {
    const branch = { properties: { id: { description: 'Of the item' }, name: {} } };
    const anyOf = Array.from({ length: 500 }, () => structuredClone(branch));
    expect(await parameterNames({ anyOf })).toEqual(['id', 'name']);
  });

  it('counts a parameter twice that has two descriptions', async () => {
    const of = (description: string) => ({ properties: { id: { description } } });
    const found = await parametersOf({ properties: { from: of('Sender'), to: of('Receiver') } });
    expect(found.map(({ description }) => description)).toEqual(['', '', 'Sender', 'Receiver']);
  });

  it('has its like for the values of a parameter', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `value${n}`);
    for (const a of [{ enum: many }, { anyOf: many.map((value) => ({ const: value })) }]) {
      expect((await parametersOf({ properties: { a } }))[0]?.values.length).toBe(50);
    }
  });
});

describe('a deep or circular schema', () => {
  it('is read some levels deep', async () => {
    let schema: object = {};
    for (let level = 100; level >= 1; level--) schema = { properties: { [`level${level}`]: schema } };
    const names = await parameterNames(schema);
    for (let level = 1; level <= 8; level++) expect(names).toContain(`level${level}`);
    expect(names).not.toContain('level12');
  });

  it('is read once where an object contains itself', async () => {
    const schema: Record<string, unknown> = { properties: { a: { enum: ['x'] } } };
    schema['anyOf'] = [schema, { items: schema }];
    (schema['properties'] as Record<string, unknown>)['self'] = schema;
    expect(await parameterNames(schema)).toEqual(['a', 'self']);
  });

  it('is read once where zod refers to itself', async () => {
    const Comment = z.object({
      text: z.string(),
      get replies() {
        return z.array(Comment);
      },
    }) as z.ZodType;
    expect(await parameterNames(Comment)).toEqual(['text', 'replies']);
    expect(await parameterNames(z.object({ comment: Comment }))).toEqual(['comment', 'text', 'replies']);
  });

  it('takes a bounded number of steps when references multiply', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `d${n}`,
        {
          anyOf: [
            { $ref: `#/$defs/d${n + 1}` },
            { items: { $ref: `#/$defs/d${n + 1}` } },
            { $ref: `#/$defs/d${n + 2}` },
          ],
        },
      ]),
    );
    expect(await parametersOf({ $ref: '#/$defs/d0', $defs })).toEqual([]);
  });

  it('takes a bounded number of steps when it is a new object at each reading', async () => {
    let looks = 0;
    const fresh = (): object =>
      new Proxy(
        {},
        {
          get: (_, key) => {
            if (++looks > 200_000) throw new Error('looked too often');
            return key === '~standard' ? undefined : fresh();
          },
          has: () => false,
        },
      );
    expect(await documentOf({ inputSchema: fresh() })).not.toHaveProperty('problem');
  });
});

const fail = (): never => {
  throw new Error('not today');
};
/** An object whose field cannot be read. */
const throwing = (key: string, object = {}): object =>
  Object.defineProperty(object, key, { get: fail, enumerable: true });

describe('a tool that throws when it is read', () => {
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const whole = { name: 'a', description: 'Does it.', title: 'It', server: '', keywords: [], parameters: [] };

  it.each([
    { why: 'its schema', tool: throwing('inputSchema') },
    { why: 'a schema function', tool: { inputSchema: fail } },
    { why: 'a JSON schema of the AI SDK', tool: { inputSchema: throwing('jsonSchema') } },
    { why: 'a Standard Schema', tool: { inputSchema: { '~standard': { jsonSchema: { input: fail } } } } },
    { why: 'the properties', tool: { inputSchema: throwing('properties') } },
    { why: 'one property', tool: { inputSchema: { properties: throwing('a') } } },
    { why: 'a Proxy', tool: { inputSchema: new Proxy({}, { get: fail }) } },
    { why: 'a Proxy of properties', tool: { inputSchema: { properties: new Proxy({}, { ownKeys: fail }) } } },
    { why: 'a revoked Proxy', tool: { inputSchema: revoked }, problem: 'revoked' },
    { why: 'by a text', tool: { inputSchema: () => thrown('plain') }, problem: 'plain' },
    { why: 'by nothing', tool: { inputSchema: () => thrown(undefined) }, problem: 'undefined' },
    { why: 'by a symbol', tool: { inputSchema: () => thrown(Symbol('odd')) }, problem: 'Symbol(odd)' },
    { why: 'by an object that is no text', tool: { inputSchema: () => thrown(Object.create(null)) }, problem: '' },
    {
      why: 'by an error without a readable message',
      tool: { inputSchema: () => thrown(throwing('message', new Error())) },
      problem: '',
    },
  ])('loses its parameters and says why: $why', async ({ tool, problem = 'not today' }) => {
    const given = Object.defineProperties(
      { description: 'Does it.', title: 'It' },
      Object.getOwnPropertyDescriptors(tool),
    );
    const read = await documentOf(given);
    expect(read.document).toEqual(whole);
    expect(read.problem).toContain(problem);
  });

  it('loses the text that throws and keeps the others', async () => {
    const tool = throwing(
      'description',
      throwing('mcpMetadata', { title: 'It', inputSchema: { properties: { a: {} } } }),
    );
    const { document, problem } = await documentOf(tool);
    expect(document).toMatchObject({ description: '', title: 'It', server: '', parameters: [{ name: 'a' }] });
    expect(problem).toContain('not today');
  });

  it('may also be a Proxy that answers everything with itself', async () => {
    const itself: object = new Proxy(() => {}, { get: () => itself, apply: () => itself });
    expect(await parametersOf(itself)).toEqual([]);
  });
});

function thrown(value: unknown): never {
  throw value;
}

it('reads a tool without changing it', async () => {
  const freeze = (value: object): object => {
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner) freeze(inner);
    return Object.freeze(value);
  };
  const inputSchema = freeze({
    properties: { a: { $ref: '#/$defs/A' } },
    $defs: { A: { enum: ['x'], properties: { b: {} } } },
  });
  expect(await parameterNames(inputSchema)).toEqual(['a', 'b']);
});
