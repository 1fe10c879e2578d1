import { asRecord, type Conversation, callsIn, foundByProvider, missedName, type ToolCall } from '../../kit.ts';

/** The names of the meta-tools of a run. */
export interface MetaNames {
  readonly search: string;
  /** Names of the meta-tools that neither search nor are a tool of the catalog. */
  readonly others: readonly string[];
}

/** A search of a run. */
export interface RunSearch {
  /** What was asked; empty where a provider does not tell. */
  readonly queries: readonly string[];
  /** The tools that it showed, best first. */
  readonly found: readonly string[];
}

/** What a run did to find its tools, in its order. */
export interface RunSearches {
  readonly searches: readonly RunSearch[];
  /** The tools that were called with success, each once, with the count of searches before the call. */
  readonly called: ReadonlyMap<string, number>;
  /** The tools that were called and were not there, once for each call. */
  readonly missed: readonly string[];
}

/** Reads the searches of a run: of its messages, or of what `processor.search()` returned, as one search. */
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

/** What is read of a message; nothing where that throws, as a getter of its may. */
function read<Value>(reading: () => readonly Value[]): readonly Value[] {
  try {
    return reading();
  } catch {
    return [];
  }
}

/** What a call of a run was. */
type Step = { readonly search: RunSearch } | { readonly missed: string } | { readonly called: string };

function stepsOf(message: unknown, names: MetaNames): readonly Step[] {
  return callsIn([message] as Conversation).flatMap((call): readonly Step[] => {
    const { toolName, state } = call;
    const search = searchOf(call, names.search);
    if (search) return [{ search }];
    const missed = missedName(call);
    if (missed !== undefined) return [{ missed }];
    const isTool = toolName !== undefined && state === 'result' && !names.others.includes(toolName);
    return isTool ? [{ called: toolName }] : [];
  });
}

/** The search that a call was; undefined for any other. */
function searchOf({ toolName, args, result, state, searchedBy }: ToolCall, search: string): RunSearch | undefined {
  if (state !== 'result') return undefined;
  if (searchedBy) return { queries: queriesOf(args), found: foundByProvider(result) };
  if (toolName !== search) return undefined;
  const results = asRecord(result)?.['results'];
  return { queries: queriesOf(args), found: Array.isArray(results) ? results.flatMap(nameOf) : [] };
}

/** The queries of a search: ours, Anthropic's or OpenAI's. */
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
