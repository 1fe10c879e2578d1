import { bm25Scorer, type MastraTool, type ToolDocument, type ToolIndex, type ToolScorer } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';

type Tools = Record<string, MastraTool>;
/** An index that follows a change of its catalog, as the default scorer's does. */
type IncrementalIndex = ToolIndex & { update?(added: readonly ToolDocument[], removed: readonly string[]): unknown };

/** New tools each time, alike but for what is given. */
const some = (count: number, word: string): Tools =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`${word}_${n}`, `Writes the ${word} number ${n}.`)));
const reports = () => some(100, 'report');
const charts = () => some(10, 'chart');
const without = (tools: Tools, count: number): Tools => Object.fromEntries(Object.entries(tools).slice(count));

/** What the default scorer was told to index in requests that search one after the other, and what they found first. */
async function searches(...requests: readonly (readonly [tools: Tools, query?: string])[]) {
  const work: string[] = [];
  const spy = (index: IncrementalIndex): IncrementalIndex => ({
    search: (query) => index.search(query),
    update: async (added, removed) => {
      work.push(`update +${added.length} -${removed.length}`);
      const updated = await index.update?.(added, removed);
      return updated && spy(updated as IncrementalIndex);
    },
  });
  const scorer: ToolScorer = {
    name: 'spied',
    async index(documents, context) {
      work.push(`index ${documents.length}`);
      return spy(await bm25Scorer().index(documents, context));
    },
  };
  let current: Tools = {};
  const { processor } = new Session({ tools: () => current, search: { scorer } });
  const first: unknown[] = [];
  for (const [tools, query] of requests) {
    current = tools;
    const session = new Session({}, { processor });
    if (query === undefined) await session.step();
    else first.push((await session.search({ query })).results[0]?.name);
  }
  return { work, first };
}

const changed = () => ({ ...reports(), ...toolRecord(tool('report_7', 'Translates a sentence.')) });
it.each<[why: string, next: () => Tools, query: string, finds: string, work: string[]]>([
  ['ten are added', () => ({ ...reports(), ...charts() }), 'chart 3', 'chart_3', ['update +10 -0']],
  ['ten are gone', () => without(reports(), 10), 'report 12', 'report_12', ['update +0 -10']],
  ['the others are new objects', reports, 'report 12', 'report_12', []],
  ['one is described anew', changed, 'translate a sentence', 'report_7', ['update +1 -1']],
  ['most are others', () => ({ ...without(reports(), 90), ...charts() }), 'chart 3', 'chart_3', ['index 20']],
])('the index of 100 tools is updated with the differences alone when %s', async (_, next, query, finds, work) => {
  const first = [reports(), 'report 5'] as const;
  const seen = await searches(first, [next(), query], first, [next(), query]);
  expect(seen.work).toEqual(['index 100', ...work]);
  expect(seen.first).toEqual(['report_5', finds, 'report_5', finds]);
});
