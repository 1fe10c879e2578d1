import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type SearchableTool, toolDocument } from '../../src/catalog/document.ts';

const parametersOf = (inputSchema: unknown) => toolDocument('a', { inputSchema }).document.parameters;
const namesOf = (inputSchema: unknown) => parametersOf(inputSchema).map(({ name }) => name);

describe('a document', () => {
  it.each([
    {
      why: 'texts without spaces around them',
      tool: { description: '  Does it.\n' },
      expected: { description: 'Does it.' },
    },
    { why: 'empty texts where the tool has none', tool: {}, expected: { description: '', title: '', server: '' } },
    {
      why: 'empty texts where the fields of the tool are no texts',
      tool: { description: 5, title: {}, mcp: 'x', mcpMetadata: [] },
      expected: { description: '', title: '', server: '' },
    },
    {
      why: 'the title of the tool itself first',
      tool: { title: 'Own', mcp: { annotations: { title: 'MCP' } } },
      expected: { title: 'Own' },
    },
    { why: 'the title from MCP else', tool: { mcp: { annotations: { title: 'MCP' } } }, expected: { title: 'MCP' } },
    {
      why: 'the title from MCP where that of the tool is empty',
      tool: { title: ' ', mcp: { annotations: { title: 'MCP' } } },
      expected: { title: 'MCP' },
    },
    {
      why: 'the server from MCP',
      tool: { mcpMetadata: { serverName: 'github', serverVersion: '1' } },
      expected: { server: 'github' },
    },
  ])('has $why', ({ tool, expected }) => {
    expect(toolDocument('a', tool).document).toMatchObject({ name: 'a', ...expected });
  });

  it('has texts of bounded length', () => {
    const long = 'x'.repeat(100_000);
    const tool = {
      description: long,
      title: long,
      mcpMetadata: { serverName: long },
      inputSchema: { properties: { [long]: { description: long, enum: [long] } } },
    };
    const { document } = toolDocument('a', tool);
    expect(document.description.length).toBe(4_000);
    expect(JSON.stringify(document).length).toBeLessThan(6_000);
  });

  it('has the name of the tool as it is', () => {
    expect(toolDocument('mail.send', {}).document.name).toBe('mail.send');
  });
});

describe('the limit of parameters in a document', () => {
  const record = (count: number, prefix = 'p', value: (n: number) => object = () => ({})) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, value(n)]));

  it('keeps the first 200 of a wide schema, in its order', () => {
    const names = namesOf({ properties: record(5_000) });
    expect(names).toEqual(Array.from({ length: 200 }, (_, n) => `p${n}`));
  });

  it('keeps all of a schema with just as many', () => {
    expect(namesOf({ properties: record(200) }).length).toBe(200);
    expect(namesOf({ properties: record(199) }).length).toBe(199);
  });

  it('cuts inner parameters before outer ones', () => {
    const names = namesOf({ properties: record(150, 'outer', (n) => ({ properties: record(10, `inner${n}_`) })) });
    expect(names.length).toBe(200);
    expect(names.slice(0, 150)).toEqual(Object.keys(record(150, 'outer')));
    expect(names.slice(150).every((name) => name.startsWith('inner'))).toBe(true);
  });

  it('counts a parameter once that comes again with the same description', () => {
    const branch = { properties: { id: { description: 'Of the item' }, name: {} } };
    expect(namesOf({ anyOf: Array.from({ length: 500 }, () => structuredClone(branch)) })).toEqual(['id', 'name']);
  });

  it('counts a parameter twice that has two descriptions', () => {
    const properties = {
      from: { properties: { id: { description: 'Sender' } } },
      to: { properties: { id: { description: 'Receiver' } } },
    };
    expect(parametersOf({ properties }).map(({ description }) => description)).toEqual(['', '', 'Sender', 'Receiver']);
  });

  it('has its like for the values of a parameter', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `value${n}`);
    expect(parametersOf({ properties: { a: { enum: many } } })[0]?.values.length).toBe(50);
    expect(
      parametersOf({ properties: { a: { anyOf: many.map((value) => ({ const: value })) } } })[0]?.values.length,
    ).toBe(50);
  });
});

describe('a deep or circular schema', () => {
  it('is read some levels deep', () => {
    let schema: object = {};
    for (let level = 100; level >= 1; level--) schema = { properties: { [`level${level}`]: schema } };
    const names = namesOf(schema);
    for (let level = 1; level <= 8; level++) expect(names).toContain(`level${level}`);
    expect(names).not.toContain('level12');
  });

  it('is read once where an object contains itself', () => {
    const schema: Record<string, unknown> = { properties: { a: { enum: ['x'] } } };
    schema['anyOf'] = [schema, { items: schema }];
    (schema['properties'] as Record<string, unknown>)['self'] = schema;
    expect(namesOf(schema)).toEqual(['a', 'self']);
  });

  it('is read once where zod refers to itself', () => {
    const Comment = z.object({
      text: z.string(),
      get replies() {
        return z.array(Comment);
      },
    }) as z.ZodType;
    expect(namesOf(Comment)).toEqual(['text', 'replies']);
    expect(namesOf(z.object({ comment: Comment }))).toEqual(['comment', 'text', 'replies']);
  });

  it('takes a bounded number of steps when references multiply', () => {
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
    expect(parametersOf({ $ref: '#/$defs/d0', $defs })).toEqual([]);
  });

  it('takes a bounded number of steps when it is a new object at each reading', () => {
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
    expect(toolDocument('a', { inputSchema: fresh() })).not.toHaveProperty('problem');
  });
});

const thrown = new Error('not today');
const fail = (): never => {
  throw thrown;
};
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

describe('a tool that throws when it is read', () => {
  it.each([
    {
      why: 'its schema',
      tool: {
        get inputSchema() {
          return fail();
        },
      },
    },
    { why: 'a schema function', tool: { inputSchema: fail } },
    {
      why: 'a JSON schema of the AI SDK',
      tool: {
        inputSchema: {
          get jsonSchema() {
            return fail();
          },
        },
      },
    },
    { why: 'a Standard Schema', tool: { inputSchema: { '~standard': { jsonSchema: { input: fail } } } } },
    {
      why: 'the properties',
      tool: {
        inputSchema: {
          get properties() {
            return fail();
          },
        },
      },
    },
    {
      why: 'one property',
      tool: {
        inputSchema: {
          properties: {
            get a() {
              return fail();
            },
          },
        },
      },
    },
    { why: 'a Proxy', tool: { inputSchema: new Proxy({}, { get: fail }) } },
    { why: 'a Proxy of properties', tool: { inputSchema: { properties: new Proxy({}, { ownKeys: fail }) } } },
  ])('loses its parameters and says why: $why', ({ tool }) => {
    const whole = Object.defineProperties(
      { description: 'Does it.', title: 'It' },
      Object.getOwnPropertyDescriptors(tool),
    );
    const { document, problem } = toolDocument('a', whole as SearchableTool);
    expect(document).toEqual({
      name: 'a',
      description: 'Does it.',
      title: 'It',
      server: '',
      keywords: [],
      parameters: [],
    });
    expect(problem).toBe('not today');
  });

  it('loses its parameters where a Proxy is revoked', () => {
    const { document, problem } = toolDocument('a', { description: 'Does it.', inputSchema: revoked });
    expect(document).toMatchObject({ description: 'Does it.', parameters: [] });
    expect(problem).toMatch(/revoked/);
  });

  it('loses the text that throws and keeps the others', () => {
    const tool = {
      title: 'It',
      inputSchema: { properties: { a: {} } },
      get description() {
        return fail();
      },
      get mcpMetadata() {
        return fail();
      },
    };
    const { document, problem } = toolDocument('a', tool);
    expect(document).toMatchObject({ description: '', title: 'It', server: '', parameters: [{ name: 'a' }] });
    expect(problem).toBe('not today');
  });

  it.each([
    { why: 'a text', value: 'plain', problem: 'plain' },
    { why: 'nothing', value: undefined, problem: 'undefined' },
    { why: 'a symbol', value: Symbol('odd'), problem: 'Symbol(odd)' },
  ])('may throw $why', ({ value, problem }) => {
    const inputSchema = () => {
      throw value;
    };
    expect(toolDocument('a', { inputSchema })).toMatchObject({ document: { parameters: [] }, problem });
  });

  it.each([
    { why: 'an object that is no text', value: Object.create(null) },
    { why: 'an error without a readable message', value: Object.defineProperty(new Error(), 'message', { get: fail }) },
  ])('may throw $why', ({ value }) => {
    const inputSchema = () => {
      throw value;
    };
    expect(toolDocument('a', { inputSchema }).document.parameters).toEqual([]);
  });

  it('may also be a Proxy that answers everything with itself', () => {
    const itself: object = new Proxy(() => {}, { get: () => itself, apply: () => itself });
    expect(
      toolDocument('a', { inputSchema: itself, description: itself, mcp: itself, title: itself }).document.parameters,
    ).toEqual([]);
  });
});

it('reads a tool without changing it', () => {
  const freeze = (value: object): object => {
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner) freeze(inner);
    return Object.freeze(value);
  };
  const inputSchema = freeze({
    properties: { a: { $ref: '#/$defs/A' } },
    $defs: { A: { enum: ['x'], properties: { b: {} } } },
  });
  expect(namesOf(inputSchema)).toEqual(['a', 'b']);
});
