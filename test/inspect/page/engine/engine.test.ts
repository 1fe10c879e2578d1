import { compareEvaluations, evaluate, lint } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import type { InspectTool } from '../../../../src/inspect/data.ts';
import type { Edits } from '../../../../src/inspect/page/engine/edits.ts';
import { Engine } from '../../../../src/inspect/page/engine/engine.ts';
import { bm25Scorer } from '../../../../src/scorers/bm25/bm25.ts';
import { tieredScorer } from '../../../../src/scorers/tiered.ts';
import { caseOf, dataOf, realCases, realTools } from './data.ts';

const post: InspectTool = { name: 'post_message', description: 'Post a text into a channel.' };
const mail: InspectTool = { name: 'send_email', description: 'Send an email to a person.' };
const clock: InspectTool = { name: 'get_time', description: 'Tell the time of a city.' };
const small = dataOf([post, mail, clock], {
  cases: [caseOf('write to a colleague', 'post_message'), caseOf('what time is it', 'get_time')],
});
const nameOf = (edits: Record<string, object>): Edits => new Map(Object.entries(edits));

describe('the engine of the page', () => {
  it.each(['bm25', 'tiered'] as const)(
    'measures the cases of a real catalog as evaluate() does, with %s',
    async (name) => {
      const engine = new Engine(dataOf(realTools, { cases: realCases }));
      const scorers = [name === 'bm25' ? bm25Scorer() : tieredScorer()];
      const { scorers: expected } = await evaluate({ tools: realTools, cases: realCases, scorers });
      expect((await engine.cases(name))?.evaluation).toEqual(expected[0]);
    },
  );

  it.each(['bm25', 'tiered'] as const)(
    'measures an edited catalog as one that was written so, with %s',
    async (name) => {
      const engine = new Engine(dataOf(realTools, { cases: realCases }));
      const edit = { description: 'File a bug report or a feature request.', keywords: ['ticket', 'defect'] };
      await engine.setEdits(nameOf({ github_create_issue: edit, slack_post_message: { description: '' } }));
      const report = await engine.cases(name);
      const written = realTools.map((tool) => (tool.name === 'github_create_issue' ? { ...tool, ...edit } : tool));
      const scorers = [name === 'bm25' ? bm25Scorer() : tieredScorer()];
      const measure = (tools: readonly InspectTool[]) =>
        evaluate({
          ...{ tools, cases: realCases, scorers },
          keywords: tools === written ? { github_create_issue: edit.keywords } : {},
        });
      const [before, after] = [await measure(realTools), await measure(written)];
      expect(report?.evaluation).toEqual(after.scorers[0]);
      expect(report?.before).toEqual(before.scorers[0]);
      expect(report?.comparison).toEqual(compareEvaluations(before, after)[0]);
    },
  );

  it('says which cases an edit makes better, and forgets it when the edit is taken back', async () => {
    const engine = new Engine(small);
    expect((await engine.cases('bm25'))?.comparison).toBe(undefined);
    await engine.setEdits(nameOf({ post_message: { keywords: ['colleague'] } }));
    expect((await engine.cases('bm25'))?.comparison).toMatchObject({ better: [{ after: 1 }], worse: [] });
    await engine.setEdits(new Map());
    expect((await engine.cases('bm25'))?.comparison).toBe(undefined);
  });

  it('answers about the last of several edits that come while it measures', async () => {
    const engine = new Engine(dataOf(realTools, { cases: realCases }));
    await engine.setEdits(nameOf({ github_create_issue: { description: 'First.' } }));
    const early = engine.cases('bm25');
    await engine.setEdits(nameOf({ github_create_issue: { description: 'Second.' } }));
    const late = await engine.cases('bm25');
    expect((await early)?.evaluation.cases.length).toBe(realCases.length);
    const fresh = new Engine(dataOf(realTools, { cases: realCases }));
    await fresh.setEdits(nameOf({ github_create_issue: { description: 'Second.' } }));
    expect(late).toEqual(await fresh.cases('bm25'));
  });

  it('has no report without cases', async () => {
    expect(await new Engine(dataOf([mail])).cases('bm25')).toBe(undefined);
  });

  it('counts the tokens of a definition as lint does', async () => {
    const heavy = { ...mail, description: `  ${'A word of it. '.repeat(600)}\n\n\n` };
    const engine = new Engine(dataOf([heavy, clock]));
    const [finding] = (await engine.lint(mail.name)).filter(({ rule }) => rule === 'heavy-definition');
    const [counted] = await engine.tokens();
    expect(finding?.evidence).toContain(`about ${counted?.tokens.toLocaleString('en-US')} tokens`);
  });

  it('counts the tokens of a definition that is not whole in the page where it is, until its text is another', async () => {
    const engine = new Engine(dataOf([{ ...mail, tokens: 12_345 }]));
    expect(await engine.tokens()).toEqual([{ name: 'send_email', tokens: 12_345 }]);
    await engine.setEdits(nameOf({ send_email: { description: 'Send.' } }));
    expect((await engine.tokens())[0]?.tokens).toBeLessThan(50);
  });

  it('counts the tokens of each definition, with its edit', async () => {
    const engine = new Engine(dataOf([mail, clock]));
    const [before] = await engine.tokens();
    await engine.setEdits(nameOf({ send_email: { description: 'Send an email to a person, with copies and files.' } }));
    const [after, other] = await engine.tokens();
    expect(after?.tokens).toBeGreaterThan(before?.tokens ?? 0);
    expect(other).toEqual((await new Engine(dataOf([mail, clock])).tokens())[1]);
  });

  it('lints a tool as lint() does, with its edit', async () => {
    const engine = new Engine(dataOf(realTools));
    const wanted = { only: ['github_create_issue'] } as const;
    expect(await engine.lint('github_create_issue')).toEqual(await lint(realTools, wanted));
    const grouped = realTools.slice(0, 10).map((tool) => ({ ...tool, group: 'one' }));
    const rules = async (mode?: 'native'): Promise<readonly string[]> =>
      (await new Engine(dataOf(grouped, mode ? { mode } : {})).lint()).map(({ rule }) => rule);
    expect(await rules()).not.toContain('crowded-namespace');
    expect(await rules('native')).toContain('crowded-namespace');
    await engine.setEdits(nameOf({ github_create_issue: { description: '' } }));
    const edited = (await engine.lint('github_create_issue')).map(({ rule }) => rule);
    expect(edited).toContain('missing-description');
  });

  it('names the tools that come close to a tool, and no others', async () => {
    const twin = { name: 'email_send', description: 'Send an email to a person.' };
    const engine = new Engine(dataOf([mail, twin, clock]));
    expect(await engine.twins('send_email')).toEqual([{ name: 'email_send', similarity: expect.closeTo(0.7, 1) }]);
    expect(await engine.twins('get_time')).toEqual([]);
    expect(await engine.twins('no_such_tool')).toEqual([]);
  });

  it('says which scorer it does not have', async () => {
    await expect(new Engine(small).rank('time', 'vector', 5)).rejects.toThrow('The page has no scorer "vector".');
  });
});

it('tells with each case what came first instead, and by which word', async () => {
  const cases = [caseOf('post an email', 'post_message'), caseOf('time', 'get_time')];
  const report = await new Engine(dataOf([post, mail, clock], { cases })).cases('bm25');
  expect(report?.searched.map(({ miss }) => miss)).toEqual([
    { wanted: 'post_message', instead: 'send_email', word: 'email' },
    undefined,
  ]);
  expect(report?.searched.map(({ result }) => result)).toEqual(report?.evaluation.cases);
});

it.each(['bm25', 'tiered'])('ranks a part of the catalog as if there were no other tools, with %s', async (name) => {
  const part = realTools.filter((_, at) => at % 3 === 0);
  const among = part.map((tool) => tool.name);
  const [whole, alone] = [new Engine(dataOf(realTools)), new Engine(dataOf(part))];
  for (const { query } of realCases.slice(0, 25)) {
    expect(await whole.rank(query, name, 20, among)).toEqual(await alone.rank(query, name, 20));
  }
  const select = `select:${among[0]},${realTools[1]?.name}`;
  expect((await whole.rank(select, name, 20, among)).names).toEqual([among[0]]);
});
