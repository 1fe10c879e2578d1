import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ToolDocument, ToolScorer } from 'mastra-tool-search';
import { hybridScorer } from 'mastra-tool-search/semantic';
import { beforeEach, describe, expect, it } from 'vitest';
import type { IncrementalIndex, ScorerFault, ToolIndex } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { document } from '../fixtures/tools.ts';

const documents: readonly ToolDocument[] = ['a', 'b', 'c'].map((name) => document(name));
const namesIn = (list: readonly ToolDocument[]): string => list.map(({ name }) => name).join();

let log: string[] = [];
const faults: ScorerFault[] = [];
const context = { report: (fault: ScorerFault): void => void faults.push(fault) };

beforeEach(() => {
  log = [];
  faults.length = 0;
});

type Update = IncrementalIndex['update'];

/** Finds each of its documents, the last first, and notes what it is asked to make. */
function part(name: string, update?: (from: readonly ToolDocument[], made: typeof indexOf) => Update): ToolScorer {
  const made = indexOf.bind(undefined, update);
  return {
    name,
    index(list) {
      log.push(`${name}: index ${namesIn(list)}`);
      return made(list);
    },
  };
}

function indexOf(
  update: ((from: readonly ToolDocument[], made: typeof indexOf) => Update) | undefined,
  list: readonly ToolDocument[],
): IncrementalIndex {
  const matches = list.map((entry, position) => ({ name: entry.name, score: position + 1 })).reverse();
  const own = update?.(list, indexOf);
  return { search: () => matches, ...(own ? { update: own } : {}) };
}

const updating = (name: string): ToolScorer =>
  part(name, function update(from, made): Update {
    return (added, removed) => {
      log.push(`${name}: update +${namesIn(added)} -${removed.join()}`);
      return made(update, [...from.filter((entry) => !removed.includes(entry.name)), ...added]);
    };
  });

const ask = async (index: ToolIndex | undefined, text = 'query'): Promise<string> =>
  ((await index?.search(parseQuery(text))) ?? []).map(({ name }) => name).join();

/** One tool is replaced, one goes, one comes. */
const ADDED = [document('d'), document('b', 'New.')];
const change = (index: IncrementalIndex) => index.update?.(ADDED, ['b', 'c']);

describe('an update of a hybrid', () => {
  it('updates the parts that can be, and builds the others anew', async () => {
    const index = await hybridScorer([updating('can'), part('cannot')]).index(documents, context);
    log = [];
    const changed = await change(index);
    expect([...log].sort()).toEqual(['can: update +d,b -b,c', 'cannot: index a,d,b']);
    expect([await ask(index), await ask(changed)]).toEqual(['c,b,a', 'b,d,a']);
    expect(faults).toEqual([]);
  });

  it('updates what was updated', async () => {
    const index = await hybridScorer([updating('one'), updating('two')]).index(documents, context);
    const changed = await change(index);
    log = [];
    const again = await changed?.update?.([document('e')], ['a']);
    expect([...log].sort()).toEqual(['one: update +e -a', 'two: update +e -a']);
    expect([await ask(index), await ask(changed), await ask(again)]).toEqual(['c,b,a', 'b,d,a', 'e,b,d']);
  });

  it('knows the names that there are now', async () => {
    const index = await hybridScorer([updating('one'), updating('two')]).index(documents, context);
    const changed = await change(index);
    expect([await ask(index, 'a'), await ask(index, 'd')]).toEqual(['a,c,b', 'c,b,a']);
    expect([await ask(changed, 'd'), await ask(changed, 'c')]).toEqual(['d,b,a', 'b,d,a']);
  });

  it('keeps what each part counts', async () => {
    const first: ToolScorer = { name: 'first', index: () => ({ search: () => [{ name: 'a', score: 1 }] }) };
    const index = await hybridScorer([part('last'), first], { k: 0, weights: [1, 9] }).index(documents, context);
    const changed = await change(index);
    expect(await changed?.search(parseQuery('query'))).toEqual([
      { name: 'a', score: expect.closeTo(9.333 / 10, 3) },
      { name: 'b', score: expect.closeTo(1 / 10, 9) },
      { name: 'd', score: expect.closeTo(0.5 / 10, 9) },
    ]);
  });

  it.each([
    { why: 'at once', answer: undefined },
    { why: 'by promise', answer: Promise.resolve(undefined) },
  ])('builds a part anew that has no better way, as it says $why', async ({ answer }) => {
    const index = await hybridScorer([updating('can'), part('may', () => () => answer)]).index(documents, context);
    log = [];
    const changed = await change(index);
    expect(log).toContain('may: index a,d,b');
    expect(await ask(changed)).toBe('b,d,a');
    expect(faults).toEqual([]);
  });

  it('builds a part that had no index', async () => {
    let isDown = true;
    const flaky: ToolScorer = {
      name: 'flaky',
      index(list) {
        if (isDown) throw new Error('down');
        return updating('flaky').index(list);
      },
    };
    const index = await hybridScorer([part('other'), flaky]).index(documents, context);
    expect(faults.map(({ scorer }) => scorer)).toEqual(['flaky']);
    isDown = false;
    const changed = await change(index);
    expect(log).toContain('flaky: index a,d,b');
    expect([await ask(changed), faults.length]).toEqual(['b,d,a', 1]);
  });

  it('leaves out a part that fails, and reports it', async () => {
    let builds = 0;
    const flaky: ToolScorer = {
      name: 'flaky',
      index(list) {
        if (++builds > 1) throw new Error('down');
        return part('flaky').index(list);
      },
    };
    const index = await hybridScorer([updating('other'), flaky]).index(documents, context);
    expect(await ask(await change(index))).toBe('b,d,a');
    expect(faults).toEqual([{ scorer: 'flaky', error: new Error('down') }]);
  });

  it('fails when no part can be made', async () => {
    let isDown = false;
    const flaky: ToolScorer = {
      name: 'flaky',
      index(list) {
        if (isDown) throw new Error('down');
        return part('flaky').index(list);
      },
    };
    const index = await hybridScorer([flaky, flaky]).index(documents, context);
    isDown = true;
    await expect((async () => change(index))()).rejects.toThrow('No part could answer');
    expect(await ask(index)).toBe('c,b,a');
  });

  it('builds a part anew whose update fails', async () => {
    const broken = part('broken', () => () => Promise.reject(new Error('broken')));
    const index = await hybridScorer([updating('other'), broken]).index(documents, context);
    log = [];
    const changed = await change(index);
    expect(log).toContain('broken: index a,d,b');
    expect(faults).toEqual([{ scorer: 'broken', error: new Error('broken') }]);
    expect(await changed?.search(parseQuery('query'))).toHaveLength(3);
  });

  it('lets go of the indexes before', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const made: WeakRef<object>[] = [];
    const noted: ToolScorer = {
      name: 'noted',
      index(list) {
        const index: ToolIndex = { search: () => list.map(({ name }) => ({ name, score: 1 })) };
        made.push(new WeakRef(index));
        return index;
      },
    };
    const scorer = hybridScorer([part('other'), noted]);
    let index: IncrementalIndex | undefined = await scorer.index(documents, context);
    for (let n = 0; n < 3; n++) index = await index?.update?.([document(`new_${n}`)], []);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(await ask(index)).toContain('new_2');
    expect(made.map((reference) => reference.deref() !== undefined)).toEqual([false, false, false, true]);
  });
});
