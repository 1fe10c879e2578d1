import { type Conversation, callsIn, foundByProvider, type ToolCall } from '../../kit.ts';
import { asRecord } from '../../util/record.ts';
import { cleanName, echo } from '../../util/text.ts';
import type { GroundTruth } from '../evaluate/cases.ts';

/**
 * How a run found its tools.
 *
 * @example
 * ```ts
 * const isDirect = ({ searches, inVain }: SearchGrade) => searches > 0 && inVain.length === 0;
 * ```
 */
export interface SearchGrade {
  /** From 0 to 1; undefined if there is nothing to grade: no search, no miss, and no wanted tools. */
  readonly score: number | undefined;
  readonly reason: string;
  /** Number of searches. */
  readonly searches: number;
  /** The wanted tools that were found: those of the ground truth; without it, those that were called. */
  readonly found: readonly string[];
  /** Needs that were not met: the tools of each need, joined by " or ". */
  readonly missing: readonly string[];
  /** Queries of searches that found no new wanted tool. */
  readonly inVain: readonly string[];
  /** Names of tools that were called, but not available. */
  readonly missed: readonly string[];
}

/** Limit of names and queries in a reason. */
const MAX_LISTED = 5;

/** Grades a run: met needs, divided by all needs, searches in vain and missed calls together. */
export function gradeOf(run: RunSearches, truth: GroundTruth | undefined): SearchGrade {
  if (truth?.relevant.length === 0) return gradeOfNothing(run);
  const needs = truth ? wantedBy(truth) : needsOf(run);
  const left = new Set(needs.keys());
  const wanting = new Map<string, number[]>();
  for (const [at, need] of needs.entries()) {
    for (const name of need) {
      const places = wanting.get(name);
      if (places) places.push(at);
      else wanting.set(name, [at]);
    }
  }
  const found: string[] = [];
  const take = (names: Iterable<string>): boolean => {
    const all = new Set(names);
    const met = new Set<number>();
    for (const name of all) {
      for (const at of wanting.get(name) ?? []) if (left.delete(at)) met.add(at);
      wanting.delete(name);
    }
    for (const at of [...met].sort((a, b) => a - b))
      found.push(...(needs[at]?.filter((name) => all.has(name)) ?? []).slice(0, 1));
    return met.size > 0;
  };
  // Tools called before any search were available already.
  take([...run.called].flatMap(([name, before]) => (before === 0 ? [name] : [])));
  const inVain = run.searches.filter((search) => !take(search.found));
  take(run.called.keys());
  const total = (truth ? needs.length : found.length) + inVain.length + run.missed.length;
  const grade = {
    searches: run.searches.length,
    found: found.map(cleanName),
    missing: [...left].map((at) => (needs[at] ?? []).map(cleanName).join(' or ')),
    inVain: inVain.map(queryOf),
    missed: run.missed.map(cleanName),
  };
  return { ...grade, score: total === 0 ? undefined : found.length / total, reason: reasonOf(grade) };
}

/** Grades a run for which no tool fits: 1 if it called no tool that a search showed. */
function gradeOfNothing({ searches, called, missed }: RunSearches): SearchGrade {
  const shown = new Set(searches.flatMap(({ found }) => found));
  const wrong = [...called.keys()].filter((name) => shown.has(name));
  return {
    score: wrong.length === 0 ? 1 : 0,
    reason:
      wrong.length === 0
        ? `Nothing fits, and nothing that a search showed was called. ${counted(searches.length, 'search', 'searches')}.`
        : `Nothing fits, and the run called ${listed(wrong)}.`,
    ...{ searches: searches.length, found: [], missing: [], inVain: [], missed: missed.map(cleanName) },
  };
}

/** The needs of a ground truth, without repeated names. */
function wantedBy({ relevant, groups }: GroundTruth): readonly (readonly string[])[] {
  const needs = groups ?? [...new Set(relevant)].map((name) => [name]);
  return needs.filter((need) => need.length > 0).map((need) => [...new Set(need)]);
}

/** The needs that a run shows: the tools that it called after a search had shown them. */
function needsOf({ searches, called }: RunSearches): readonly (readonly string[])[] {
  const first = new Map<string, number>();
  for (const [at, { found }] of searches.entries()) for (const name of found) if (!first.has(name)) first.set(name, at);
  return [...called].flatMap(([name, before]) => ((first.get(name) ?? before) < before ? [[name]] : []));
}

function reasonOf({ searches, found, missing, inVain, missed }: Omit<SearchGrade, 'score' | 'reason'>): string {
  const parts = [
    `${counted(searches, 'search', 'searches')} found ${found.length === 0 ? 'no tool that was wanted' : listed(found)}`,
    ...(missing.length > 0 ? [`not found: ${listed(missing)}`] : []),
    ...(inVain.length > 0 ? [`in vain: ${inVain.slice(0, MAX_LISTED).map(echo).join('; ')}`] : []),
    ...(missed.length > 0 ? [`called without being there: ${listed(missed)}`] : []),
  ];
  return `${parts.join('. ')}.`;
}

function queryOf({ queries }: RunSearch): string {
  return queries.map((query) => JSON.stringify(echo(query))).join(', ') || 'a search';
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).map(cleanName).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export interface MetaNames {
  readonly search: string;
  readonly load: string;
  readonly unload: string;
  /** The name of `call_tool`. A successful call through it counts as a call of the inner tool. */
  readonly bridge: string;
}

export interface RunSearch {
  /** The queries; empty if a provider does not report them. */
  readonly queries: readonly string[];
  /** The tools that the search showed, best first. */
  readonly found: readonly string[];
}

/** How a run searched for and called its tools, in order. */
export interface RunSearches {
  readonly searches: readonly RunSearch[];
  /** The tools that were called successfully, each once, with the number of searches before the call. */
  readonly called: ReadonlyMap<string, number>;
  /** Names of tools that were called, but not available, once for each call. */
  readonly missed: readonly string[];
}

/** Reads the searches of a run from its messages, or from the result of `processor.search()`, which counts as one search. */
export function readRun(output: unknown, input: unknown, names: MetaNames): RunSearches {
  const list: readonly unknown[] = Array.isArray(output) ? output : [];
  const found = list.flatMap((one) => read(() => (asRecord(one)?.['role'] === undefined ? nameOf(one) : [])));
  if (list.length === 0 || found.length > 0) {
    const queries = typeof input === 'string' ? [input] : [];
    const isSearch = Array.isArray(output) && (found.length > 0 || queries.length > 0);
    return { searches: isSearch ? [{ queries, found }] : [], called: new Map(), missed: [] };
  }
  const searches: RunSearch[] = [];
  const called = new Map<string, number>();
  const missed: string[] = [];
  for (const step of list.flatMap((message) => read(() => stepsOf(message, names)))) {
    if ('search' in step) searches.push(step.search);
    else if ('missed' in step) missed.push(step.missed);
    else if (!called.has(step.called)) called.set(step.called, searches.length);
  }
  return { searches, called, missed };
}

/** Reads a message; returns nothing if that throws, e.g. in a getter. */
function read<Value>(reading: () => readonly Value[]): readonly Value[] {
  try {
    return reading();
  } catch {
    return [];
  }
}

type Step = { readonly search: RunSearch } | { readonly missed: string } | { readonly called: string };

function stepsOf(message: unknown, names: MetaNames): readonly Step[] {
  return callsIn([message] as Conversation, names).flatMap((call): readonly Step[] => {
    const { toolName, state, missing } = call;
    const search = searchOf(call, names.search);
    if (search) return [{ search }];
    if (missing !== undefined) return [{ missed: missing }];
    const isMeta = toolName === names.load || toolName === names.unload || toolName === names.bridge;
    const isTool = toolName !== undefined && state === 'result' && !isMeta;
    return isTool ? [{ called: toolName }] : [];
  });
}

/** The search of a tool call; undefined for other calls. */
function searchOf({ toolName, args, result, state, searchedBy }: ToolCall, search: string): RunSearch | undefined {
  if (state !== 'result') return undefined;
  if (searchedBy) return { queries: queriesOf(args), found: foundByProvider(result) };
  if (toolName !== search) return undefined;
  const results = asRecord(result)?.['results'];
  return { queries: queriesOf(args), found: Array.isArray(results) ? results.flatMap(nameOf) : [] };
}

/** The queries of a search in the arguments of this package, Anthropic or OpenAI. */
function queriesOf(args: unknown): readonly string[] {
  const fields = asRecord(args);
  const asked = fields?.['query'] ?? fields?.['pattern'] ?? asRecord(fields?.['arguments'])?.['query'];
  const list = Array.isArray(asked) ? asked : [asked];
  return list.filter((query) => typeof query === 'string');
}

function nameOf(value: unknown): readonly string[] {
  const name = asRecord(value)?.['name'];
  return typeof name === 'string' ? [name] : [];
}
