import fc from 'fast-check';
import { bm25Scorer, type ToolIndex, type ToolScorer, tieredScorer } from 'mastra-tool-search';
import {
  type EvaluationCase,
  evaluate,
  type SuggestKeywordsOptions,
  suggestKeywords,
} from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../../support/harness.ts';
import { writing } from './writer.ts';

const tools = toolRecord(
  tool('send_email', 'Send an email message to a person.'),
  tool('post_message', 'Post a message in a channel.'),
  tool('get_weather', 'Get the current weather of a city.'),
  tool('create_issue', 'Create an issue in a repository.'),
  tool('list_files', 'List the files of a folder.'),
);

const judged = (
  words: Record<string, readonly string[]>,
  cases: readonly EvaluationCase[],
  more: Partial<SuggestKeywordsOptions> = {},
) => suggestKeywords({ tools, model: writing(words), cases, ...more });

describe('with cases, suggestKeywords', () => {
  it('keeps what makes the cases of a tool gain, and says by how much', async () => {
    const cases = ['courier', 'email'].map((query) => ({ query, relevant: ['send_email'] }));
    const { keywords, tools: report, ndcg10 } = await judged({ send_email: ['courier'] }, cases);
    expect(keywords).toEqual({ send_email: ['courier'] });
    expect(report[0]).toEqual({ name: 'send_email', kept: ['courier'], dropped: [], from: 'model', gain: 0.5 });
    expect(ndcg10).toEqual({ before: 0.5, after: 1 });
  });

  const of = (query: string, ...relevant: string[]): EvaluationCase => ({ query, relevant });
  type Words = Readonly<Record<string, readonly string[]>>;
  it.each<[string, Words, EvaluationCase[], Words, Readonly<Record<string, string>>]>([
    [
      'drops what gains nothing for the cases that want the tool',
      { send_email: ['zebra'] },
      [of('email', 'send_email')],
      {},
      { zebra: 'no-gain' },
    ],
    [
      'drops what costs a case of another tool',
      { list_files: ['warning weather'] },
      [of('weather warning', 'get_weather')],
      {},
      { 'warning weather': 'loses-case' },
    ],
    [
      'drops what takes the word from a query that nothing fits',
      { list_files: ['tax return'], get_weather: ['sunshine'] },
      [of('tax')],
      { get_weather: ['sunshine'] },
      { 'tax return': 'loses-case' },
    ],
    [
      'keeps the part of a list that costs nothing',
      { send_email: ['courier', 'weather forecast'] },
      [of('courier', 'send_email'), of('weather forecast', 'get_weather')],
      { send_email: ['courier'] },
      { 'weather forecast': 'loses-case' },
    ],
    [
      'keeps those of tools that no case wants, where no case loses',
      { get_weather: ['sunshine'], list_files: ['directory'], create_issue: ['channel'] },
      [of('channel', 'post_message')],
      { get_weather: ['sunshine'], list_files: ['directory'] },
      { channel: 'loses-case' },
    ],
  ])('%s', async (_, words, cases, kept, why) => {
    const { keywords, tools: report } = await judged(words, cases);
    expect(keywords).toEqual(kept);
    const dropped = report.flatMap((one) => one.dropped.map(({ keyword, why }) => [keyword, why]));
    expect(Object.fromEntries(dropped)).toEqual(why);
    const wanted = cases.flatMap(({ relevant }) => relevant);
    for (const { name, gain } of report) expect(gain).toBe(wanted.includes(name) && kept[name] ? 1 : undefined);
  });

  it('drops those of the tools that a losing case finds where no word is shared, as by meaning', async () => {
    const scorer: ToolScorer = {
      name: 'zebras first',
      index: async (documents) => ({
        search: () => {
          const isFirst = (keywords: readonly string[]): number => (keywords.includes('zebra') ? 1 : 0);
          const ranked = documents.toSorted((one, other) => isFirst(other.keywords) - isFirst(one.keywords));
          return ranked.slice(0, 2).map(({ name }, at) => ({ name, score: 1 / (at + 1) }));
        },
      }),
    };
    const words = { get_weather: ['sunshine'], list_files: ['zebra', 'stripes'] };
    const cases = [{ query: 'letter', relevant: ['send_email'] }];
    const { keywords, tools: report } = await judged(words, cases, { scorer });
    expect(keywords).toEqual({ get_weather: ['sunshine'] });
    expect(report[4]?.dropped.map(({ why }) => why)).toEqual(['loses-case', 'loses-case']);
  });

  it('judges no more when the signal ends it', async () => {
    const controller = new AbortController();
    const onProgress = ({ stage }: { stage: string }): void => {
      if (stage === 'judging') controller.abort();
    };
    const cases = [
      { query: 'courier', relevant: ['send_email'] },
      { query: 'bulletin', relevant: ['post_message'] },
    ];
    const words = { send_email: ['courier'], post_message: ['bulletin'], list_files: ['directory'] };
    const { keywords, tools: report } = await judged(words, cases, { signal: controller.signal, onProgress });
    expect(keywords).toEqual({ send_email: ['courier'] });
    expect(report.map(({ dropped }) => dropped[0]?.why)).toEqual([
      ...[undefined, 'not-judged', undefined, undefined, 'not-judged'],
    ]);
  });

  it.each([
    { at: 1, ndcg10: undefined },
    { at: 2, ndcg10: { before: 0, after: 0 } },
    { at: 5, ndcg10: { before: 0, after: 0.5 } },
  ])('waits for no slow scorer when the signal ends it: search $at', async ({ at, ndcg10 }) => {
    const controller = new AbortController();
    let searches = 0;
    const slow = (index: ToolIndex): ToolIndex => ({
      search(query) {
        if (++searches <= at) return index.search(query);
        controller.abort();
        return new Promise(() => {});
      },
    });
    const scorer: ToolScorer = {
      ...bm25Scorer(),
      index: async (documents) => slow(await bm25Scorer().index(documents)),
    };
    const cases = [
      { query: 'courier', relevant: ['send_email'] },
      { query: 'bulletin', relevant: ['post_message'] },
    ];
    const words = { send_email: ['courier'], post_message: ['bulletin'] };
    const result = await judged(words, cases, { scorer, signal: controller.signal });
    expect(result.ndcg10).toEqual(ndcg10);
    const isJudged = at === 5;
    expect(result.keywords).toEqual(isJudged ? { send_email: ['courier'] } : {});
    expect(result.tools.map(({ dropped }) => dropped[0]?.why)).toEqual([
      ...[isJudged ? undefined : 'not-judged', 'not-judged', undefined, undefined, undefined],
    ]);
  });

  it('ranks with the scorer of the processor', async () => {
    const asked: string[] = [];
    const scorer: ToolScorer = {
      ...tieredScorer(),
      index: (documents) => {
        asked.push(documents.flatMap(({ keywords }) => keywords).join());
        return tieredScorer().index(documents);
      },
    };
    await judged({ send_email: ['courier'] }, [{ query: 'courier', relevant: ['send_email'] }], { scorer });
    expect(asked).toEqual(['', 'courier']);
  });
});

describe('the promise of suggestKeywords', () => {
  const WORDS =
    'email message person channel weather city issue repository files folder courier forecast zebra ticket'.split(' ');
  const phrase = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));
  const names = Object.keys(tools);
  const suggestions = fc.dictionary(fc.constantFrom(...names), fc.array(phrase, { maxLength: 5 }));
  const oneCase = fc.record({ query: phrase, relevant: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }) });

  it.each([
    { name: 'bm25', scorer: bm25Scorer },
    { name: 'tiered', scorer: tieredScorer },
  ])('holds with $name: no case goes worse than before, and every tool that cases want gains', async ({ scorer }) => {
    await fc.assert(
      fc.asyncProperty(suggestions, fc.array(oneCase, { minLength: 1, maxLength: 8 }), async (words, cases) => {
        const { keywords, tools: report } = await judged(words, cases, { scorer: scorer() });
        const [before] = (await evaluate({ tools, cases, scorers: [scorer()] })).scorers;
        const [after] = (await evaluate({ tools, cases, scorers: [scorer()], keywords })).scorers;
        for (const [at, then] of (before?.cases ?? []).entries()) {
          const now = after?.cases[at];
          expect(now?.figures?.ndcg10 ?? 0).toBeGreaterThanOrEqual((then.figures?.ndcg10 ?? 0) - 1e-9);
          if (then.relevant.length === 0 && then.isWeak) expect(now?.isWeak).toBe(true);
        }
        const wanted = new Set(cases.flatMap(({ relevant }) => relevant));
        for (const { name, kept, gain } of report) {
          if (wanted.has(name) && kept.length > 0) expect(gain).toBeGreaterThan(0);
          else expect(gain).toBeUndefined();
        }
      }),
      { numRuns: 150 },
    );
  });
});
