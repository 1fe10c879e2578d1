import fc from 'fast-check';
import { ToolSearchError } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { documentOfTool } from '../../src/inspect/document.ts';
import { toInspectData } from '../../src/inspect/inspect-data.ts';
import { runToEnd } from '../../src/util/time-slices.ts';
import { anyText } from '../support/any-text.ts';
import { realTools } from '../support/real-tools.ts';

const catalogOf = (tools: object, keywords: Readonly<Record<string, readonly string[]>> = {}): Catalog =>
  readCatalog(listedTools(tools), { keywords: new Map(Object.entries(keywords)) });

/** What is left of a value that went to a page. */
const sent = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

describe('the data of a page', () => {
  it('lets the page search the same documents as the processor does, of the tools of public servers', () => {
    const catalog = catalogOf(Object.fromEntries(realTools().map((tool) => [tool.id, tool])));
    const { tools } = sent(toInspectData(catalog));
    expect(tools.map(documentOfTool)).toEqual(runToEnd(catalog.readDocuments()));
  });

  it('lets it search the same documents of any tools', () => {
    const text = anyText();
    const tool = fc.record({
      description: text,
      title: text,
      inputSchema: fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(text, fc.record({ description: text })),
      }),
      mcpMetadata: fc.record({ serverName: text, serverInstructions: text }),
      metadata: fc.record({ keywords: fc.array(text) }),
      _meta: fc.record({ 'anthropic/searchHint': fc.array(text) }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(tool, { maxLength: 4 }), fc.array(text, { maxLength: 3 }), (tools, keywords) => {
        const record = Object.fromEntries(tools.map((one, at) => [`tool_${at}`, one]));
        const catalog = catalogOf(record, { tool_0: keywords });
        expect(sent(toInspectData(catalog)).tools.map(documentOfTool)).toEqual(sent(runToEnd(catalog.readDocuments())));
      }),
    );
  });

  it('has the tools as the model is sent them', () => {
    const inputSchema = { type: 'object', properties: { to: { type: 'string', description: 'Who reads it.' } } };
    const catalog = catalogOf(
      { send_email: { description: ' Send an email. ', inputSchema, mcpMetadata: { serverName: 'mail' } } },
      { send_email: ['post'] },
    );
    expect(toInspectData(catalog)).toEqual({
      title: 'Tools',
      tools: [{ name: 'send_email', description: ' Send an email. ', inputSchema, group: 'mail', keywords: ['post'] }],
      scorers: [
        { name: 'bm25', isLocal: true },
        { name: 'tiered', isLocal: true },
      ],
      topK: 5,
    });
  });

  it('tells which tools come on demand', () => {
    const stub = { id: 'send_email', description: 'Send.', parameters: ['to'], resolve: () => ({ inputSchema: {} }) };
    expect(toInspectData(catalogOf({ send_email: stub })).tools).toMatchObject([
      { name: 'send_email', isLazyTool: true },
    ]);
  });

  it('leaves out a schema that is no JSON, or has no end, and says so', () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle['properties'] = { again: circle };
    const huge = { type: 'object', description: 'x'.repeat(600_000) };
    const { tools } = toInspectData(
      catalogOf({
        circle: { description: 'One.', inputSchema: circle },
        huge: { description: 'y'.repeat(200_000), inputSchema: huge },
      }),
    );
    expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([undefined, undefined]);
    expect(tools.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('circular'),
      'The input schema is too large to be shown.',
    ]);
    expect(tools[1]?.description).toHaveLength(100_000);
  });

  it('has the cases with their ids, by the names that the model calls, and refuses one that wants another tool', () => {
    const catalog = catalogOf({ mail: { id: 'send_email', description: 'Send.', inputSchema: {}, execute: () => 1 } });
    const cases = [{ query: 'write to a friend', relevant: ['mail'] }];
    expect(toInspectData(catalog, { cases }).cases).toEqual([
      { id: '1', query: 'write to a friend', relevant: ['send_email'], groups: [['send_email']] },
    ]);
    expect(() => toInspectData(catalog, { cases: [{ query: 'fly', relevant: ['book'] }] })).toThrow(ToolSearchError);
  });

  it('puts the scorers of the server first', () => {
    const scorers = [{ name: 'semantic', isLocal: false }];
    const data = toInspectData(catalogOf({}), { scorers, topK: 3, minConfidence: 0.4, title: 'Ours' });
    expect(data.scorers.map(({ name }) => name)).toEqual(['semantic', 'bm25', 'tiered']);
    expect(data).toMatchObject({ title: 'Ours', topK: 3, minConfidence: 0.4 });
  });
});
