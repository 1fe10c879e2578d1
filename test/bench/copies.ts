// Whether a right tool is among the first five where every server is installed several times: npm run bench:copies
// All sets of a folder: npm run bench:copies -- FOLDER
import { fileURLToPath } from 'node:url';
import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor } from '../../src/index.ts';
import { type LabelledSet, readSets } from './retrieval/sets.ts';
import { markdownTable } from './retrieval/table.ts';
import { AgentRequest } from './speed/request.ts';
import { mastraTools } from './speed/tools.ts';

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

const contestants: Readonly<Record<string, (tools: ReturnType<typeof toolsOf>) => Search>> = {
  core: (tools) => {
    const processor = new CoreProcessor({ tools: tools as never, search: { topK: SHOWN } });
    return async (query) => {
      const step = await new AgentRequest(processor as never).step();
      const answer = await step['search_tools']?.execute?.({ query }, {} as never);
      return (answer as { results: Shown[] }).results;
    };
  },
  ours: (tools) => {
    const processor = new ToolSearchProcessor({ tools, search: { topK: SHOWN } });
    processor.__registerMastra(new Mastra({ logger: false }));
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
