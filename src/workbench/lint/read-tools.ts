import {
  asRecord,
  type CatalogEntry,
  ended,
  Groups,
  inputJsonSchema,
  isRecord,
  isSearchable,
  type ListedTool,
  listedTools,
  type MastraTool,
  messageOf,
  Reporter,
  readCatalog,
  type SearchableTool,
  type SlicedWork,
  type ToolGroup,
  ToolSearchError,
} from '../../kit.ts';
import { grouped } from '../grouped.ts';
import { type LintedCatalog, type LintedTool, lintedTool, type RefusedTool } from './catalog.ts';

/**
 * Reads tools as the processor does, but goes on where that throws.
 *
 * @param reservedNames - names that the processor refuses.
 */
export function* readTools(
  tools: unknown,
  groupOf: ToolGroup,
  keywords: ReadonlyMap<string, readonly string[]>,
  reservedNames: readonly string[],
): SlicedWork<Pick<LintedCatalog, 'tools' | 'refused'>> {
  const listed = listedOf(tools);
  const groups = new Groups(groupOf);
  const serverOf = ({ tool, toolset = '' }: ListedTool): string =>
    (isRecord(tool) && groups.describe(tool as unknown as MastraTool).name) || toolset;
  const refused: RefusedTool[] = [];
  const told = new Set<string>();
  // Tools by their keys and ids.
  const named = grouped(
    listed.flatMap((one) => [...new Set([one.key, idOf(one.tool)])].map((name) => ({ name, one }))),
    ({ name }) => name,
  );
  const serversOf = new Map<string, readonly string[]>();
  const refuse = (name: string, why: RefusedTool['why'], message: string): void => {
    const servers = serversOf.get(name) ?? (named.get(name) ?? []).map(({ one }) => serverOf(one));
    serversOf.set(name, servers);
    told.add(name);
    refused.push({ name, why, message, servers });
  };
  const reporter = new Reporter((event) => {
    if (event.type !== 'tool-problem') return;
    if (event.problem === 'left-out') refuse(event.toolName, 'left-out', event.message);
    if (event.problem === 'unreadable-schema') refuse(event.toolName, 'unreadable', event.message);
  });
  const catalog = readCatalog(listed, {
    ...{ reservedNames, keywords, reporter, groupOf: (tool) => groups.describe(tool) },
    onRefused: ({ code, message }, name) =>
      refuse(name, code === 'duplicate-tool' || code === 'reserved-name' ? code : 'unreadable', message),
  });
  const given = new Map(listed.map((one) => [one.key, one]));
  const documents = yield* catalog.readDocuments();
  const read: LintedTool[] = [];
  const instructions = new Set<unknown>();
  for (const entry of catalog.entries) {
    const document = documents[read.length];
    const own = given.get(entry.key);
    if (document && own) {
      const known = definitionOf(entry, own.tool, (error) => {
        const message = `The definition of tool ${entry.name} cannot be read: ${ended(messageOf(error))}`;
        if (!told.has(entry.name)) refuse(entry.name, 'unreadable', message);
      });
      // Tools of one server have one text.
      const { serverInstructions, ...others } = known.others;
      const isNew = typeof serverInstructions === 'string' && !instructions.has(serverInstructions);
      if (isNew) instructions.add(serverInstructions);
      // A function may tell groups by ids, which not every tool has of itself.
      const server = serverOf(own) || groups.describe(entry.tool).name;
      read.push(
        lintedTool({
          ...{ name: entry.name, originalName: entry.originalName ?? entry.name, server, document },
          ...{ description: entry.description, title: document.title || known.title, schema: known.schema },
          others: isNew ? { ...others, serverInstructions } : others,
        }),
      );
    }
    yield;
  }
  return { tools: read, refused };
}

/** What the rules read besides the catalog's document, as plain data. Parts that cannot be read are left out, and told. */
function definitionOf(
  { tool }: CatalogEntry,
  given: unknown,
  tell: (error: unknown) => void,
): { readonly schema: unknown; readonly title: string; readonly others: Readonly<Record<string, unknown>> } {
  const attempt = (part: () => unknown, onError = tell): unknown => {
    try {
      return plain(part());
    } catch (error) {
      onError(error);
      return undefined;
    }
  };
  const fields = (): SearchableTool & { readonly outputSchema?: unknown; readonly annotations?: unknown } =>
    asRecord(given) ?? {};
  const annotations = attempt(() => fields().annotations ?? asRecord(fields().mcp)?.['annotations']);
  // Where a server lists it so; a tool of Mastra has no room for it.
  const title = asRecord(annotations)?.['title'];
  return {
    schema: attempt(() => inputJsonSchema(tool)),
    title: typeof title === 'string' ? title : '',
    others: {
      annotations,
      // Of a tool in code, it may be what JSON cannot say.
      outputSchema: attempt(
        () => inputJsonSchema({ inputSchema: fields().outputSchema }),
        () => {},
      ),
      serverInstructions: attempt(() => asRecord(fields().mcpMetadata)?.['serverInstructions']),
    },
  };
}

function listedOf(tools: unknown): readonly ListedTool[] {
  try {
    return Array.isArray(tools) ? listedDefinitions(tools) : listedTools(tools);
  } catch (error) {
    if (error instanceof ToolSearchError) throw error;
    throw new ToolSearchError(
      'invalid-option',
      `tools cannot be read: ${ended(messageOf(error))} Give a record or a list of tools.`,
    );
  }
}

/** A list of definitions. Two of one name stay two, so that the second one can be reported. */
function listedDefinitions(tools: readonly unknown[]): readonly ListedTool[] {
  return tools.map((tool, at) => {
    try {
      const name = asRecord(tool)?.['name'];
      return { key: typeof name === 'string' ? name : `${at}`, tool, isTool: isSearchable(tool) };
    } catch (error) {
      return { key: `${at}`, tool: undefined, isTool: false, error };
    }
  });
}

function idOf(tool: unknown): unknown {
  try {
    return asRecord(tool)?.['id'];
  } catch {
    return undefined;
  }
}

/**
 * A copy of a value as plain lists and records, so that what the rules read later neither throws nor changes. A circle
 * stays one. Of what cannot be cloned, as a function in it or a proxy, what JSON has of it.
 *
 * @throws what reading it throws, and a RangeError where it has no end.
 */
function plain(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  }
}
