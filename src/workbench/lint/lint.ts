import {
  asRecord,
  bm25Scorer,
  type CatalogEntry,
  checkOption,
  documentsOf,
  ended,
  Groups,
  given,
  inputJsonSchema,
  inSlices,
  invalidOption,
  isRecord,
  isSearchable,
  type ListedTool,
  listedTools,
  type MastraTool,
  messageOf,
  type NamesOf,
  providerSearches,
  Reporter,
  readCatalog,
  refuseUnknownOptions,
  type SearchableTool,
  type SlicedWork,
  serverOf,
  type ToolGroup,
  type ToolScorer,
  ToolSearchError,
} from '../../kit.ts';
import { definitionsOf } from '../definitions.ts';
import type { ToolsToRead } from '../evaluate/cases.ts';
import { grouped } from '../grouped.ts';
import { check, type LintFinding, type LintRule, lintRules } from './check.ts';
import {
  type LintedCatalog,
  type LintedTool,
  type LintMode,
  type LintSeverity,
  lintedTool,
  type RefusedTool,
} from './rule.ts';

/**
 * The options of `lint`.
 *
 * @example
 * ```ts
 * const options: LintOptions = { rules: { 'undescribed-parameters': 'info', 'crowded-namespace': 'off' } };
 * console.log(await lint(tools, options));
 * ```
 */
export interface LintOptions {
  /** The severity of a rule's findings in place of their own; `off` for none of them. */
  readonly rules?: Readonly<Partial<Record<LintRule, LintSeverity | 'off'>>>;
  /** Ranks tools for the rules that search: they ask whether the words of a tool are its own. @default bm25Scorer() */
  readonly scorer?: ToolScorer;
  /** Results that a model is shown. @default 5 */
  readonly topK?: number;
  /** The processor's `search.keywords`. @default none */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** The processor's `mode`: `crowded-namespace` is about native mode alone. @default 'load' */
  readonly mode?: 'load' | 'call' | 'native';
  /** The processor's `groups`. @default the MCP server of a tool, or the name of its toolset */
  readonly groups?: ToolGroup;
  /** Only findings about these tools, by the names the model calls. All others still count in searches. @default all */
  readonly only?: readonly string[];
  /** Told how many tools are compared with the others: of thousands, that takes the longest. @default none */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

const optionNames: NamesOf<LintOptions> = {
  rules: Object.fromEntries(Object.keys(lintRules).map((rule) => [rule, true])),
  ...{ scorer: true, topK: true, keywords: true, groups: true, mode: true, only: true, onProgress: true },
};
/** The names that the processor refuses in each mode: those of its meta-tools. */
const RESERVED: Readonly<Record<LintMode, readonly string[]>> = {
  load: ['search_tools', 'load_tool'],
  call: ['search_tools', 'load_tool', 'call_tool'],
  native: ['search_tools', 'load_tool', ...providerSearches.keys()],
};
const SEVERITIES: readonly unknown[] = ['error', 'warning', 'info', 'off', undefined];

/**
 * Looks for flaws of tools that keep a model from finding, calling or trusting them. No model is called, and no tool runs.
 *
 * A tool that the processor would refuse is a finding here.
 *
 * @throws ToolSearchError `invalid-option` for wrong options, and for `tools` that are neither record nor list. What the
 * scorer throws is thrown.
 *
 * @example
 * ```ts
 * const findings = await lint(tools);
 * for (const { severity, toolName, evidence, remedy } of findings) console.log(severity, toolName, evidence, remedy);
 * process.exitCode = findings.some(({ severity }) => severity === 'error') ? 1 : 0;
 * ```
 */
export async function lint(tools: ToolsToRead, options: LintOptions = {}): Promise<readonly LintFinding[]> {
  refuseUnknownOptions('lint', options, optionNames);
  const {
    rules = {},
    scorer = bm25Scorer(),
    topK = 5,
    keywords = {},
    groups = serverOf,
    mode = 'load',
    only,
    onProgress,
  } = options;
  checkOption(Number.isInteger(topK) && topK > 0, 'topK', topK, 'a whole number above 0');
  checkOption(typeof groups === 'function', 'groups', groups, 'a function');
  checkOption(Object.hasOwn(RESERVED, mode), 'mode', mode, '"load", "call" or "native"');
  checkOption(onProgress === undefined || typeof onProgress === 'function', 'onProgress', onProgress, 'a function');
  for (const [rule, severity] of Object.entries(rules))
    checkOption(SEVERITIES.includes(severity), `rules["${rule}"]`, severity, '"error", "warning", "info" or "off"');
  if (only !== undefined && !(Array.isArray(only) && only.every((name) => typeof name === 'string')))
    throw invalidOption('only', only, 'a list of names');
  const read = await inSlices(readTools(tools, groups, new Map(Object.entries(keywords)), RESERVED[mode]));
  const index = await scorer.index(read.tools.map(({ document }) => document));
  return check({ ...read, index, topK, mode }, { rules, ...given({ only, onProgress }) });
}

/**
 * Reads tools as the processor does, but goes on where that throws.
 *
 * @param reservedNames - names that the processor refuses.
 */
function* readTools(
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
  const listedByKey = new Map(listed.map((one) => [one.key, one]));
  const documents = yield* documentsOf(catalog);
  const read: LintedTool[] = [];
  const instructions = new Set<unknown>();
  for (const entry of catalog.entries) {
    const document = documents[read.length];
    const own = listedByKey.get(entry.key);
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
          ...{ description: entry.description, title: document.title, schema: known.schema },
          isJsonSchema: known.isJsonSchema,
          others: isNew ? { ...others, serverInstructions } : others,
        }),
      );
    }
    yield;
  }
  return { tools: read, refused };
}

/** What the rules read besides the catalog's document, as plain data. Parts that cannot be read are left out, and told. */
export function definitionOf(
  { tool }: CatalogEntry,
  given: unknown = tool,
  tell: (error: unknown) => void = () => {},
): Pick<LintedTool, 'schema'> & {
  readonly isJsonSchema: boolean;
  readonly others: Readonly<Record<string, unknown>>;
} {
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
  return {
    schema: attempt(() => inputJsonSchema(tool)),
    isJsonSchema: attempt(() => isJsonSchema(tool.inputSchema)) === true,
    others: {
      annotations: attempt(() => fields().annotations ?? asRecord(fields().mcp)?.['annotations']),
      // Of a tool in code, it may be what JSON cannot say.
      outputSchema: attempt(
        () => inputJsonSchema({ inputSchema: fields().outputSchema }),
        () => {},
      ),
      serverInstructions: attempt(() => asRecord(fields().mcpMetadata)?.['serverInstructions']),
    },
  };
}

/** Whether a schema is JSON, also within Mastra's wrapper, and no schema of zod or of another library. */
function isJsonSchema(inputSchema: unknown): boolean {
  const fields = asRecord(inputSchema);
  const standard = asRecord(fields?.['~standard']);
  return fields !== undefined && (standard ? standard['vendor'] === 'json-schema' : !('_def' in fields));
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
  const read = (tool: unknown): readonly unknown[] => {
    try {
      return definitionsOf([tool]);
    } catch {
      return [tool];
    }
  };
  return tools.flatMap(read).map((tool, at) => {
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
