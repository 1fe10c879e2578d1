// What pins cost a run over many tools: npm run bench:pins -- [--tools 10000]
// The first run reads every definition and pins it; later runs have the same tool objects, or new ones that read alike.
import { RequestContext } from '@mastra/core/request-context';
import { jsonSchema } from 'ai';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../src/index.ts';
import { optionsOf, table, threeDigits } from './report.ts';
import { median } from './statistics.ts';

const given = optionsOf('npm run bench:pins -- [--tools 10000]', { tools: '10000' });
const COUNT = Number(given.tools);
const RUNS = 7;

const toolsAnew = (): Record<string, MastraTool> =>
  Object.fromEntries(
    Array.from({ length: COUNT }, (_, n) => [
      `tool_${n}`,
      {
        id: `tool_${n}`,
        description: `Does the work of number ${n} for a customer, and returns what came of it.`,
        inputSchema: jsonSchema({
          type: 'object',
          properties: Object.fromEntries(
            ['customer', 'amount', 'note'].map((name) => [
              name,
              { type: 'string', description: `The ${name} of ${n}.` },
            ]),
          ),
        }),
        execute: async () => n,
      } as never,
    ]),
  );

/** Milliseconds of the first search of a processor, and of a later one; with tools that are the same, or made anew. */
async function timesOf(
  options: Partial<ToolSearchProcessorOptions>,
  isAnew: boolean,
): Promise<readonly [number, number]> {
  const same = toolsAnew();
  const processor = new ToolSearchProcessor({ tools: () => (isAnew ? toolsAnew() : same) as never, ...options });
  const search = async (): Promise<number> => {
    const start = performance.now();
    await processor.search('work of number 17', { requestContext: new RequestContext() });
    return performance.now() - start;
  };
  const first = await search();
  const later: number[] = [];
  for (let run = 0; run < RUNS; run++) later.push(await search());
  return [first, median(later)];
}

const rows: string[][] = [];
for (const isAnew of [false, true]) {
  for (const [name, options] of [
    ['neither', {}],
    ['a filter that permits all', { filter: () => true }],
    ['pins', { pins: {} }],
    ["pins, onChange: 'tell'", { pins: { onChange: 'tell' } }],
    ["onSuspicious: 'withhold'", { onSuspicious: 'withhold' }],
    ['both', { pins: {}, onSuspicious: 'withhold' }],
  ] as const) {
    const [first, later] = await timesOf(options, isAnew);
    rows.push([isAnew ? 'made anew' : 'the same', name, threeDigits(first), threeDigits(later)]);
  }
}
console.log(table([['tool objects', 'with', 'first search, ms', 'later, ms'], ...rows]));
