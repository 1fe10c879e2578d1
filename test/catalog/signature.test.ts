import { createTool } from '@mastra/core/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Session } from '../meta-tools/session.ts';
import { anyText } from '../support/any-text.ts';
import { realTools } from '../support/real-tools.ts';
import { raw } from './catalogs.ts';

/** Finds everything. */
const scorer = {
  name: 'everything',
  index: (documents: readonly { name: string }[]) => ({
    search: () => documents.map(({ name }) => ({ name, score: 1 })),
  }),
};

/** The signature of a tool, as the result of a search shows it where no definition has room. */
async function signatureOf(tool: object): Promise<string> {
  const options = { mode: 'call', search: { scorer, topK: 1, schemaTokens: 0 }, onEvent: () => {} } as const;
  const { results } = await new Session({ tools: { t: tool } as never, ...options }).search({ query: 't' });
  return results[0]?.signature ?? '';
}
/** That of a tool with this JSON schema. */
const parameters = (inputSchema: unknown): Promise<string> => signatureOf(raw({ description: 'It.', inputSchema }));

const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
});

describe('the signature of a tool', () => {
  it('has what is required first, and no type for a text', async () => {
    const inputSchema = z.object({ units: z.enum(['c', 'f']).optional(), city: z.string(), days: z.number().int() });
    const tool = createTool({ id: 't', description: 'Get the weather.', inputSchema, execute: async () => ({}) });
    expect(await signatureOf(tool)).toBe("(city, days: number, units?: 'c' | 'f')");
  });

  it.each<[schema: unknown, shown: string]>([
    [undefined, '()'],
    [object({}), '()'],
    ['schema', '()'],
    [{ type: 'string' }, '()'],
    [object({ 'a b': {}, 'x-y': {}, $z: {} }), '("a b"?, x-y?, $z?)'],
    [
      object({ 'say "hi"': {}, "it's": {}, 'a\nb': {}, ' a': {} }),
      String.raw`("say \"hi\""?, "it's"?, "a\nb"?, " a"?)`,
    ],
    [
      object({ '</tag>': {}, 'a\u200bb': {}, 'a\u2028b': {}, '\u{E0049}': {}, '\ud800': {}, größe: {} }),
      String.raw`("\u003c/tag\u003e"?, "a\u200bb"?, "a\u2028b"?, "\udb40\udc49"?, "\ud800"?, "größe"?)`,
    ],
    [object({ ['x'.repeat(500)]: {} }), `("${'x'.repeat(37)}..."?)`],
    [object({ ['\u200b'.repeat(40)]: {}, b: {} }), '(…)'],
    [{ ...object({ a: {} }), required: 'a' }, '(a?)'],
  ])('of %j is %s', async (schema, shown) => {
    expect(await parameters(schema)).toBe(shown);
  });

  it.each<[schema: unknown, type: string]>([
    [{ type: 'string' }, 'a'],
    [{}, 'a'],
    [true, 'a'],
    [{ type: 'odd' }, 'a'],
    [{ type: 'integer' }, 'a: number'],
    [{ type: 'boolean' }, 'a: boolean'],
    [{ type: ['string', 'null'] }, 'a'],
    [{ type: ['number', 'null'] }, 'a: number'],
    [{ type: ['number', 'string'] }, 'a: number | string'],
    [{ type: 'array' }, 'a: any[]'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'a: number[][]'],
    [{ type: 'array', items: { enum: ['x', 'y'] } }, "a: ('x' | 'y')[]"],
    [{ type: 'array', items: object({ x: {}, y: {} }, ['x']) }, 'a: { x, y? }[]'],
    [object({ x: object({ y: object({ z: {} }) }) }), 'a: { x?: { y?: object } }'],
    [{ type: 'object' }, 'a: object'],
    [{ properties: { x: {} } }, 'a: { x? }'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: {} }] }, 'a: string | any[]'],
    [{ oneOf: [{ type: 'null' }, { type: 'boolean' }] }, 'a: boolean'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'a'],
    [{ anyOf: [] }, 'a'],
    [{ enum: ['x', 1, true, null] }, "a: 'x' | 1 | true"],
    [{ const: 'only' }, "a: 'only'"],
    [{ enum: ['>', '<=', '<b>'] }, "a: '>' | '<=' | string"],
    [{ enum: ["it's", 'x\ny', 'x'.repeat(41)] }, 'a'],
    [{ enum: [{}] }, 'a'],
    [{ enum: [...'abcdefghij'] }, "a: 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | …"],
  ])('tells the type of %j', async (schema, type) => {
    expect(await parameters(object({ a: schema }, ['a']))).toBe(`(${type})`);
  });

  it('says where a schema cannot be read, follows references, and ends in a circle', async () => {
    expect(await parameters(new Proxy({}, { get: () => JSON.parse('broken') }))).toBe('(…)');
    const tree = { anyOf: [{ $ref: '#/$defs/tree' }, object({ left: { $ref: '#/$defs/tree' } })] };
    const $defs = { unit: { enum: ['c', 'f'] }, tree };
    const properties = { unit: { $ref: '#/$defs/unit' }, tree: { $ref: '#/$defs/tree' } };
    expect(await parameters({ ...object(properties), $defs })).toBe("(unit?: 'c' | 'f', tree?)");
  });

  it.each<[count: number, value: string | number, shown: RegExp, why: string]>([
    [1, 'value_', /^\(p0\?: 'value_0' \| .*'value_7'\)$/, 'there is room for all'],
    [2, 'value_', /p0\?: 'value_0' \| 'value_1' \| 'value_2' \| …, p1/, 'with few values'],
    [4, 'value_', /^\(p0\?, p1\?, p2\?, p3\?\)$/, 'without values'],
    [40, 'value_', /^\(p0\?, p1\?, .*p2\d\?, …\)$/, 'without all parameters'],
    [8, 1_000_000, /p0\?: number, p1\?: number/, 'numbers in place of their values'],
  ])('tells of %d parameters with the values %s… as much as has room', async (count, value, shown) => {
    const listed = Array.from({ length: 8 }, (_, n) => (typeof value === 'number' ? value + n : `${value}${n}`));
    const names = Array.from({ length: count }, (_, n) => [`p${n}`, { enum: listed }]);
    expect(await parameters(object(Object.fromEntries(names)))).toMatch(shown);
  });

  it('leaves out the fields of an object before the values of others', async () => {
    const units = { enum: Array.from({ length: 6 }, (_, n) => `value_number_${n}`) };
    const filter = object({ ['long'.repeat(9)]: {} });
    expect(await parameters(object({ filter, units }))).toMatch(/^\(filter\?: object, units\?: 'value_number_0' \| /);
  });

  it('is one bounded line that closes no tag, whatever a schema holds', async () => {
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
    await fc.assert(
      fc.asyncProperty(schema, async (inputSchema) => {
        const text = await parameters(inputSchema);
        expect(text.length).toBeLessThanOrEqual(160);
        expect(text).not.toMatch(/[\n\r\u2028\p{Surrogate}]|<\/?\w/u);
      }),
      { numRuns: 50 },
    );
  });

  it('is there for every tool of real servers', async () => {
    for (const tool of realTools().filter((_, at) => at % 3 === 0)) {
      const text = await signatureOf(tool);
      expect(text.length).toBeLessThanOrEqual(160);
      expect(text).toMatch(/^\((?!…\)).*\)$/);
    }
  });
});
