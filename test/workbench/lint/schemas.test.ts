import { createTool } from '@mastra/core/tools';
import { type LintOptions, lint } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { realTools } from '../../support/real-tools.ts';
import { REFUSED_KINDS } from '../../support/strict-schemas.ts';

const TEXT = { type: 'string', description: 'A text.' };
const RULES = /^(?:refused-by-|foreign-|dangling-|unused-)/;
const tool = (inputSchema: unknown) => ({ name: 'make_page', description: 'Make a page of a wiki.', inputSchema });

async function found(inputSchema: unknown, options?: LintOptions) {
  return (await lint([tool(inputSchema)] as never, options)).filter(({ rule }) => RULES.test(rule));
}
const said = async (inputSchema: unknown, options?: LintOptions): Promise<string[]> =>
  (await found(inputSchema, options)).map(({ rule, severity, path }) => `${rule} ${severity} ${path}`);

describe('lint() and schemas', () => {
  it('names every kind that a provider refuses, where a provider reads it', async () => {
    for (const { kind, refusedBy, inputSchema } of REFUSED_KINDS.filter(({ isKnown }) => isKnown)) {
      const rules = (await found(inputSchema)).map(({ rule, severity }) => `${rule} ${severity}`);
      const expected = refusedBy.map((provider) => `refused-by-${provider} warning`);
      expect([kind, rules]).toEqual([kind, expect.arrayContaining(expected)]);
      expect([kind, await found(inputSchema, { mode: 'call' })]).toEqual([kind, []]);
    }
  });

  it('says where, and whether there is another form', async () => {
    const list = { type: 'array', items: TEXT };
    expect(await said(list)).toEqual([
      'refused-by-anthropic error inputSchema',
      'refused-by-openai error inputSchema',
      'refused-by-google error inputSchema',
      'refused-by-bedrock error inputSchema',
    ]);
    const [deep] = await found({ type: 'object', properties: { rows: { type: 'array', items: { type: 'array' } } } });
    expect(deep).toMatchObject({
      ...{ rule: 'refused-by-openai', path: 'rows[]', severity: 'warning' },
      evidence: 'OpenAI refuses the schema: it has an array without "items".',
    });
  });

  it.each([
    ['draft 2019-09', 'foreign-dialect', { $schema: 'https://json-schema.org/draft/2019-09/schema' }, {}],
    ['draft 4', 'foreign-dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }, {}],
    ['a reference to nothing', 'dangling-reference', {}, { other: { $ref: '#/$defs/Gone' } }],
    ['a reference elsewhere', 'dangling-reference', {}, { other: { $ref: 'https://example.com/page.json' } }],
    ["Python's groups", 'foreign-pattern', {}, { id: { ...TEXT, pattern: '^(?P<id>a+)$' } }],
    ["Python's ends", 'foreign-pattern', {}, { id: { ...TEXT, pattern: String.raw`\Aa+\Z` } }],
  ])('%s: %s, whose calls Mastra refuses all', async (_, rule, more, properties) => {
    const inputSchema = { type: 'object', ...more, properties: { text: TEXT, ...properties } };
    expect((await found(inputSchema)).map((one) => `${one.rule} ${one.severity}`)).toEqual([`${rule} error`]);
    const made = createTool({ id: 'a', description: 'a', inputSchema, execute: async () => 'ran' } as never);
    expect(await made.execute?.({ text: 'a' } as never, {} as never)).toMatchObject({ error: true });
  });

  it('knows dialects, references and patterns that are fine', async () => {
    const dialects = [
      ...['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'],
      'http://json-schema.org/draft-07/schema',
    ];
    for (const $schema of dialects) {
      const inputSchema = {
        ...{
          $schema,
          type: 'object',
          $defs: { Tree: { type: 'object', properties: { of: { $ref: '#/$defs/Tree' } } } },
        },
        properties: {
          tree: { $ref: '#/$defs/Tree' },
          own: { $ref: '#/properties/id' },
          id: { ...TEXT, pattern: '^[a-z-]+$' },
        },
      };
      expect(await said(inputSchema)).toEqual([]);
      const made = createTool({ id: 'a', description: 'a', inputSchema, execute: async () => 'ran' } as never);
      expect(await made.execute?.({ id: 'a' } as never, {} as never)).toBe('ran');
    }
    // Zod validates for itself, and reads patterns without a flag.
    expect(await said(z.object({ id: z.string().regex(/^[\w-.]+$/) }))).toEqual([]);
  });

  it('counts definitions that nothing uses, and leaves alone what may be used', async () => {
    const $defs = { Used: TEXT, Gone: { ...TEXT, title: 'x'.repeat(1_000) } };
    const properties = { text: { $ref: '#/$defs/Used' } };
    expect(await found({ type: 'object', properties, $defs })).toMatchObject([
      {
        rule: 'unused-definitions',
        severity: 'info',
        evidence: expect.stringMatching(/^1,0\d\d characters .*"Gone"\.$/),
      },
    ]);
    expect(
      await said({
        type: 'object',
        properties: { text: { $ref: '#gone' } },
        $defs: { Gone: { ...TEXT, $anchor: 'gone' } },
      }),
    ).toEqual([]);
  });

  it('has nothing to say of tools of public servers, but for definitions that come with each of them', async () => {
    const tools = realTools().filter(({ id }, at) => at % 3 === 0 || id.startsWith('notion'));
    const rules = (await lint(tools as never)).flatMap(({ rule, toolName }) =>
      RULES.test(rule) ? [`${rule} ${toolName.split('_')[0]}`] : [],
    );
    expect(rules.filter((one) => /refused-by-(?:anthropic|bedrock)|foreign|dangling/.test(one))).toEqual([]);
    expect(new Set(rules.filter((one) => one.startsWith('unused-')))).toEqual(new Set(['unused-definitions notion']));
  });
});
