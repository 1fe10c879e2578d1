import { checkOption, invalidOption, messageOf, ToolSearchError } from '../../errors.ts';
import {
  bm25Scorer,
  type CatalogEntry,
  documentsOf,
  Groups,
  inputJsonSchema,
  isSearchable,
  type ListedTool,
  listedTools,
  type MastraTool,
  providerSearches,
  Reporter,
  readCatalog,
  type SearchableTool,
  serverOf,
  type ToolGroup,
  type ToolScorer,
} from '../../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import { asRecord, given, isRecord } from '../../util/record.ts';
import { ended } from '../../util/text.ts';
import { inSlices, type SlicedWork } from '../../util/time-slices.ts';
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
  /** Overrides the severity of a rule's findings; `off` drops them. */
  readonly rules?: Readonly<Partial<Record<LintRule, LintSeverity | 'off'>>>;
  /** Ranks tools for the rules that search by the words of a tool. @default bm25Scorer() */
  readonly scorer?: ToolScorer;
  /** Number of results that a model is shown. @default 5 */
  readonly topK?: number;
  /** The processor's `search.keywords`. @default none */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** The processor's `mode`: `crowded-namespace` applies to native mode alone. @default 'load' */
  readonly mode?: 'load' | 'call' | 'native';
  /** The processor's `groups`. @default the MCP server of a tool, or the name of its toolset */
  readonly groups?: ToolGroup;
  /** Only findings about these tools, by the names the model calls. All others still count in searches. @default all */
  readonly only?: readonly string[];
  /** Called with the number of compared tools, which takes longest with thousands of tools. @default none */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

const optionNames: NamesOf<LintOptions> = {
  rules: Object.fromEntries(Object.keys(lintRules).map((rule) => [rule, true])),
  ...{ scorer: true, topK: true, keywords: true, groups: true, mode: true, only: true, onProgress: true },
};
/** The names that the processor reserves for its meta-tools in each mode. */
const RESERVED: Readonly<Record<LintMode, readonly string[]>> = {
  load: ['search_tools', 'load_tool'],
  call: ['search_tools', 'load_tool', 'call_tool'],
  native: ['search_tools', 'load_tool', ...providerSearches.keys()],
};
const SEVERITIES: readonly unknown[] = ['error', 'warning', 'info', 'off', undefined];

/**
 * Finds flaws that keep a model from finding, calling or trusting tools. No model is called, and no tool runs. A tool that the
 * processor would refuse is a finding.
 *
 * @throws ToolSearchError `invalid-option` for wrong options, and for `tools` that are neither record nor list; also the
 * scorer's own errors.
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
 * Reads tools as the processor does, but continues where the processor would throw.
 *
 * @param reservedNames - names of meta-tools, which the processor refuses.
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
  // The tools by key and by id.
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
      // All tools of a server share its instructions, so only its first tool reports them.
      const { serverInstructions, ...others } = known.others;
      const isNew = typeof serverInstructions === 'string' && !instructions.has(serverInstructions);
      if (isNew) instructions.add(serverInstructions);
      // A function for groups may need the id, which not every tool has itself.
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

/** The parts of a tool that rules read besides its document, as plain data. Unreadable parts are left out, and reported. */
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
      // The output schema of a tool in code may be one that JSON cannot express.
      outputSchema: attempt(
        () => inputJsonSchema({ inputSchema: fields().outputSchema }),
        () => {},
      ),
      serverInstructions: attempt(() => asRecord(fields().mcpMetadata)?.['serverInstructions']),
    },
  };
}

/** Whether a schema is a JSON schema, possibly in Mastra's wrapper, and not one of zod or another library. */
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

/** Reads a list of definitions. Two of one name stay two, so that the second one can be reported. */
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
 * Copies a value as plain lists and records, so that later reads neither throw nor change. Cycles are kept. A value that cannot
 * be cloned, as a function or a proxy, is copied through JSON.
 *
 * @throws errors of getters, and a RangeError for endless nesting.
 */
function plain(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  }
}
