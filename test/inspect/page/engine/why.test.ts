import { describe, expect, it } from 'vitest';
import { Engine } from '../../../../src/inspect/page/engine/engine.ts';
import { caseOf, dataOf, realCases, realTools } from './data.ts';

const mail = { name: 'send_email', description: 'Send an email message to a person.', group: 'mail' };
const post = { name: 'post_text', description: 'Post a text into a channel.', group: 'chat' };
const draft = { name: 'draft', description: 'Keep a message draft for later.', group: 'chat' };
const tools = [mail, post, draft, { name: 'get_time', description: 'Tell the time of a city.' }];
const cases = [caseOf('message a person', 'send_email'), caseOf('time', 'get_time')];
const engine = new Engine(dataOf(tools, { cases }));

describe('why a tool stands where it does', () => {
  it.each(['bm25', 'tiered'])('has for every tool the place and the score of the ranking, with %s', async (scorer) => {
    const real = new Engine(dataOf(realTools));
    for (const { query } of realCases.slice(0, 4)) {
      const { tools: ranked } = await real.rank(query, scorer, 30);
      for (const [at, { name, score, confidence }] of ranked.entries()) {
        const why = await real.why(query, scorer, name);
        expect(why.own).toEqual({ name, place: at + 1, score, ...(confidence === undefined ? {} : { confidence }) });
        expect(why.rival?.name).toBe(ranked[at === 0 ? 1 : 0]?.name);
      }
    }
  });

  it('adds up to the score, word by word, where nothing else is counted', async () => {
    const { own, rival, words } = await new Engine(dataOf(realTools)).why(
      'create issue',
      'tiered',
      'github_list_issues',
    );
    for (const [side, key] of [[own, 'own'] as const, [rival, 'rival'] as const])
      expect(words.reduce((sum, one) => sum + one[key].score, 0)).toBe(side?.score);
  });

  it('compares a tool that does not match at all', async () => {
    const why = await engine.why('message a person', 'bm25', 'get_time');
    expect(why.own).toEqual({ name: 'get_time', score: 0 });
    expect(why.rival).toMatchObject({ name: 'send_email', place: 1 });
    expect(why.words.map(({ word, own, rival }) => [word, own.by, rival.by])).toEqual([
      ['message', 'nothing', 'word'],
      ['person', 'nothing', 'word'],
    ]);
    const nobody = await engine.why('zzz qqq', 'bm25', 'get_time');
    expect([nobody.rival, nobody.words.map(({ word }) => word)]).toEqual([undefined, ['zzz', 'qqq']]);
  });

  it('compares among what a user may find', async () => {
    const why = await engine.why('message a person', 'bm25', 'draft', ['draft', 'get_time']);
    expect([why.own.place, why.rival]).toEqual([1, undefined]);
  });
});

describe('words that would mend it', () => {
  it('are of the request, of the thesaurus, and of siblings, and say which only copy the request', async () => {
    const found = await engine.candidates('message a person', 'bm25', 'post_text');
    const of = (from: string) => found.filter((one) => one.from === from);
    expect(of('request')).toContainEqual({ word: 'message', from: 'request', of: 'message', isCopy: true });
    expect(of('thesaurus').length).toBeGreaterThan(0);
    expect(of('thesaurus').every(({ isCopy }) => !isCopy)).toBe(true);
    expect(of('sibling')).toContainEqual({ word: 'message draft', from: 'sibling', of: 'draft', isCopy: false });
    expect(await engine.candidates('message', 'bm25', 'no_such_tool')).toEqual([]);
  });

  it('are tried as if they were keywords: the place, and the cases they help and harm', async () => {
    const [word, query] = ['message person', 'message a person'];
    const trial = await engine.tryKeyword(query, 'bm25', 'post_text', word);
    const edited = new Engine(dataOf(tools, { cases }));
    await edited.setEdits(new Map([['post_text', { keywords: [word] }]]));
    expect(trial.place).toBe((await edited.why(query, 'bm25', 'post_text')).own.place);
    const { better = [], worse = [] } = (await edited.cases('bm25'))?.comparison ?? {};
    expect([trial.better, trial.worse]).toEqual([better, worse].map((all) => all.map((one) => one.query)));
    expect(trial.worse).toEqual([query]);
  });
});
