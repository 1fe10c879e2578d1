import { bm25Scorer, type MastraTool, type ToolDocument, type ToolIndex, type ToolScorer } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { call, calls, rig, tool, toolRecord } from '../support/harness.ts';

type Tools = Record<string, MastraTool>;

/** An index that follows a change of its catalog, as the default scorer's does. */
interface IncrementalIndex extends ToolIndex {
  update?(added: readonly ToolDocument[], removed: readonly string[]): unknown;
}

/** New tools each time, alike but for what is given. */
const thousand = (): Tools =>
  toolRecord(...Array.from({ length: 1_000 }, (_, n) => tool(`report_${n}`, `Writes the report number ${n}.`)));
const ten = (word: string): Tools =>
  toolRecord(...Array.from({ length: 10 }, (_, n) => tool(`${word}_${n}`, `Draws the ${word} number ${n}.`)));
const without = (tools: Tools, count: number): Tools => Object.fromEntries(Object.entries(tools).slice(count));

/** The default scorer, and what it was told to index. */
function spied(scorer: ToolScorer = bm25Scorer()): { scorer: ToolScorer; work: string[] } {
  const work: string[] = [];
  const spy = (index: IncrementalIndex): IncrementalIndex => ({
    search: (query) => index.search(query),
    ...(index.confidence ? { confidence: (query, names) => index.confidence!(query, names) } : {}),
    update: async (added, removed) => {
      work.push(`update +${added.length} -${removed.length}`);
      const updated = await index.update?.(added, removed);
      return updated && spy(updated as IncrementalIndex);
    },
  });
  return {
    work,
    scorer: {
      name: 'spied',
      async index(documents, context) {
        work.push(`index ${documents.length}`);
        return spy(await scorer.index(documents, context));
      },
    },
  };
}

/** The work of runs that search for the words one after the other, and what they found first. */
async function searches(...turns: { readonly tools: Tools; readonly query: string }[]) {
  const { scorer, work } = spied();
  let current: Tools = {};
  let query = '';
  const { agent, model } = rig(
    { tools: () => current, search: { scorer } },
    { script: ({ prompt, step }) => calls(call('search_tools', { query }))({ prompt, step } as never) },
  );
  const first: unknown[] = [];
  for (const turn of turns) {
    ({ tools: current, query } = turn);
    await agent.generate('go');
    const { results } = model.result() as { results: { name: string }[] };
    first.push(results[0]?.name);
  }
  return { work, first };
}

const changed = () => ({ ...thousand(), ...toolRecord(tool('report_7', 'Translates a sentence.')) });
it.each<[why: string, next: () => Tools, query: string, finds: string, work: string[]]>([
  ['ten are added', () => ({ ...thousand(), ...ten('chart') }), 'chart 3', 'chart_3', ['update +10 -0']],
  ['ten are gone', () => without(thousand(), 10), 'report 12', 'report_12', ['update +0 -10']],
  ['the others are new objects', thousand, 'report 12', 'report_12', []],
  ['one is described anew', changed, 'translate a sentence', 'report_7', ['update +1 -1']],
  ['most are others', () => ({ ...without(thousand(), 900), ...ten('chart') }), 'chart 3', 'chart_3', ['index 110']],
])('the index of 1,000 tools is updated with the differences alone when %s', async (_, next, query, finds, work) => {
  const seen = await searches(
    { tools: thousand(), query: 'report 5' },
    { tools: next(), query },
    { tools: thousand(), query: 'report 5' },
    { tools: next(), query },
  );
  expect(seen.work).toEqual(['index 1000', ...work]);
  expect(seen.first).toEqual(['report_5', finds, 'report_5', finds]);
});

it('the index is updated step by step as tools come and go', async () => {
  const some = thousand();
  const charts = ten('chart');
  const maps = ten('map');
  const seen = await searches(
    { tools: some, query: 'report 5' },
    { tools: { ...some, ...charts }, query: 'chart 3' },
    { tools: { ...some, ...charts, ...maps }, query: 'map 4' },
    { tools: { ...some, ...maps }, query: 'chart 3' },
  );
  expect(seen.work).toEqual(['index 1000', 'update +10 -0', 'update +10 -0', 'update +10 -0']);
  expect(seen.first.slice(0, 3)).toEqual(['report_5', 'chart_3', 'map_4']);
  expect(seen.first[3]).not.toBe('chart_3');
});

it('the index is not built by runs that do not search', async () => {
  const { scorer, work } = spied();
  const { agent } = rig({ tools: thousand, search: { scorer } }, { script: () => ({ text: 'done' }) });
  await agent.generate('go');
  expect(work).toEqual([]);
});
