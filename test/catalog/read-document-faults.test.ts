import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { documentOf, parameterNames, parametersOf } from './catalogs.ts';

const long = 'x'.repeat(100_000);

describe('a document', () => {
  const mcp = { annotations: { title: 'MCP' } };
  it.each<[why: string, tool: object, texts: object]>([
    ['texts without spaces around them', { description: '  Does it.\n' }, { description: 'Does it.' }],
    ['empty texts where there are none', { description: 5, title: {}, mcp: 'x', mcpMetadata: [] }, {}],
    ['the title of the tool itself first', { title: 'Own', mcp }, { title: 'Own' }],
    ['the title from MCP else', { title: ' ', mcp }, { title: 'MCP' }],
    ['the server from MCP', { mcpMetadata: { serverName: 'github', serverVersion: '1' } }, { server: 'github' }],
  ])('has %s', async (_, tool, texts) => {
    const empty = { description: '', title: '', server: '' };
    expect((await documentOf(tool)).document).toMatchObject({ name: 'a', ...empty, ...texts });
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

  it('keeps the first 200, in their order', async () => {
    for (const count of [5_000, 200, 199])
      expect(await parameterNames({ properties: record(count) })).toEqual(Object.keys(record(Math.min(200, count))));
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
    const other = { properties: { id: { description: 'Of another' } } };
    expect(await parameterNames({ anyOf: [branch, other] })).toEqual(['id', 'name', 'id']);
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
    expect(await parameterNames(z.object({ comment: Comment }))).toEqual(['comment', 'text', 'replies']);
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

const fail = () => JSON.parse('not today');
/** An object whose field cannot be read. */
const throwing = (key: string, object = {}): object =>
  Object.defineProperty(object, key, { get: fail, enumerable: true });
function thrown(value: unknown): never {
  throw value;
}

describe('a tool that throws when it is read', () => {
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();

  it.each<[why: string, inputSchema: unknown, problem?: string]>([
    ['a schema function', fail],
    ['a JSON schema of the AI SDK', throwing('jsonSchema')],
    ['a Standard Schema', { '~standard': { jsonSchema: { input: fail } } }],
    ['the properties', throwing('properties')],
    ['one property', { properties: throwing('a') }],
    ['a Proxy', new Proxy({}, { get: fail })],
    ['a Proxy of properties', { properties: new Proxy({}, { ownKeys: fail }) }],
    ['a revoked Proxy', revoked, 'revoked'],
    ['by nothing', () => thrown(undefined), 'undefined'],
    ['by a symbol', () => thrown(Symbol('odd')), 'Symbol(odd)'],
    ['by an object that is no text', () => thrown(Object.create(null)), ''],
    ['by an error without a readable message', () => thrown(throwing('message', new Error())), ''],
  ])('loses its parameters and says why: %s', async (_, inputSchema, problem = 'not today') => {
    const read = await documentOf({ description: 'Does it.', title: 'It', inputSchema });
    const texts = { name: 'a', description: 'Does it.', title: 'It', server: '' };
    expect(read.document).toEqual({ ...texts, keywords: [], parameters: [] });
    expect(read.problem).toContain(problem);
  });

  it('loses what throws and keeps the rest', async () => {
    const rest = { title: 'It', inputSchema: { properties: { a: {} } } };
    const { document, problem } = await documentOf(throwing('description', throwing('mcpMetadata', rest)));
    expect(document).toMatchObject({ description: '', title: 'It', server: '', parameters: [{ name: 'a' }] });
    expect(problem).toContain('not today');
    const other = await documentOf(throwing('inputSchema', { description: 'Does it.' }));
    expect(other.document).toMatchObject({ description: 'Does it.', parameters: [] });
    expect(other.problem).toContain('not today');
  });

  it('may also be a Proxy that answers everything with itself', async () => {
    const itself: object = new Proxy(() => {}, { get: () => itself, apply: () => itself });
    expect(await parametersOf(itself)).toEqual([]);
  });
});
