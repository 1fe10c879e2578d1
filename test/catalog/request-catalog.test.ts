import type { ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import { Reporter } from '../../src/events/reporter.ts';
import { atOnce, stopsOf } from '../scorers/at-once.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { catalogOf, nameless, RESERVED } from './build.ts';

describe('the documents of a catalog', () => {
  it('hold data only, never the tool', () => {
    const { catalog } = catalogOf({ a: tool('a'), b: nameless() });
    const documents = atOnce(catalog.readDocuments());
    expect(documents).toHaveLength(2);
    expect(JSON.parse(JSON.stringify(documents))).toEqual(documents);
  });

  it('are read once for each catalog, and once for a tool in many catalogs', () => {
    let reads = 0;
    const counted = {
      description: 'Counts.',
      get inputSchema(): unknown {
        reads++;
        return { type: 'object', properties: {} };
      },
      execute: async () => 'ran',
    };
    const { catalog } = catalogOf({ a: tool('a'), counted });
    const first = atOnce(catalog.readDocuments());
    const after = reads;
    expect(after).toBeGreaterThan(0);
    expect(atOnce(catalog.readDocuments())).toBe(first);
    const view = atOnce(catalog.withResolved({ mine: tool('mine') }).readDocuments());
    expect(reads).toBe(after);
    expect(view.slice(0, 2)).toEqual(first);
    expect(view[1]).toBe(first[1]);
  });

  it('have the name of a tool in each catalog, where it has several', () => {
    const shared = nameless();
    const base = catalogOf({ a: tool('a') }).catalog;
    const names = ['one', 'two', 'one'].map((name) => {
      const documents = atOnce(base.withResolved({ [name]: shared }).readDocuments());
      return documents.at(-1)?.name;
    });
    expect(names).toEqual(['one', 'two', 'one']);
  });

  it('can be read in slices, by two searches at once', () => {
    const { catalog } = catalogOf(toolRecord(...Array.from({ length: 200 }, (_, n) => tool(`tool_${n}`))));
    const [one, other] = [catalog.readDocuments(), catalog.readDocuments()];
    one.next();
    other.next();
    const [first, second] = [atOnce(one), atOnce(other)];
    expect(first.map(({ name }) => name)).toEqual([...catalog.names]);
    expect(second).toEqual(first);
    const anew = catalogOf(toolRecord(...Array.from({ length: 200 }, (_, n) => tool(`tool_${n}`)))).catalog;
    expect(stopsOf(anew.readDocuments())).toBeGreaterThanOrEqual(Math.floor(200 / 32));
  });

  it('lack the parameters of a broken schema, which is reported once', () => {
    const broken = {
      description: 'Odd.',
      get inputSchema(): unknown {
        throw new Error('no schema today');
      },
      execute: async () => 'ran',
    };
    const events: ToolSearchEvent[] = [];
    const reporter = new Reporter((event) => events.push(event));
    const catalog = readCatalog(listedTools({ a: tool('a') }), { reservedNames: RESERVED, reporter }).withResolved({
      broken,
    });
    expect(atOnce(catalog.readDocuments()).map(({ name, parameters }) => [name, parameters.length])).toEqual([
      ['a', 1],
      ['broken', 0],
    ]);
    atOnce(catalog.readDocuments());
    expect(events).toMatchObject([{ toolName: 'broken', problem: 'unreadable-schema' }]);
    expect(events[0]).toHaveProperty('message', expect.stringContaining('no schema today'));
  });
});

describe('the tools of a request', () => {
  const base = () => catalogOf({ a: tool('a'), key: tool('b') });

  it('come after the constructor tools, under their id, and are found by their record key', () => {
    const view = base().catalog.withResolved({ sendEmail: tool('other_id') });
    expect([...view.names]).toEqual(['a', 'b', 'other_id']);
    expect(view.get('sendEmail')).toMatchObject({ name: 'other_id', key: 'sendEmail', isResolved: true });
    expect(view.get('other_id')).toBe(view.get('sendEmail'));
    expect([...view.spellings()]).toEqual(['a', 'b', 'other_id', 'key', 'sendEmail']);
    expect(view.spellingsOf('other_id')).toEqual(['other_id', 'sendEmail']);
  });

  it('replace constructor tools of the same name, and win over their record keys', () => {
    const { catalog } = base();
    const view = catalog.withResolved({ a: tool('mine'), key: tool('mine_too') });
    expect([...view.names]).toEqual(['b', 'mine', 'mine_too']);
    expect(view.get('a')?.tool.id).toBe('mine');
    expect(view.get('key')?.tool.id).toBe('mine_too');
    expect(catalog.withResolved({ other: tool('a', 'Mine.') }).get('a')?.description).toBe('Mine.');
    expect(catalog.get('a')?.tool.id).toBe('a');
    expect(catalog.get('key')?.tool.id).toBe('b');
  });

  it('report a missing description once over all requests', () => {
    const { catalog, events } = base();
    for (let request = 0; request < 3; request++) catalog.withResolved({ mine: tool('mine', '') });
    expect(events).toMatchObject([{ toolName: 'mine', problem: 'missing-description' }]);
  });

  it('leave out what is no tool', () => {
    expect([...base().catalog.withResolved({ x: null, y: 'text', z: {} }).names]).toEqual(['a', 'b']);
  });

  it('never include a tool under an empty key for an unknown name', () => {
    const view = base().catalog.withResolved({ '': tool('empty') });
    expect(view.get('unknown')).toBeUndefined();
  });
});
