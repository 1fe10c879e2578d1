// Whether a right tool is among the first five where every server is installed several times: npm run bench:copies
// All sets of a folder: npm run bench:copies -- FOLDER
import { AgentRequest, mastraTools } from './agent-request.ts';
import { create } from './processors.ts';
import { table } from './report.ts';
import { type LabelledSet, setsIn } from './retrieval/sets.ts';

const SHOWN = 5;
const COPIES = [1, 5] as const;
const SIDES = ['core', 'ours'] as const;

/** A set's tools, and their copies on other servers, as an MCP client names them. */
function toolsOf({ tools }: LabelledSet, copies: number) {
  const all = Array.from({ length: copies }, (_, copy) => {
    const prefix = copy === 0 ? '' : `team${copy + 1}_`;
    return tools.map((tool) => {
      const { server = '' } = tool;
      return {
        ...tool,
        id: `${prefix}${tool.id}`,
        server: copy === 0 ? server : `${prefix}${server}`.replace(/_$/, ''),
      };
    });
  }).flat();
  const record = mastraTools(all.map(({ id, description, inputSchema }) => ({ id, description, inputSchema })));
  for (const { id, server } of all) {
    if (server !== '') Object.assign(record[id] as object, { mcpMetadata: { serverName: server } });
  }
  return record;
}

const rows: string[][] = [];
for (const set of setsIn(process.argv[2])) {
  const row: string[] = [];
  for (const side of SIDES) {
    for (const copies of COPIES) {
      const processor = create[side]({ tools: toolsOf(set, copies), search: { topK: SHOWN } });
      let found = 0;
      for (const { query, relevant } of set.queries) {
        const results = await new AgentRequest(processor).search(query);
        const shown = results.flatMap(({ name, alsoAs = [] }) => [name, ...alsoAs]);
        // A copy serves as well: who asks does not say for whom.
        if (shown.some((name) => relevant.includes(name.replace(/^team\d+_/, '')))) found++;
      }
      row.push(`${((100 * found) / set.queries.length).toFixed(0)} %`);
    }
  }
  rows.push([set.name, ...row]);
}
const heading = SIDES.flatMap((side) => COPIES.map((copies) => `${side}, ${copies} ×`));
console.log(table([['a right tool in the first five', ...heading], ...rows]));
