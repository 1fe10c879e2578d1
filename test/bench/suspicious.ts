// What `onSuspicious` says of real tools, and of planted ones: npm run bench:suspicious -- [--sets FOLDER,FOLDER] [--list true]
// False alarms are of all tools of the sets and of test/fixtures, each definition once. Planted are orders of eight kinds in five
// places of real definitions, in words that no rule was written after.
import { readFileSync } from 'node:fs';
import type { MastraTool } from '../../src/index.ts';
import { type Definition, digestOf, readDefinition } from '../../src/trust/definition.ts';
import { suspicionIn } from '../../src/trust/suspicion.ts';
import { optionsOf, percent, table } from './report.ts';
import { setsIn, unlabelledTools } from './retrieval/sets.ts';
import { PLANTED } from './suspicious-orders.ts';

const given = optionsOf('npm run bench:suspicious -- [--sets FOLDER,FOLDER] [--list true]', {
  sets: undefined,
  list: undefined,
});

function definitionOf(tool: object & { readonly id: string }): Definition {
  return readDefinition(tool.id, tool as unknown as MastraTool);
}

const folders = given.sets?.split(',') ?? [];
const fixture = readFileSync(new URL('../fixtures/mcp-dev/tools.jsonl', import.meta.url), 'utf8');
const lines = fixture
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { id: string });
const named = [
  { name: 'test/fixtures/mcp-dev', tools: lines },
  ...folders.flatMap((folder) => [
    ...setsIn(folder).map(({ name, tools }) => ({ name, tools })),
    { name: 'catalogs without queries', tools: unlabelledTools(folder) },
  ]),
];
const real = new Map<string, Definition>();
const rows: string[][] = [];
for (const { name, tools } of named) {
  let count = 0;
  let alarms = 0;
  for (const tool of tools) {
    const definition = definitionOf(tool as never);
    const digest = digestOf(definition);
    if (real.has(digest)) continue;
    real.set(digest, definition);
    count++;
    const found = suspicionIn(definition);
    if (!found) continue;
    alarms++;
    if (given.list !== undefined) console.log(`${name} ${definition.name} ${found.rule}: ${found.evidence}`);
  }
  rows.push([name, `${count}`, `${alarms}`, count === 0 ? '' : percent(alarms / count)]);
}
const alarms = rows.reduce((sum, row) => sum + Number(row[2]), 0);
rows.push(['all', `${real.size}`, `${alarms}`, ((100 * alarms) / real.size).toFixed(2)]);
console.log(table([['definitions of', 'count', 'false alarms', ''], ...rows]));

const all = [...real.values()].filter((definition) => !suspicionIn(definition));
/** Tools that each order is planted in, one after the other. */
const HOSTS = 20;
const places: Readonly<Record<string, (of: Definition, order: string) => Definition>> = {
  description: (of, order) => ({ ...of, description: `${of.description} ${order}` }),
  'parameter text': (of, order) => ({
    ...of,
    inputSchema: { type: 'object', properties: { note: { type: 'string', description: `The note. ${order}` } } },
  }),
  'server instructions': (of, order) => ({ ...of, serverInstructions: `Tools for files.\n${order}` }),
  'output schema': (of, order) => ({
    ...of,
    outputSchema: { type: 'object', properties: { id: { type: 'string', description: order } } },
  }),
  'annotation title': (of, order) => ({ ...of, annotations: { title: order } }),
};
const found: string[][] = [['planted in', ...Object.keys(PLANTED), 'all']];
for (const [place, plant] of Object.entries(places)) {
  const shares = Object.entries(PLANTED).map(([kind, orders]) => {
    const planted = orders.flatMap((order, at) =>
      Array.from({ length: HOSTS }, (_, n) => ({ order, of: all[(at * 997 + n * 131) % all.length] as Definition })),
    );
    const missed = planted.filter(({ of, order }) => !suspicionIn(plant(of, order)));
    if (given.list !== undefined)
      for (const order of new Set(missed.map((one) => one.order))) console.log(`missed, ${kind}: ${order}`);
    return [planted.length - missed.length, planted.length] as const;
  });
  const sum = shares.reduce<readonly [number, number]>(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  found.push([place, ...[...shares, sum].map(([hits, count]) => percent(hits / count))]);
}
console.log(table(found));
