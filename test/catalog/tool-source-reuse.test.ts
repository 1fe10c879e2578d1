import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { ToolSource } from '../../src/catalog/tool-source.ts';
import { Reporter } from '../../src/reporter.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { nameless } from './build.ts';

/** The catalogs of runs for which the function returns these, one after the other. */
async function catalogsOf(...results: object[]): Promise<Catalog[]> {
  const remaining = [...results];
  const settings = { reservedNames: [], keywords: new Map(), timeout: 1_000 };
  const source = new ToolSource(() => remaining.shift() as Record<string, MastraTool>, settings, new Reporter());
  const catalogs: Catalog[] = [];
  for (const _ of results) catalogs.push(await source.catalog(undefined));
  return catalogs;
}

const { a, b, c } = { a: tool('a'), b: tool('b'), c: tool('c') };
const bare = nameless();
const shared = tool('shared');
/** Of two users, and alike in all but who they are. */
const [ada, grace] = [tool('mine', 'Equal.'), tool('mine', 'Equal.')];

describe('the catalogs of two runs are one', () => {
  it.each([
    { why: 'the same tools in another record', first: { a, b }, second: { a, b } },
    { why: 'the same tools by server', first: { x: { a, b } }, second: { x: { a, b } } },
    { why: 'a tool that is wrapped', first: { bare }, second: { bare } },
  ])('for $why', async ({ first, second }) => {
    const [before, after] = await catalogsOf(first, second);
    expect(after).toBe(before);
  });

  it('for a user who comes again when another has come between, whichever tools they share', async () => {
    for (const of of [(mine: MastraTool) => ({ shared, mine }), (mine: MastraTool) => ({ mine, shared })]) {
      const [first, other, again] = await catalogsOf(of(ada), of(grace), of(ada));
      expect(again).toBe(first);
      expect(first?.get('mine')?.tool).toBe(ada);
      expect(other?.get('mine')?.tool).toBe(grace);
    }
  });
});

describe('the catalogs of two runs are two', () => {
  it.each([
    { why: 'equal tools that are others', first: toolRecord(tool('a')), second: toolRecord(tool('a')) },
    { why: 'one more', first: { a, b }, second: { a, b, c } },
    { why: 'one less', first: { a, b }, second: { a } },
    { why: 'another order', first: { a, b }, second: { b, a } },
    { why: 'another key', first: { one: bare }, second: { two: bare } },
    { why: 'another server', first: { x: { bare } }, second: { y: { bare } } },
    { why: 'the first tool of another user', first: { mine: ada, shared }, second: { mine: grace, shared } },
    { why: 'the last tool of another user', first: { shared, mine: ada }, second: { shared, mine: grace } },
    { why: 'one between of another user', first: { a, mine: ada, b }, second: { a, mine: grace, b } },
    { why: 'nothing', first: {}, second: {} },
  ])('for $why', async ({ first, second }) => {
    const [before, after] = await catalogsOf(first, second);
    expect(after).not.toBe(before);
  });
});
