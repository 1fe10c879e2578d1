import { invalidOption } from '../errors.ts';
import { type LearningStore, learningScopes, type ToolScorer } from '../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../util/check.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { runToEnd } from '../util/time-slices.ts';
import { boosted } from './learning.ts';
import { PastQueries } from './past-queries.ts';
import { HALF_LIVES } from './recall.ts';
import {
  hashedVoter,
  keyedQuery,
  learnedWords,
  MAX_READ,
  MAX_USES,
  newKey,
  readUse,
  type Use,
  withinBounds,
  written,
} from './uses.ts';

/**
 * A tool that was called with success after a search which had shown it.
 *
 * @example
 * ```ts
 * const line = ({ query, toolName }: LoggedUse) => `${query} → ${toolName}`;
 * ```
 */
export interface LoggedUse {
  readonly query: string;
  readonly toolName: string;
  /** Whether the search had put the tool first. */
  readonly wasFirst: boolean;
  /** Milliseconds since 1970; 0 if the log has no time. */
  readonly time: number;
  /** Identifies the conversation: the thread, else the run, of a resource. */
  readonly conversation: string;
  readonly resourceId?: string;
}

/**
 * The uses in a log.
 *
 * @example
 * ```ts
 * const isWhole = ({ broken }: LoggedUses) => broken === 0;
 * ```
 */
export interface LoggedUses {
  /** In the order of the log. */
  readonly uses: readonly LoggedUse[];
  /** The count of lines that are no JSON object. */
  readonly broken: number;
}

/** Most conversations of a log that are followed at once. */
const MAX_CONVERSATIONS = 10_000;
/** Most characters of a query that are read. */
const MAX_QUERY = 500;

/** A search or a call in a log. */
type Step =
  | { readonly queries: readonly string[]; readonly results: readonly string[] }
  | { readonly toolName: string };

/**
 * Reads uses out of a log of JSON lines: events as `onEvent` gets them with their `time`, or spans of Mastra's traces as an
 * exporter or a storage keeps them. Lines of other kinds are passed over.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * import { fileLearningStore, fillLearningStore, usesInLog } from 'mastra-tool-search/learning';
 *
 * const { uses } = usesInLog(readFileSync('events.jsonl', 'utf8'));
 * await fillLearningStore(fileLearningStore({ folder: './learned' }), uses);
 * ```
 */
export function usesInLog(text: string): LoggedUses {
  const shown = new Lru<Map<string, { readonly query: string; readonly wasFirst: boolean }>>(MAX_CONVERSATIONS);
  const uses: LoggedUse[] = [];
  let broken = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const record = parsed(line);
    if (!record) broken += 1;
    const step = record && (stepOfEvent(record) ?? stepOfSpan(record));
    if (!record || !step) continue;
    const { conversation, resourceId, time } = whoseIs(record);
    const searches =
      shown.get(conversation) ?? new Map<string, { readonly query: string; readonly wasFirst: boolean }>();
    shown.set(conversation, searches);
    if ('queries' in step) {
      for (const query of step.queries)
        for (const [at, name] of step.results.entries()) searches.set(name, { query, wasFirst: at === 0 });
      continue;
    }
    const search = searches.get(step.toolName);
    // A second call after the same search is no further use.
    searches.delete(step.toolName);
    if (search)
      uses.push({ ...search, toolName: step.toolName, time, conversation, ...(resourceId && { resourceId }) });
  }
  return { uses, broken };
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asRecord(JSON.parse(line.trim()));
  } catch {
    return undefined;
  }
}

function stepOfEvent(event: Readonly<Record<string, unknown>>): Step | undefined {
  const { type, queries, results, toolName, ok } = event;
  if (type === 'search') return { queries: textsIn(queries), results: textsIn(results) };
  return type === 'call' && ok !== false && typeof toolName === 'string' ? { toolName } : undefined;
}

/** The name of the span of a tool call: `tool: 'send_email'`. */
const CALL = /^tool: '(.*)'$/;

function stepOfSpan({
  traceId,
  name,
  attributes,
  input,
  output,
  ...rest
}: Readonly<Record<string, unknown>>): Step | undefined {
  if (typeof traceId !== 'string' || typeof name !== 'string') return undefined;
  const search = asRecord(asRecord(attributes)?.['toolSearch']);
  if (search?.['type'] === 'search') {
    const asked = asRecord(input) ?? {};
    const queries = [...textsIn(search['queries']), ...textsIn([asked['query']]), ...textsIn(asked['queries'])];
    return { queries: [...new Set(queries)], results: textsIn(search['results']) };
  }
  const called = CALL.exec(name)?.[1];
  const { isError, error } = asRecord(output) ?? {};
  const hasFailed =
    Boolean(rest['errorInfo'] ?? rest['error']) || output === undefined || isError === true || error === true;
  return called === undefined || hasFailed ? undefined : { toolName: called };
}

function whoseIs(
  record: Readonly<Record<string, unknown>>,
): Pick<LoggedUse, 'conversation' | 'time'> & { resourceId: string | undefined } {
  const of = { ...asRecord(record['metadata']), ...record };
  const textOf = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => of[key]).find((value): value is string => typeof value === 'string' && value !== '');
  const at = of['time'] ?? of['startTime'] ?? of['startedAt'];
  const time = typeof at === 'string' ? Date.parse(at) : Number(at);
  const resourceId = textOf('resourceId');
  const conversation = JSON.stringify([resourceId ?? null, textOf('threadId', 'runId', 'traceId', 'agentId') ?? null]);
  return { conversation, resourceId, time: Number.isFinite(time) ? time : 0 };
}

function textsIn(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all
    .filter((one) => typeof one === 'string' && one.trim() !== '')
    .map((one) => String(one).slice(0, MAX_QUERY));
}

/**
 * The options of `fillLearningStore`.
 *
 * @example
 * ```ts
 * const options: FillOptions = { scope: 'global' };
 * ```
 */
export interface FillOptions {
  /** As `learning.scope`; a function gets the use. Uses without a key are left out. @default 'resource' */
  readonly scope?: 'resource' | 'global' | ((use: LoggedUse) => string | undefined);
  /** As `learning.meaning`. @default true */
  readonly meaning?: boolean;
  /** As `learning.halfLife`: uses that are seven times as old are left out. @default 2_592_000_000 (30 days) */
  readonly halfLife?: number;
}

const optionNames: NamesOf<FillOptions> = { scope: true, meaning: true, halfLife: true };

/**
 * Adds the uses of a log to a store. Rejects if the store does.
 *
 * @returns how many scopes were filled, and how many uses were added.
 * @throws ToolSearchError `invalid-option`.
 *
 * @example
 * ```ts
 * import { fillLearningStore, memoryLearningStore, usesInLog } from 'mastra-tool-search/learning';
 *
 * const store = memoryLearningStore();
 * await fillLearningStore(store, usesInLog('').uses, { scope: 'global' });
 * ```
 */
export async function fillLearningStore(
  store: LearningStore,
  uses: readonly LoggedUse[],
  options: FillOptions = {},
): Promise<{ readonly scopes: number; readonly uses: number }> {
  refuseUnknownOptions('fillLearningStore', options, optionNames);
  const { scope = 'resource', meaning = true, halfLife = 30 * 86_400_000 } = options;
  const isScope = scope === 'resource' || scope === 'global' || typeof scope === 'function';
  if (!isScope) throw invalidOption('scope', scope, `'resource', 'global' or a function`);
  const ofScopes = new Map<string, LoggedUse[]>();
  for (const use of uses) {
    const key = typeof scope === 'function' ? scope(use) : learningScopes[scope](use);
    const isOld = use.time > 0 && use.time < Date.now() - HALF_LIVES * halfLife;
    if (typeof key !== 'string' || key === '' || isOld || learnedWords(use.query).length === 0) continue;
    const some = ofScopes.get(key);
    if (some) some.push(use);
    else ofScopes.set(key, [use]);
  }
  let added = 0;
  for (const [name, logged] of ofScopes) {
    const known = await store.read(name);
    const key = known?.key ?? newKey();
    const isShared = scope !== 'resource';
    const voterOf = ({ resourceId = '', conversation }: LoggedUse): string => (isShared ? resourceId : conversation);
    const fresh = await keyedUses(logged, key, meaning, voterOf);
    const before = (known?.uses ?? []).slice(-MAX_READ).flatMap((use) => readUse(use) ?? []);
    const staying = new Set(withinBounds([...before, ...fresh]));
    const some = fresh.filter((use) => staying.has(use)).map(written);
    const isTaken = await store.append(name, { key, uses: some }, { ttl: HALF_LIVES * halfLife, max: MAX_USES });
    if (isTaken) added += some.length;
  }
  return { scopes: ofScopes.size, uses: added };
}

/** Logged uses in the form that a scope keeps. A use without a time gets the present time. */
async function keyedUses(
  uses: readonly LoggedUse[],
  key: string,
  meaning: boolean,
  voterOf: (use: LoggedUse) => string,
): Promise<readonly Use[]> {
  const keyed: Use[] = [];
  for (const use of uses) {
    const { query, toolName: tool, wasFirst, time } = use;
    const voter = hashedVoter(voterOf(use), key);
    keyed.push({ ...(await keyedQuery(query, key, meaning)), voter, tool, usedAt: time || Date.now(), wasFirst });
  }
  return keyed;
}

/**
 * Keywords from a log: for each tool the queries after which it was used although the search had not put it first, the
 * most frequent first.
 *
 * @param most - most queries of one tool.
 *
 * @example
 * ```ts
 * import { keywordsOfUses, usesInLog } from 'mastra-tool-search/learning';
 *
 * const keywords = keywordsOfUses(usesInLog('').uses, 3);
 * new ToolSearchProcessor({ tools, search: { keywords } });
 * ```
 */
export function keywordsOfUses(uses: readonly LoggedUse[], most = 5): Readonly<Record<string, readonly string[]>> {
  const ofTools = new Map<string, Map<string, number>>();
  for (const { query, toolName, wasFirst } of uses) {
    if (wasFirst) continue;
    const text = query.trim().toLowerCase().replaceAll(/\s+/g, ' ');
    const counts = ofTools.get(toolName) ?? new Map<string, number>();
    ofTools.set(toolName, counts);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const lists = [...ofTools].map(([name, counts]): [string, readonly string[]] => {
    const inOrder = [...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
    return [name, inOrder.slice(0, most).map(([text]) => text)];
  });
  return Object.fromEntries(lists.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * A scorer that has learned from uses, for measuring what a log would bring before a store is filled with it.
 *
 * @example
 * ```ts
 * import { wordsAndMeaningScorer } from 'mastra-tool-search';
 * import { scorerWithUses, usesInLog } from 'mastra-tool-search/learning';
 *
 * const scorer = await scorerWithUses(wordsAndMeaningScorer(), usesInLog('').uses);
 * ```
 */
export async function scorerWithUses(scorer: ToolScorer, uses: readonly LoggedUse[]): Promise<ToolScorer> {
  const key = newKey();
  const learned = await keyedUses(uses, key, true, ({ conversation }) => conversation);
  return {
    ...{ name: `${scorer.name}, learned`, keepsTail: true },
    ...(scorer.givesConfidence === undefined ? {} : { givesConfidence: scorer.givesConfidence }),
    async index(documents, context) {
      const index = await scorer.index(documents, context);
      const names = new Set(documents.map(({ name }) => name));
      const past = new PastQueries(
        learned.filter(({ tool }) => names.has(tool)),
        { now: 0, halfLife: Number.POSITIVE_INFINITY, tools: names.size, isShared: false },
      );
      return {
        search: async (query) => {
          const matches = [...(await index.search(query))];
          return boosted(matches, runToEnd(past.boosts(await keyedQuery(query.text, key, true))), 1) ?? matches;
        },
        ...(index.confidence ? { confidence: (query, names) => index.confidence?.(query, names) ?? [] } : {}),
      };
    },
  };
}
