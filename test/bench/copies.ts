// Whether a right tool is among the first five where every server is installed several times: npm run bench:copies
// All sets of a folder: npm run bench:copies -- FOLDER
import { fileURLToPath } from 'node:url';
import { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../../src/index.ts';
import { AgentRequest, mastraTools } from './agent-request.ts';
import { create, quietProcessor, type Side } from './processors.ts';
import { type LabelledSet, readSets } from './retrieval/sets.ts';
import { markdownTable } from './table.ts';

const SHOWN = 5;
const COPIES = [1, 5] as const;

interface Shown {
  readonly name: string;
  readonly alsoAs?: readonly string[];
}
type Search = (query: string) => Promise<readonly Shown[]>;

/** A set's tools, and their copies on other servers, as an MCP client names them. */
function toolsOf({ tools }: LabelledSet, copies: number) {
  const all = Array.from({ length: copies }, (_, copy) => {
    const prefix = copy === 0 ? '' : `team${copy + 1}_`;
    return tools.map(({ id, description, inputSchema, server = '' }) => {
      const serverName = copy === 0 ? server : `${prefix}${server}`.replace(/_$/, '');
      return { id: `${prefix}${id}`, description, inputSchema, serverName };
    });
  }).flat();
  const record = mastraTools(all);
  for (const { id, serverName } of all) {
    if (serverName !== '') Object.assign(record[id] as object, { mcpMetadata: { serverName } });
  }
  return record;
}

const contestants: Readonly<Record<Side, (tools: Record<string, MastraTool>) => Search>> = {
  core: (tools) => {
    const processor = create.core({ tools, search: { topK: SHOWN } });
    return (query) => new AgentRequest(processor).search(query);
  },
  ours: (tools) => {
    const processor = quietProcessor({ tools, search: { topK: SHOWN } });
    return (query) => processor.search(query, { requestContext: new RequestContext() });
  },
};

const folder = process.argv[2] ?? fileURLToPath(new URL('../fixtures', import.meta.url));
const rows: string[][] = [];
for (const set of readSets(folder)) {
  const row: string[] = [];
  for (const create of Object.values(contestants)) {
    for (const copies of COPIES) {
      const search = create(toolsOf(set, copies));
      let found = 0;
      for (const { query, relevant } of set.queries) {
        const shown = (await search(query)).flatMap(({ name, alsoAs = [] }) => [name, ...alsoAs]);
        // A copy serves as well: who asks does not say for whom.
        if (shown.some((name) => relevant.includes(name.replace(/^team\d+_/, '')))) found++;
      }
      row.push(`${((100 * found) / set.queries.length).toFixed(0)} %`);
    }
  }
  rows.push([set.name, ...row]);
}
const heading = Object.keys(contestants).flatMap((name) => COPIES.map((copies) => `${name}, ${copies} ×`));
console.log(markdownTable([['a right tool in the first five', ...heading], ...rows]));
