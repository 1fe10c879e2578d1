// A ToolSource in memory, for tests: it ranks as the catalog of a process does, apart for each tenant.
import type { RequestContext } from '@mastra/core/request-context';
import {
  bm25Scorer,
  type MastraTool,
  type SourceCandidate,
  type ToolIndex,
  type ToolSource,
  type ToolStub,
} from 'mastra-tool-search';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import { documentsOf } from '../../src/catalog/catalog.ts';
import { serverOf } from '../../src/catalog/groups.ts';
import { runToEnd } from '../../src/util/time-slices.ts';

export type SourceTool = MastraTool | ToolStub;

/** A source that notes what it is asked, and that can be made to fail. */
export interface MemorySource extends ToolSource {
  /** Replaces the tools of a tenant. */
  fill(tools: Readonly<Record<string, SourceTool>>, tenant?: string): Promise<void>;
  /** What it was asked: the operation, then the query's text or the names. */
  readonly asked: { readonly operation: 'search' | 'get' | 'list'; readonly what: string; readonly limit?: number }[];
  /** What every call throws, or waits for. */
  fault: unknown;
}

interface Shelf {
  readonly tools: ReadonlyMap<string, SourceTool>;
  readonly index: ToolIndex;
}

/** The tenant of a request stands in its context. */
export const TENANT = 'tenant';

/** @param of - `list: false` leaves the optional method out. */
export async function memorySource(
  tools: Readonly<Record<string, SourceTool>> = {},
  of: { readonly list?: boolean; readonly name?: string } = {},
): Promise<MemorySource> {
  const shelves = new Map<string, Shelf>();
  const shelfOf = (requestContext: RequestContext | undefined): Shelf | undefined =>
    shelves.get(String(requestContext?.get(TENANT) ?? ''));
  const candidateOf = (name: string, tool: SourceTool, score: number): SourceCandidate => {
    const group = serverOf(tool as MastraTool);
    return { name, description: tool.description ?? '', score, ...(group ? { group } : {}) };
  };
  const source: MemorySource = {
    name: of.name ?? 'memory',
    asked: [],
    fault: undefined,
    fill: async (given, tenant = '') => {
      const catalog = readCatalog(listedTools(given));
      const index = await bm25Scorer().index(runToEnd(documentsOf(catalog)));
      shelves.set(tenant, { tools: new Map(Object.entries(given)), index });
    },
    search: async (query, { requestContext, limit, explain }) => {
      source.asked.push({ operation: 'search', what: query.text, limit });
      await failing(source.fault);
      const shelf = shelfOf(requestContext);
      if (!shelf) return [];
      const matches = (await shelf.index.search(query)).slice(0, limit);
      const names = matches.map(({ name }) => name);
      const confidences = (await shelf.index.confidence?.(query, names)) ?? [];
      return Promise.all(
        matches.map(async ({ name, score }, position) => {
          const explanation = explain ? await shelf.index.explain?.(query, name) : undefined;
          return {
            ...candidateOf(name, shelf.tools.get(name)!, score),
            confidence: confidences[position]!,
            ...(explanation ? { words: explanation.words } : {}),
          };
        }),
      );
    },
    get: async (names, { requestContext }) => {
      source.asked.push({ operation: 'get', what: names.join(',') });
      await failing(source.fault);
      const shelf = shelfOf(requestContext);
      return Object.fromEntries(names.flatMap((name) => [[name, shelf?.tools.get(name)]].filter(([, tool]) => tool)));
    },
  };
  if (of.list !== false) {
    source.list = async (what, { requestContext, limit }) => {
      source.asked.push({ operation: 'list', what: 'prefix' in what ? `${what.prefix}*` : what.group, limit });
      await failing(source.fault);
      const all = [...(shelfOf(requestContext)?.tools ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
      const fits = ([name, tool]: [string, SourceTool]): boolean =>
        'prefix' in what
          ? name.startsWith(what.prefix)
          : serverOf(tool as MastraTool)?.toLowerCase() === what.group.toLowerCase();
      return all
        .filter(fits)
        .slice(0, limit)
        .map(([name, tool]) => candidateOf(name, tool, 1));
    };
  }
  await source.fill(tools);
  return source;
}

async function failing(fault: unknown): Promise<void> {
  if (fault instanceof Promise) await fault;
  else if (fault !== undefined) throw fault;
}
