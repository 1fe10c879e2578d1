import fc from 'fast-check';
import { bm25Scorer, type ToolIndex, type ToolScorer, tieredScorer, wordsAndMeaningScorer } from 'mastra-tool-search';
import {
  type EvaluationCase,
  evaluate,
  type SuggestKeywordsOptions,
  suggestKeywords,
} from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../../support/agent.ts';
import { writing } from './writer.ts';

const tools = toolRecord(
  tool('send_email', 'Send an email message to a person.'),
  tool('post_message', 'Post a message in a channel.'),
  tool('get_weather', 'Get the current weather of a city.'),
  tool('create_issue', 'Create an issue in a repository.'),
  tool('list_files', 'List the files of a folder.'),
);

type Words = Readonly<Record<string, readonly string[]>>;
const judged = (words: Words, cases: readonly EvaluationCase[], more: Partial<SuggestKeywordsOptions> = {}) =>
  // By words, of which a test can say what they cost.
  suggestKeywords({ tools, model: writing(words), cases, scorer: bm25Scorer(), ...more });
const of = (query: string, ...relevant: string[]): EvaluationCase => ({ query, relevant });
/** Why keywords were dropped, by tool: the first of each. */
const whyOf = ({ tools: report }: Awaited<ReturnType<typeof judged>>) => report.map(({ dropped }) => dropped[0]?.why);

/** Two cases of which each is mended by a word of its tool. */
const TWO = [of('courier', 'send_email'), of('bulletin', 'post_message')];
const WORDS: Words = { send_email: ['courier'], post_message: ['bulletin'] };

describe('with cases, suggestKeywords', () => {
  it('keeps what makes the cases of a tool gain, and says by how much', async () => {
    const cases = ['courier', 'email'].map((query) => of(query, 'send_email'));
    const { keywords, tools: report, ndcg10 } = await judged({ send_email: ['courier'] }, cases);
    expect(keywords).toEqual({ send_email: ['courier'] });
    expect(report[0]).toEqual({ name: 'send_email', kept: ['courier'], dropped: [], from: 'model', gain: 0.5 });
    expect(ndcg10).toEqual({ before: 0.5, after: 1 });
  });

  it.each<[string, Words, EvaluationCase[], kept: Words, why: Readonly<Record<string, string>>]>([
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

  it('ranks with the scorer of the processor, and drops what a losing case finds though no word is shared', async () => {
    const asked: string[] = [];
    const zebrasFirst: ToolScorer = {
      name: 'zebras first',
      index: async (documents) => {
        asked.push(documents.flatMap(({ keywords }) => keywords).join());
        const isFirst = (keywords: readonly string[]): number => (keywords.includes('zebra') ? 1 : 0);
        const ranked = documents.toSorted((one, other) => isFirst(other.keywords) - isFirst(one.keywords));
        return { search: () => ranked.slice(0, 2).map(({ name }, at) => ({ name, score: 1 / (at + 1) })) };
      },
    };
    const words = { get_weather: ['sunshine'], list_files: ['zebra', 'stripes'] };
    const found = await judged(words, [of('letter', 'send_email')], { scorer: zebrasFirst });
    expect(found.keywords).toEqual({ get_weather: ['sunshine'] });
    expect(found.tools[4]?.dropped.map(({ why }) => why)).toEqual(['loses-case', 'loses-case']);
    expect(asked.slice(0, 2)).toEqual(['', 'sunshine,zebra,stripes']);
  });

  it('judges no more when the signal ends it', async () => {
    const controller = new AbortController();
    const onProgress = ({ stage }: { stage: string }): void => {
      if (stage === 'judging') controller.abort();
    };
    const words = { ...WORDS, list_files: ['directory'] };
    const found = await judged(words, TWO, { signal: controller.signal, onProgress });
    expect(found.keywords).toEqual({ send_email: ['courier'] });
    expect(whyOf(found)).toEqual([undefined, 'not-judged', undefined, undefined, 'not-judged']);
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
    const index: ToolScorer['index'] = async (documents) => slow(await bm25Scorer().index(documents));
    const found = await judged(WORDS, TWO, { scorer: { ...bm25Scorer(), index }, signal: controller.signal });
    const isJudged = at === 5;
    expect([found.ndcg10, found.keywords]).toEqual([ndcg10, isJudged ? { send_email: ['courier'] } : {}]);
    expect(whyOf(found).slice(0, 3)).toEqual([isJudged ? undefined : 'not-judged', 'not-judged', undefined]);
  });

  it.each([wordsAndMeaningScorer, bm25Scorer, tieredScorer])(
    'lets no case go worse, and each tool gain whose words it keeps: %o',
    async (scorer) => {
      const TEXT =
        'email message person channel weather city issue repository files folder courier forecast zebra ticket';
      const word = fc.constantFrom(...TEXT.split(' '));
      const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));
      const name = fc.constantFrom(...Object.keys(tools));
      const suggestions = fc.dictionary(name, fc.array(phrase, { maxLength: 5 }));
      const oneCase = fc.record({ query: phrase, relevant: fc.uniqueArray(name, { maxLength: 2 }) });
      const some = fc.array(oneCase, { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(suggestions, some, async (words, cases) => {
          const { keywords, tools: report } = await judged(words, cases, { scorer: scorer() });
          const [before] = (await evaluate({ tools, cases, scorers: [scorer()] })).scorers;
          const [after] = (await evaluate({ tools, cases, scorers: [scorer()], keywords })).scorers;
          for (const [at, then] of (before?.cases ?? []).entries()) {
            const now = after?.cases[at];
            expect(now?.figures?.ndcg10 ?? 0).toBeGreaterThanOrEqual((then.figures?.ndcg10 ?? 0) - 1e-9);
            if (then.relevant.length === 0 && then.isWeak) expect(now?.isWeak).toBe(true);
          }
          const wanted = new Set(cases.flatMap(({ relevant }) => relevant));
          for (const { name, kept, gain } of report) expect((gain ?? 0) > 0).toBe(wanted.has(name) && kept.length > 0);
        }),
        { numRuns: 100 },
      );
    },
  );
});
