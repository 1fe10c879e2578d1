import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { MAX_NAME, repairName } from '../../../src/catalog/names.ts';
import type { MastraTool } from '../../../src/index.ts';
import { type Contestant, type Found, RESULTS } from './contestant.ts';
import type { LabelledTool } from './sets.ts';

interface ProcessorOptions {
  readonly tools: Record<string, MastraTool>;
  readonly search: { readonly topK: number };
}

interface Processor {
  processInputStep(args: never): Promise<unknown>;
}

/**
 * A processor in the way a model reaches it: the `search_tools` of a step, run. Its index may be built by the first
 * search, so one is part of the build.
 */
export function throughSearchTools(name: string, create: (options: ProcessorOptions) => Processor): Contestant {
  return {
    name,
    async build(tools) {
      // A processor that repairs a name which providers refuse finds the tool of the label all the same.
      const ids = new Map(
        tools.flatMap(
          ({ id }) =>
            [[id, id], ...(id.length > MAX_NAME ? [[repairName(id, () => false), id]] : [])] as [string, string][],
        ),
      );
      const processor = create({ tools: mastraTools(tools), search: { topK: RESULTS } });
      const messageList = new MessageList();
      const step = { messageList, messages: [], requestContext: new RequestContext(), state: {}, stepNumber: 0 };
      const outcome = await processor.processInputStep({ ...step, steps: [] } as never);
      const { search_tools: searchTools } = (outcome as { tools: Record<string, MastraTool> }).tools;
      const search = async (query: string) => {
        const result = await searchTools?.execute?.({ query }, {} as never);
        const { results } = result as { results?: readonly Found[] };
        if (!results) throw new Error(`${name} answered "${query}" without results: ${JSON.stringify(result)}`);
        return { found: results.map((result) => ({ ...result, name: ids.get(result.name) ?? result.name })) };
      };
      await search('a');
      return search;
    },
  };
}

/** As `@mastra/mcp` makes them of what a server lists, but the same for one catalog however often it is built. */
export function mastraTools(tools: readonly LabelledTool[]): Record<string, MastraTool> {
  const known = records.get(tools);
  if (known) return known;
  const record = Object.fromEntries(tools.map((tool) => [tool.id, mastraTool(tool)]));
  records.set(tools, record);
  return record;
}

const records = new WeakMap<readonly LabelledTool[], Record<string, MastraTool>>();

function mastraTool({ id, description, inputSchema, annotations }: LabelledTool): MastraTool {
  return createTool({
    id,
    description,
    inputSchema,
    ...(annotations === undefined ? {} : { mcp: { annotations } }),
    execute: async () => ({}),
  } as never) as MastraTool;
}
