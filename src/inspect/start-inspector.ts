import { checkOption, invalidOption } from '../errors.ts';
import {
  type Catalog,
  RequestSearch,
  type ToolGroup,
  type ToolScorer,
  type ToolSearchFilter,
  wordsAndMeaningScorer,
} from '../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../util/check.ts';
import { given, isRecord } from '../util/record.ts';
import { catalogOf, type EvaluationCase, type ToolsToRead } from '../workbench/evaluate/cases.ts';
import type { Evaluation } from '../workbench/evaluate/evaluate.ts';
import { lint } from '../workbench/lint/lint.ts';
import type { Funnel } from '../workbench/usage.ts';
import { fileOf } from './file.ts';
import { LOCAL_SCORERS, type Shown } from './inspect-data.ts';
import { pageFiles } from './page-files.ts';
import { serveInspector } from './server.ts';
import { type Inspected, InspectSource } from './source.ts';

/**
 * What an inspector shows.
 *
 * @example
 * ```ts
 * const cases = [{ query: 'write to a colleague', relevant: ['send_email'] }];
 * const options: InspectOptions = { tools, cases, title: 'Office' };
 * const html = await inspectorHtml(options);
 * ```
 */
export interface InspectOptions {
  /** The tools, as the processor takes them, or a list as `tools/list` of an MCP server returns it. */
  readonly tools: ToolsToRead;
  /** The name of the catalog. @default 'Tools' */
  readonly title?: string;
  /** Queries with the tools that they should find. @default none */
  readonly cases?: readonly EvaluationCase[];
  /** A funnel, as `funnel()` counts it. @default none */
  readonly funnel?: Funnel;
  /**
   * Scorers besides the page's own `words and meaning` and `bm25`. The server runs them, so a file has none of them.
   *
   * @default none
   */
  readonly scorers?: readonly ToolScorer[];
  /** The name of the scorer that the page begins with. @default the first of `scorers`, else `words and meaning` */
  readonly scorer?: string;
  /** The processor's `search.keywords`. @default none */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** The processor's `groups`. @default the MCP server of a tool */
  readonly groups?: ToolGroup;
  /** Number of results that the model is shown. @default 5 */
  readonly topK?: number;
  /** The processor's `mode`: in native mode, lint looks for crowded namespaces. @default 'load' */
  readonly mode?: 'load' | 'call' | 'native';
  /** An earlier evaluation with which the scorers are compared. @default none */
  readonly baseline?: Evaluation;
}

/**
 * The options of `startInspector`.
 *
 * @example
 * ```ts
 * const options: StartInspectorOptions = { tools, port: 4112 };
 * const { url } = await startInspector(options);
 * ```
 */
export interface StartInspectorOptions extends InspectOptions {
  /** A port of the loopback. @default one that is free */
  readonly port?: number;
  /** The processor's filter, for acting as a user. @default everything is permitted */
  readonly filter?: ToolSearchFilter;
}

/**
 * An inspector that is running.
 *
 * @example
 * ```ts
 * const inspector: Inspector = await startInspector({ tools });
 * console.log(inspector.url);
 * await inspector.close();
 * ```
 */
export interface Inspector {
  /** The address of the page, with the token that opens it. */
  readonly url: string;
  /**
   * Replaces the catalog. Open pages load it, and keep their edits.
   *
   * @throws ToolSearchError as `startInspector` does; the previous catalog then stays.
   */
  update(options: Omit<StartInspectorOptions, 'port'>): Promise<void>;
  /** Closes the server and all open connections. */
  close(): Promise<void>;
}

const names: NamesOf<InspectOptions> = {
  tools: true,
  title: true,
  cases: true,
  funnel: true,
  scorers: true,
  scorer: true,
  keywords: true,
  groups: true,
  topK: true,
  mode: true,
  baseline: true,
};
const updateNames: NamesOf<Omit<StartInspectorOptions, 'port'>> = { ...names, filter: true };
const startNames: NamesOf<StartInspectorOptions> = { ...updateNames, port: true };

/**
 * Starts a server for the inspector's page, on the loopback alone. Whoever has the address with its token can see all tools;
 * nobody can run one.
 *
 * @throws ToolSearchError `invalid-option`, `invalid-tool` or `duplicate-tool` as `evaluate` does, `inspector-unavailable`;
 * also errors of listening at the port.
 *
 * @example
 * ```ts
 * const inspector = await startInspector({ tools });
 * console.log(`Open ${inspector.url}`);
 * ```
 */
export async function startInspector(options: StartInspectorOptions): Promise<Inspector> {
  refuseUnknownOptions('startInspector', options, startNames);
  const { port = 0 } = options;
  checkOption(Number.isInteger(port) && port >= 0 && port < 65_536, 'port', port, 'a whole number from 0 to 65535');
  const source = new InspectSource(...inspectedOf(options), 0);
  // Invalid cases, or a missing page, fail now and not at the first request.
  await Promise.all([source.data(), pageFiles()]);
  return {
    ...(await serveInspector(source, port)),
    async update(next) {
      refuseUnknownOptions('update()', next, updateNames);
      const replaced = inspectedOf(next);
      await new InspectSource(...replaced).data();
      source.replace(...replaced);
    },
  };
}

function inspectedOf(options: Omit<StartInspectorOptions, 'port'>): readonly [Inspected, Shown] {
  const { scorers = [], topK = 5, filter, groups } = options;
  checkOption(filter === undefined || typeof filter === 'function', 'filter', filter, 'a function');
  const { catalog, shown } = read(options);
  const over = (scorer: ToolScorer): RequestSearch => RequestSearch.over(catalog, scorer, { filter, groups });
  const served = namedScorers(scorers, over);
  const search = over(wordsAndMeaningScorer());
  const inspected = { search, isPerRequest: false, scorers: served, topK, lint: () => findingsOf(options) };
  return [inspected, shown];
}

/**
 * Makes the inspector's page as one file without a server: for a pull request, or an archive of a build. Of its 3.4 megabytes,
 * 3.1 are the table of word vectors, without which the file would rank differently from the agent.
 *
 * @throws ToolSearchError as `startInspector`.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('report.html', await inspectorHtml({ tools }));
 * ```
 */
export async function inspectorHtml(options: InspectOptions): Promise<string> {
  refuseUnknownOptions('inspectorHtml', options, names);
  const { catalog, shown } = read(options);
  const { scorer } = options;
  const isLocal = scorer === undefined || LOCAL_SCORERS.some(({ name }) => name === scorer);
  const local = LOCAL_SCORERS.map(({ name }) => name).join(' or ');
  checkOption(isLocal, 'scorer', scorer, `${local}: a file has no others`);
  return fileOf(catalog, { ...shown, findings: await findingsOf(options) });
}

/** The findings of the command `lint`. */
function findingsOf({ tools, keywords, groups, topK, mode }: InspectOptions): ReturnType<typeof lint> {
  return lint(tools, given({ keywords, groups, topK, mode }));
}

function read({
  tools,
  keywords,
  groups,
  title,
  cases,
  funnel,
  topK = 5,
  mode,
  scorers = [],
  scorer,
  baseline,
}: InspectOptions): {
  readonly catalog: Catalog;
  readonly shown: Shown;
} {
  checkOption(Number.isInteger(topK) && topK > 0, 'topK', topK, 'a whole number above 0');
  checkOption(title === undefined || typeof title === 'string', 'title', title, 'a text');
  checkOption(funnel === undefined || isRecord(funnel), 'funnel', funnel, 'what funnel() returns');
  checkOption([undefined, 'load', 'call', 'native'].includes(mode), 'mode', mode, '"load", "call" or "native"');
  const isSaved = baseline === undefined || Array.isArray(baseline?.scorers);
  checkOption(isSaved, 'baseline', baseline, 'what evaluate() returned');
  if (!Array.isArray(scorers)) throw invalidOption('scorers', scorers, 'a list of scorers');
  const names = [...scorers, ...LOCAL_SCORERS].map(({ name }) => name);
  checkOption(scorer === undefined || names.includes(scorer), 'scorer', scorer, `one of ${names.join(', ')}`);
  checkOption(groups === undefined || typeof groups === 'function', 'groups', groups, 'a function');
  return { catalog: catalogOf(tools, keywords, groups), shown: { title, cases, funnel, baseline, topK, mode, scorer } };
}

/** The scorers that the server runs, under unique names. */
function namedScorers(
  scorers: readonly ToolScorer[],
  over: (scorer: ToolScorer) => RequestSearch,
): ReadonlyMap<string, RequestSearch> {
  const named = new Map<string, RequestSearch>();
  const isTaken = (name: string): boolean => named.has(name) || LOCAL_SCORERS.some((local) => local.name === name);
  for (const scorer of scorers) {
    let name = scorer.name;
    for (let count = 2; isTaken(name); count++) name = `${scorer.name} ${count}`;
    named.set(name, over(scorer));
  }
  return named;
}
