import { describe, expect, it } from 'vitest';
import { Catalog } from '../../src/catalog/catalog.ts';
import { CatalogReporter } from '../../src/catalog/catalog-reporter.ts';
import { Reporter } from '../../src/events.ts';
import { MARK, type Mark, type Run } from '../../src/mastra/marks.ts';
import { Separation } from '../../src/mastra/separation.ts';
import { RecordSnapshot } from '../../src/record.ts';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/harness.ts';

const owner = {};
const isLoaded = (): boolean => false;
const request = (): object => ({});
const emptyCatalog = (): Catalog => new Catalog(new Map(), new Map(), new CatalogReporter(new Reporter(), new Map()));

/** A tool as it comes back from Mastra. */
function handed(name: string, run: Run, kind: Mark['kind'] = 'converted', of: object = owner): object {
  return { [MARK]: { owner: of, name, run, kind } satisfies Mark };
}

/** A tool that counts how often it is looked at. */
function watched(): { tool: object; looks: () => number } {
  let looks = 0;
  const subject = {
    execute: async () => 'ran',
    get onOutput() {
      looks += 1;
      return undefined;
    },
  };
  return { tool: subject, looks: () => looks };
}

describe('a snapshot of a record', () => {
  const a = tool('a');
  const b = tool('b');
  const of = (record: Record<string, unknown>) => new RecordSnapshot(record, () => {});

  it('tells each entry, in order', () => {
    const told: unknown[] = [];
    new RecordSnapshot({ x: a, y: undefined }, (key, value) => told.push([key, value]));
    expect(told).toEqual([
      ['x', a],
      ['y', undefined],
    ]);
  });

  it.each([
    { why: 'an equal record', next: { a, b }, is: true },
    { why: 'another order', next: { b, a }, is: false },
    { why: 'one more', next: { a, b, c: a }, is: false },
    { why: 'one less', next: { a }, is: false },
    { why: 'another key', next: { a, c: b }, is: false },
    { why: 'another value', next: { a, b: tool('b') }, is: false },
    { why: 'nothing', next: {}, is: false },
  ])('is still $is for $why', ({ next, is }) => {
    expect(of({ a, b }).isStill(next)).toBe(is);
  });

  it('does not follow what is done to the record afterwards', () => {
    const record: Record<string, unknown> = { a, b };
    const snapshot = of(record);
    record['b'] = a;
    expect(snapshot.isStill(record)).toBe(false);
    expect(snapshot.isStill({ a, b })).toBe(true);
  });

  it('tells undefined from what is not there', () => {
    expect(of({ a: undefined }).isStill({ b: undefined })).toBe(false);
    expect(of({}).isStill({})).toBe(true);
  });
});

describe('what a step received is taken apart', () => {
  it('into own tools and handed ones, with the catalog of the run', () => {
    const catalog = emptyCatalog();
    const run: Run = { requestContext: undefined, catalog };
    const tools = { own: tool('own'), mine: handed('mine', run), theirs: handed('theirs', run, 'converted', {}) };
    const separated = new Separation(owner).separate(request(), tools, isLoaded);
    expect(separated.own).toEqual({ own: tools.own, theirs: tools.theirs });
    expect(separated.handed.get('mine')?.tool).toBe(tools.mine);
    expect(separated.handed.get('theirs')).toBeUndefined();
    expect(separated.handed.get('constructor')).toBeUndefined();
    expect(separated.catalog).toBe(catalog);
    expect(run.isLoaded).toBe(isLoaded);
  });

  it('once, as long as it is the same', () => {
    const separation = new Separation(owner);
    const { tool: subject, looks } = watched();
    const same = request();
    const first = separation.separate(same, { subject }, isLoaded);
    for (let step = 0; step < 5; step++) expect(separation.separate(same, { subject }, isLoaded)).toBe(first);
    expect(looks()).toBe(1);
    separation.separate(same, { subject, more: tool('more') }, isLoaded);
    expect(looks()).toBe(2);
  });

  it('for each request by itself', () => {
    const separation = new Separation(owner);
    const tools = { own: tool('own') };
    expect(separation.separate(request(), tools, isLoaded)).not.toBe(separation.separate(request(), tools, isLoaded));
  });

  it('and the guards of its run ask the latest step, whether or not anything is new', () => {
    const separation = new Separation(owner);
    const run: Run = { requestContext: undefined };
    const tools = { mine: handed('mine', run) };
    const same = request();
    separation.separate(same, tools, () => false);
    expect(run.isLoaded?.('mine')).toBe(false);
    separation.separate(same, tools, () => true);
    expect(run.isLoaded?.('mine')).toBe(true);
  });

  it('without tools', () => {
    const { own, handed: none, catalog } = new Separation(owner).separate(request(), undefined, isLoaded);
    expect([own, none.get('a'), catalog]).toEqual([{}, undefined, undefined]);
  });

  it('anew where the tools have changed, in the same object too', () => {
    const separation = new Separation(owner);
    const same = request();
    const tools: Record<string, unknown> = toolRecord(tool('a'));
    const { own } = separation.separate(same, tools, isLoaded);
    tools['b'] = tool('b');
    expect(Object.keys(separation.separate(same, tools, isLoaded).own)).toEqual(['a', 'b']);
    expect(Object.keys(own)).toEqual(['a']);
  });
});

describe('the steps of a request with includeResolvedTools', () => {
  it('look at the tools of the request once, and again where these have changed', async () => {
    const session = new Session({ includeResolvedTools: true });
    const { tool: subject, looks } = watched();
    await session.step({ tools: { subject } });
    const once = looks();
    for (let step = 0; step < 5; step++) await session.step({ tools: { subject } });
    expect(looks()).toBe(once);
    await session.step({ tools: { subject, more: tool('more') } });
    expect(looks()).toBeGreaterThan(once);
  });

  it('see a tool that comes, goes and is replaced from step to step', async () => {
    const session = new Session({ includeResolvedTools: true, search: { autoLoad: true } });
    const [first, second] = [tool('mine', 'Mine.'), tool('mine', 'Mine.')];
    const { tools } = await session.step({ tools: { mine: first } });
    await tools['search_tools']?.execute?.({ query: 'mine' } as never, {} as never);
    expect((await session.step({ tools: { mine: first } })).tools['mine']).toBe(first);
    expect((await session.step({ tools: { mine: second } })).tools['mine']).toBe(second);
    expect((await session.step({ tools: {} })).tools['mine']).toBeUndefined();
    expect((await session.step({ tools: { mine: first } })).tools['mine']).toBe(first);
  });
});
