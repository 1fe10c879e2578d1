import { createTool } from '@mastra/core/tools';
import fc from 'fast-check';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signatureOf } from '../../src/catalog/signature.ts';
import { anyText } from '../support/any-text.ts';
import { realTools } from '../support/real-tools.ts';

/** The parameters of a tool with this JSON schema, as its signature has them. */
const parameters = (inputSchema: unknown, name = 't'): string =>
  signatureOf({ name, tool: { id: name, inputSchema } as unknown as MastraTool }).slice(name.length);

const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
});
/** The type that a signature gives a parameter. */
const typeOf = (schema: unknown): string => parameters(object({ a: schema }, ['a'])).slice(1, -1);

describe('the signature of a tool', () => {
  it('has what is required first, and no type for a text', () => {
    const tool = createTool({
      id: 'get_weather',
      description: 'Get the weather.',
      inputSchema: z.object({ units: z.enum(['c', 'f']).optional(), city: z.string(), days: z.number().int() }),
      execute: async () => ({}),
    });
    expect(signatureOf({ name: 'get_weather', tool: tool as never })).toBe(
      "get_weather(city, days: number, units?: 'c' | 'f')",
    );
  });

  it('is remembered for a name', () => {
    const tool = { id: 'a', inputSchema: object({ city: { type: 'string' } }) } as unknown as MastraTool;
    expect(signatureOf({ name: 'a', tool })).toBe('a(city?)');
    expect(signatureOf({ name: 'b', tool })).toBe('b(city?)');
  });

  it.each([
    { schema: undefined, shown: '()', why: 'no schema' },
    { schema: object({}), shown: '()', why: 'no parameters' },
    { schema: 'schema', shown: '()', why: 'no object' },
    { schema: { type: 'string' }, shown: '()', why: 'no object' },
    { schema: object({ 'a b': {}, 'x-y': {}, $z: {} }), shown: '("a b"?, x-y?, $z?)', why: 'odd names in quotes' },
    {
      schema: object({ 'say "hi"': {}, "it's": {}, 'a\nb': {}, ' a': {} }),
      shown: String.raw`("say \"hi\""?, "it's"?, "a\nb"?, " a"?)`,
      why: 'names with quotes, line breaks and spaces, as they are',
    },
    {
      schema: object({ '</tag>': {}, 'a\u200bb': {}, 'a\u2028b': {}, '\u{E0049}': {}, '\ud800': {}, größe: {} }),
      shown: String.raw`("\u003c/tag\u003e"?, "a\u200bb"?, "a\u2028b"?, "\udb40\udc49"?, "\ud800"?, "größe"?)`,
      why: 'names with what is not seen, escaped',
    },
    { schema: object({ ['x'.repeat(500)]: {} }), shown: `("${'x'.repeat(37)}..."?)`, why: 'a long name, cut' },
    { schema: object({ ['\u200b'.repeat(40)]: {}, b: {} }), shown: '(…)', why: 'a name without room' },
    { schema: { ...object({ a: {} }), required: 'a' }, shown: '(a?)', why: 'what is required is no list' },
  ])('of $why ends in $shown', ({ schema, shown }) => {
    expect(parameters(schema)).toBe(shown);
  });

  it('says where a schema cannot be read', () => {
    const inputSchema = {
      get properties(): object {
        throw new Error('broken');
      },
    };
    expect(parameters(inputSchema)).toBe('(…)');
  });

  it.each([
    { schema: { type: 'string' }, type: 'a' },
    { schema: {}, type: 'a' },
    { schema: true, type: 'a' },
    { schema: { type: 'odd' }, type: 'a' },
    { schema: { type: 'integer' }, type: 'a: number' },
    { schema: { type: 'boolean' }, type: 'a: boolean' },
    { schema: { type: ['string', 'null'] }, type: 'a' },
    { schema: { type: ['number', 'null'] }, type: 'a: number' },
    { schema: { type: ['number', 'string'] }, type: 'a: number | string' },
    { schema: { type: 'array' }, type: 'a: any[]' },
    { schema: { type: 'array', items: { type: 'string' } }, type: 'a: string[]' },
    { schema: { type: 'array', items: { type: 'array', items: { type: 'number' } } }, type: 'a: number[][]' },
    { schema: { type: 'array', items: { enum: ['x', 'y'] } }, type: "a: ('x' | 'y')[]" },
    { schema: { type: 'array', items: object({ x: {}, y: {} }, ['x']) }, type: 'a: { x, y? }[]' },
    { schema: object({ x: object({ y: object({ z: {} }) }) }), type: 'a: { x?: { y?: object } }' },
    { schema: { type: 'object' }, type: 'a: object' },
    { schema: { properties: { x: {} } }, type: 'a: { x? }' },
    { schema: { anyOf: [{ type: 'string' }, { type: 'array', items: {} }] }, type: 'a: string | any[]' },
    { schema: { oneOf: [{ type: 'null' }, { type: 'boolean' }] }, type: 'a: boolean' },
    { schema: { anyOf: [{ type: 'string' }, {}] }, type: 'a' },
    { schema: { anyOf: [] }, type: 'a' },
    { schema: { enum: ['x', 1, true, null] }, type: "a: 'x' | 1 | true" },
    { schema: { const: 'only' }, type: "a: 'only'" },
    { schema: { enum: ['>', '<=', '<b>'] }, type: "a: '>' | '<=' | string" },
    { schema: { enum: ["it's", 'x\ny', 'x'.repeat(41)] }, type: 'a' },
    { schema: { enum: [{}] }, type: 'a' },
    { schema: { enum: [...'abcdefghij'] }, type: "a: 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | …" },
  ])('tells the type of $schema', ({ schema, type }) => {
    expect(typeOf(schema)).toBe(type);
  });

  it('follows references, and ends in a circle', () => {
    const schema = {
      ...object({ unit: { $ref: '#/$defs/unit' }, tree: { $ref: '#/$defs/tree' } }),
      $defs: {
        unit: { enum: ['c', 'f'] },
        tree: { anyOf: [{ $ref: '#/$defs/tree' }, object({ left: { $ref: '#/$defs/tree' } })] },
      },
    };
    expect(parameters(schema)).toBe("(unit?: 'c' | 'f', tree?)");
  });

  it.each([
    { count: 1, values: 8, shown: "('value_0' | 'value_1' | .*'value_7')", why: 'there is room for all' },
    { count: 2, values: 8, shown: "p0\\?: 'value_0' | 'value_1' | 'value_2' | …, p1", why: 'with few values' },
    { count: 4, values: 8, shown: '^\\(p0\\?, p1\\?, p2\\?, p3\\?\\)$', why: 'without values' },
    { count: 40, values: 8, shown: '^\\(p0\\?, p1\\?, .*p2\\d\\?, …\\)$', why: 'without all parameters' },
  ])('tells of $count parameters as much as has room: $why', ({ count, values, shown }) => {
    const listed = Array.from({ length: values }, (_, n) => `value_${n}`);
    const names = Array.from({ length: count }, (_, n) => [`p${n}`, { enum: listed }]);
    expect(parameters(object(Object.fromEntries(names)))).toMatch(new RegExp(shown.replaceAll('|', '\\|')));
  });

  it('leaves out the fields of an object before the values of others', () => {
    const units = { enum: Array.from({ length: 6 }, (_, n) => `value_number_${n}`) };
    const filter = object({ ['long'.repeat(9)]: {} });
    expect(parameters(object({ filter, units }))).toMatch(/^\(filter\?: object, units\?: 'value_number_0' \| /);
  });

  it('leaves numbers in place of their values, where there is no room for these', () => {
    const numbers = { enum: Array.from({ length: 9 }, (_, n) => 1_000_000 + n) };
    const names = Array.from({ length: 8 }, (_, n) => [`p${n}`, numbers]);
    expect(parameters(object(Object.fromEntries(names)))).toContain('p0?: number, p1?: number');
  });

  it('is one bounded line that closes no tag, whatever a schema holds', () => {
    const leaf = fc.oneof(
      fc.record({ type: fc.constantFrom('string', 'number', 'array', 'object', 'null') }),
      fc.record({ enum: fc.array(fc.oneof(anyText(), fc.integer(), fc.constant(null)), { maxLength: 12 }) }),
      fc.anything(),
    );
    const { schema } = fc.letrec<{ schema: unknown; properties: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 4 }) }),
        fc.record({ properties: tie('properties'), required: fc.array(anyText()) }),
      ),
      properties: fc.dictionary(anyText(), tie('schema'), { maxKeys: 30 }),
    }));
    fc.assert(
      fc.property(anyText(), schema, (name, inputSchema) => {
        const text = signatureOf({ name, tool: { inputSchema } as unknown as MastraTool });
        expect(text.length).toBeLessThanOrEqual(160);
        expect(text).not.toMatch(/[\n\r\u2028\p{Surrogate}]|<\/?\w/u);
      }),
    );
  });

  it('is there for every tool of real servers', () => {
    for (const tool of realTools()) {
      const text = signatureOf({ name: tool.id, tool });
      expect(text.length).toBeLessThanOrEqual(160);
      expect(text).not.toContain('(…)');
    }
  });
});
