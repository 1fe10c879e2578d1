import type { RequestContext } from '@mastra/core/request-context';
import {
  type AnyTool,
  asRecord,
  isLazyTool,
  isTool,
  type SourceCandidate,
  type SourceRequest,
  type ToolSource,
  type ToolStub,
} from '../kit.ts';
import { CatalogFigures } from './catalog-figures.ts';
import { withRemedy } from './faults.ts';
import { NearTools } from './near-tools.ts';
import { checkTenant, type PostgresSettings } from './options.ts';
import { runOver } from './run.ts';
import { type FoundTool, searchTools } from './search.ts';
import { Semaphore } from './semaphore.ts';
import { statementsOf } from './statements.ts';
import { type StoredTool, storedTool } from './stored-tool.ts';

/** The part of a source that reads its tables. */
export interface PostgresReader extends Required<Pick<ToolSource, 'search' | 'get' | 'list'>> {
  /** Has what is kept of word counts read anew: this process has changed the tools. */
  forget(): void;
}

/** The most matches of a search, as of a list. */
const MAX_LIMIT = 1_000;
/** Characters of the longest name that a tool can have, and more. */
const MAX_NAME = 128;

/** What reads the tables of a source. */
export function readerOf({ readPool, tables, tenant, toTool, prepare, vectors }: PostgresSettings): PostgresReader {
  const plain = runOver(readPool, prepare);
  const run: typeof plain = async (text, values, abortSignal) => {
    try {
      return await plain(text, values, abortSignal);
    } catch (error) {
      throw withRemedy(error, tables);
    }
  };
  const figures = new CatalogFigures(run, tables);
  const statements = statementsOf(tables);
  const semaphore = new Semaphore();
  const meaning = vectors && { tools: new NearTools(run, tables, vectors), settings: vectors };

  const tenantOf = async ({ requestContext }: SourceRequest): Promise<string> => {
    const found = typeof tenant === 'function' ? await tenant(requestContext ? { requestContext } : {}) : tenant;
    checkTenant(found, 'returned as a text of at most 500 characters for each request, e.g. from its requestContext');
    return found;
  };
  const stored = async (text: string, values: readonly unknown[], abortSignal?: AbortSignal): Promise<StoredTool[]> => {
    const rows = await run<{ name: string; definition: unknown }>(text, values, abortSignal);
    return rows.map(({ name, definition }) => storedTool(name, definition));
  };
  const named = (of: string, names: readonly string[], abortSignal?: AbortSignal): Promise<StoredTool[]> =>
    stored(statements.tools, [of, names], abortSignal);

  return {
    forget: () => figures.forget(),
    async search(query, request) {
      const { abortSignal, explain } = request;
      const limit = limitOf(request.limit);
      const of = await tenantOf(request);
      if (limit === 0) return [];
      // Before it has a place: what takes so long is not to keep others waiting.
      const vector = await meaning?.tools.vectorOf(query, abortSignal);
      const search = { query, tenant: of, limit, abortSignal, vector };
      const found = await semaphore.within(() => searchTools({ run, figures, statements, meaning }, search));
      if (found.length === 0) return [];
      const names = found.map(({ name }) => name);
      const tools = new Map((await named(of, names, abortSignal)).map((tool) => [tool.name, tool]));
      return found.flatMap((match) => {
        const tool = tools.get(match.name);
        return tool ? [candidateOf(tool, match, explain === true)] : [];
      });
    },
    async get(names, request) {
      const of = await tenantOf(request);
      const asked = [...new Set(names)].filter(isStorable);
      if (asked.length === 0) return {};
      const tools = await named(of, asked, request.abortSignal);
      const { requestContext } = request;
      const made = tools.map(async (tool) => [tool.name, await madeOf(tool, requestContext, toTool)] as const);
      return Object.fromEntries(await Promise.all(made));
    },
    async list(of, request) {
      const limit = limitOf(request.limit);
      const owner = await tenantOf(request);
      const what = 'prefix' in of ? of.prefix : of.group;
      if (limit === 0 || !isStorable(what)) return [];
      const text = 'prefix' in of ? statements.withPrefix : statements.ofGroup;
      const tools = await stored(text, [owner, what, limit], request.abortSignal);
      return tools.map((tool) => candidateOf(tool, { name: tool.name, score: 1 }, false));
    },
  };
}

function limitOf(limit: number): number {
  return Math.min(MAX_LIMIT, Math.max(0, Math.floor(limit) || 0));
}

/** Whether PostgreSQL can have the text: no zero bytes, no halves of characters. */
function isStorable(text: string): boolean {
  return text.length <= MAX_NAME && !text.includes('\0') && Buffer.from(text).toString() === text;
}

function candidateOf(
  { name, description, group, inputSchema }: StoredTool,
  { score, confidence, words }: FoundTool,
  explain: boolean,
): SourceCandidate {
  const parameters = Object.keys(asRecord(inputSchema['properties']) ?? {});
  return {
    ...{ name, description, score, parameters },
    ...(group === undefined ? {} : { group }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(explain && words ? { words } : {}),
  };
}

/** The tool that runs. Where it cannot be made, a lazy tool that says so when it is loaded: the others are not at fault. */
async function madeOf(
  stored: StoredTool,
  requestContext: RequestContext | undefined,
  toTool: PostgresSettings['toTool'],
): Promise<AnyTool | ToolStub> {
  try {
    const made: unknown = await toTool(stored, requestContext ? { requestContext } : {});
    if (!isTool(made) && !isLazyTool(made)) throw new TypeError(`toTool() returned no tool for "${stored.name}"`);
    return made as AnyTool | ToolStub;
  } catch (error) {
    const resolve = (): never => {
      throw error;
    };
    return { id: stored.name, description: stored.description, resolve };
  }
}
