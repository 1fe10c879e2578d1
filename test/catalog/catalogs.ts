// A catalog from outside: the documents that a scorer gets of it, the names that load a tool, and events.
import {
  type MastraTool,
  type SearchRequest,
  type ToolDocument,
  type ToolParameter,
  type ToolScorer,
  type ToolSearchError,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { z } from 'zod';
import { Session } from '../meta-tools/session.ts';
import { thrownBy } from '../options/refusal.ts';

/** A tool without an id of its own. */
export const nameless = (description = 'Does it.'): object => ({
  description,
  inputSchema: z.object({}),
  execute: async () => 'ran',
});

export const webSearch = { type: 'provider-defined', id: 'openai.web_search', name: 'web_search', args: {} };

type Options = Omit<ToolSearchProcessorOptions, 'tools'>;

export interface SeenCatalog {
  readonly processor: ToolSearchProcessor;
  readonly events: ToolSearchEvent[];
  /** As `name: problem`. */
  problems(): string[];
  documents(request?: SearchRequest): Promise<readonly ToolDocument[]>;
  names(request?: SearchRequest): Promise<string[]>;
}

export function catalogOf(tools: unknown, options: Options = {}): SeenCatalog {
  const events: ToolSearchEvent[] = [];
  let seen: readonly ToolDocument[] = [];
  const note = (documents: readonly ToolDocument[]) => {
    seen = documents;
    return [];
  };
  const scorer: ToolScorer = { name: 'noting', index: (documents) => ({ search: () => note(documents) }) };
  const processor = new ToolSearchProcessor({
    ...options,
    tools: tools as never,
    search: { ...options.search, scorer },
    onEvent: (event) => events.push(event),
  });
  const documents = async (request: SearchRequest = {}): Promise<readonly ToolDocument[]> => {
    await processor.search('x', request);
    return seen;
  };
  return {
    processor,
    events,
    problems: () =>
      events.flatMap((event) => (event.type === 'tool-problem' ? [`${event.toolName}: ${event.problem}`] : [])),
    documents,
    names: async (request) => (await documents(request)).map(({ name }) => name),
  };
}

/** A tool that is read as it is, as one of Mastra's. */
export const raw = (fields: object): object =>
  Object.create({ [Symbol.for('mastra.core.tool.Tool')]: true }, Object.getOwnPropertyDescriptors(fields));

/** The document of a tool, and why a part of it could not be read. */
export async function documentOf(
  fields: object,
  keywords: readonly string[] = [],
): Promise<{ document: ToolDocument; problem?: string }> {
  const { documents, events } = catalogOf(
    { a: raw(fields) },
    keywords.length > 0 ? { search: { keywords: { a: keywords } } } : {},
  );
  const [document] = await documents();
  const unread = events.find((event) => event.type === 'tool-problem' && event.problem === 'unreadable-schema');
  return {
    document: document as ToolDocument,
    ...(unread ? { problem: (unread as { message: string }).message } : {}),
  };
}

export const parametersOf = async (inputSchema: unknown): Promise<readonly ToolParameter[]> =>
  (await documentOf({ inputSchema })).document.parameters;
export const parameterNames = async (inputSchema: unknown): Promise<string[]> =>
  (await parametersOf(inputSchema)).map(({ name }) => name);

export const namesOf = (tools: unknown): Promise<string[]> => catalogOf(tools).names();
export const problemsOf = (tools: unknown): string[] => catalogOf(tools).problems();

/** The tool that is sent after it was loaded by this spelling. */
export async function loaded(tools: unknown, spelling: string, options: Options = {}): Promise<MastraTool | undefined> {
  const session = new Session({ ...options, tools: tools as never });
  const { loaded: [name] = [] } = await session.load({ toolName: spelling });
  return name === undefined ? undefined : (await session.step()).tools[name];
}

/** The name of the tool that a spelling loads. */
export async function nameOf(tools: unknown, spelling: string): Promise<string | undefined> {
  return (await new Session({ tools: tools as never }).load({ toolName: spelling })).loaded?.[0];
}

/** What the constructor throws for these tools. */
export const refusal = (tools: unknown, options: Options = {}): ToolSearchError =>
  thrownBy(() => new ToolSearchProcessor({ ...options, tools: tools as never }));
