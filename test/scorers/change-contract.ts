import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDocument } from '../../src/scorers/document.ts';
import type { IncrementalIndex, ToolIndex, ToolMatch, ToolScorer } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { changeOf, type History, histories, QUERIES } from './changing-catalogs.ts';

/** A catalog with its index. */
interface State {
  readonly documents: readonly ToolDocument[];
  readonly index: IncrementalIndex;
}

const CLOSE = 1e-9;
/** So many names have their confidence, and are explained. */
const FIRST = 3;

/** What `ranked` of an index promises. */
export function describeRanked(name: string, create: () => ToolScorer): void {
  const ranked = async (index: IncrementalIndex, text: string): Promise<Iterable<ToolMatch>> =>
    (await index.ranked?.(parseQuery(text))) ?? [];

  describe(`${name}: ranking one by one`, () => {
    it.each(QUERIES.concat('create issue', 'weather in Rome', '', '+github pull request'))(
      'gives what a search gives for "%s", as often as it is asked',
      async (text) => {
        const index: IncrementalIndex = await create().index(catalog);
        const expected = await index.search(parseQuery(text));
        for (let time = 0; time < 2; time++) expect([...(await ranked(index, text))]).toEqual(expected);
      },
    );

    it('gives the first ones when no more are wanted, and all to whoever asks next', async () => {
      const index: IncrementalIndex = await create().index(catalog);
      const query = parseQuery('list files of a github issue');
      const expected = await index.search(query);
      expect(expected.length).toBeGreaterThan(5);
      for (const count of [0, 1, 3, expected.length]) {
        const taken: ToolMatch[] = [];
        for (const match of (await index.ranked?.(query)) ?? []) {
          if (taken.length >= count) break;
          taken.push(match);
        }
        expect(taken).toEqual(expected.slice(0, count));
      }
      expect([...((await index.ranked?.(query)) ?? [])]).toEqual(expected);
      expect(await index.search(query)).toEqual(expected);
    });

    it('serves several at once, each from its own beginning', async () => {
      const index: IncrementalIndex = await create().index(catalog);
      const expected = await index.search(parseQuery('create issue'));
      const [first, second] = [await ranked(index, 'create issue'), await ranked(index, 'create issue')];
      const [one, other] = [first[Symbol.iterator](), second[Symbol.iterator]()];
      expect([one.next().value, one.next().value, other.next().value]).toEqual([...expected.slice(0, 2), expected[0]]);
      const last = await ranked(index, 'weather');
      expect([...last]).toEqual(await index.search(parseQuery('weather')));
      expect([one.next().value, other.next().value]).toEqual([expected[2], expected[1]]);
    });

    it('gives nothing of an empty catalog', async () => {
      const index = await create().index([]);
      for (const text of ['', 'mail', '+mail']) expect([...(await ranked(index, text))]).toEqual([]);
    });
  });
}

/** What `update` of an index promises. */
export function describeUpdates(name: string, create: () => ToolScorer, numRuns: number): void {
  describe(`${name}: an index of a catalog that changes`, () => {
    it('answers as one that is built anew, and the one before it as before', async () => {
      await fc.assert(
        fc.asyncProperty(histories, (history) => expectAsBuiltAnew(create(), history)),
        { numRuns },
      );
    });

    it('knows the words of the tools that it has, and guesses only at those', async () => {
      const pelican = document('pelican_feeder', 'Feeds a pelican, translating.');
      const others = [document('penguin', 'Feeds it.'), document('a', 'Translations.'), document('b', 'Pelikan.')];
      await expectAsBuiltAnew(create(), [[pelican, ...others], others, [pelican], others, [pelican, ...others], []]);
    });

    it('survives what changes nothing', async () => {
      await expectAsBuiltAnew(create(), [catalog, catalog, catalog]);
    });

    it('survives a change of everything, and one of very many', async () => {
      const many = Array.from({ length: 300 }, (_, n) => document(`pelican_${n}`, `Feeds number${n}.`));
      await expectAsBuiltAnew(create(), [catalog, many, [...many.slice(0, 50), ...catalog], catalog]);
    });
  });
}

/** What `restrictedTo` of an index promises, and every index without it. */
export function describeParts(name: string, create: () => ToolScorer): void {
  const title = 'answers to the last digit as one of these tools alone, and the one of all as before';
  describe(`${name}: the index of a part of a catalog`, () => {
    it(title, async () => {
      const scorer = create();
      const index = await scorer.index(catalog);
      for (const remainder of [0, 1]) {
        const part = catalog.filter((_, at) => at % 2 === remainder);
        await expectPart(index, await scorer.index(part), part);
      }
      await expectPart(index, await scorer.index(catalog), catalog);
    });
  });
}

/** The same for random catalogs that have changed before, where an index costs little. */
export function describePartsOfChanged(name: string, create: () => ToolScorer, numRuns: number): void {
  it(`${name}: the index of a part of a catalog that has changed answers as one of these tools alone`, async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.infiniteStream(fc.boolean()), async (history, choices) => {
        const scorer = create();
        const [first = [], second = []] = history;
        const { added, removed } = changeOf(first, second);
        const before: IncrementalIndex = await scorer.index(first);
        const index = (await before.update?.(added, removed)) ?? (await scorer.index(second));
        const part = second.filter(() => choices.next().value);
        await expectPart(index, await scorer.index(part), part);
        await expectPart(index, index, second);
      }),
      { numRuns },
    );
  });
}

async function expectPart(whole: ToolIndex, alone: ToolIndex, documents: readonly ToolDocument[]): Promise<void> {
  const names = new Set(documents.map((entry) => entry.name));
  const part = (await whole.restrictedTo?.(names)) ?? whole;
  for (const text of QUERIES) {
    const [query, queryAlone] = [parseQuery(text), parseQuery(text)];
    const matches = (await part.search(query)).filter((match) => names.has(match.name));
    const expected = await alone.search(queryAlone);
    expect(matches, text).toEqual(expected);
    const best = expected.slice(0, FIRST).map((match) => match.name);
    expect(await part.confidence?.(query, best), text).toEqual(await alone.confidence?.(queryAlone, best));
    for (const one of best) {
      expect(await part.explain?.(query, one), text).toEqual(await alone.explain?.(queryAlone, one));
    }
  }
}

async function expectAsBuiltAnew(scorer: ToolScorer, history: History): Promise<void> {
  const changed = async (from: State, documents: readonly ToolDocument[]): Promise<State> => {
    const { added, removed } = changeOf(from.documents, documents);
    return { documents, index: (await from.index.update?.(added, removed)) ?? (await scorer.index(documents)) };
  };
  const [first = [], ...later] = history;
  const all: State[] = [{ documents: first, index: await scorer.index(first) }];
  for (const [position, documents] of later.entries()) {
    const last = all.at(-1) as State;
    // Every other one is asked before it changes.
    if (position % 2 === 1) await expectSameAnswers(last.index, await scorer.index(last.documents));
    all.push(await changed(last, documents));
  }
  // One index has many successors: each request may bring tools of its own.
  const branches = await Promise.all(all.slice(0, -1).map((state) => changed(state, history.at(-1) ?? [])));
  for (const { documents, index } of [...all, ...branches]) {
    await expectSameAnswers(index, await scorer.index(documents));
  }
}

async function expectSameAnswers(index: ToolIndex, anew: ToolIndex): Promise<void> {
  for (const text of QUERIES) {
    const [query, queryAnew] = [parseQuery(text), parseQuery(text)];
    const matches = await index.search(query);
    const expected = await anew.search(queryAnew);
    expectSameRanking(matches, expected, text);
    const names = expected.slice(0, FIRST).map((match) => match.name);
    expect(await index.confidence?.(query, names), text).toEqual(close(await anew.confidence?.(queryAnew, names)));
    for (const name of names) {
      const explained = await index.explain?.(query, name);
      expect(explained, `${text}: ${name}`).toEqual(close(await anew.explain?.(queryAnew, name)));
    }
  }
}

/** The same names with nearly the same scores. Where those are equal but for rounding, the order may be another. */
function expectSameRanking(matches: readonly ToolMatch[], expected: readonly ToolMatch[], text: string): void {
  const byName = (list: readonly ToolMatch[]): object =>
    Object.fromEntries(list.map((match) => [`${match.name} `, match.score]));
  expect(byName(matches), text).toEqual(close(byName(expected)));
  // One expectation, not one a match: there are tens of thousands.
  const isFar = ({ score }: ToolMatch, at: number): boolean =>
    !(Math.abs(score - (expected[at]?.score ?? Number.NaN)) < CLOSE);
  expect(matches.filter(isFar), text).toEqual([]);
}

/** The same, with every number nearly as it is. */
function close(value: unknown): unknown {
  if (typeof value === 'number') return expect.closeTo(value, 9);
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
}
