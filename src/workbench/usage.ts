import type { ToolSearchEvent } from '../kit.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';

/**
 * Counts over many runs, as plain data: how far searches came, and what happened with tools.
 *
 * @example
 * ```ts
 * const conversion = ({ stages }: Funnel) => stages.map(({ name, count }) => `${name}: ${count}`);
 * ```
 */
export interface Funnel {
  /** Number of counted events; events of unknown types are not counted. */
  readonly events: number;
  /** Times of the first and the last event, in milliseconds since 1970; absent if no event has a time. */
  readonly from?: number;
  readonly to?: number;
  /** Searches by how far they came; each stage is a subset of the one before it. */
  readonly stages: readonly FunnelStage[];
  readonly searches: FunnelSearches;
  readonly loads: FunnelLoads;
  readonly calls: FunnelCalls;
  readonly misses: FunnelMisses;
  readonly turnsSaved: TurnsSaved;
  readonly tokens: FunnelTokens;
  /** Tools that events name, the most called first. */
  readonly tools: readonly ToolUse[];
  /** Queries without a confident match, the most frequent first; at most a hundred. */
  readonly unmatched: readonly { readonly query: string; readonly count: number }[];
  /** The last queries, the latest first, each with the outcome of its last search; at most a hundred. */
  readonly recent: readonly RecentSearch[];
}

/**
 * A query, and the outcome of its last search.
 *
 * @example
 * ```ts
 * const isLost = ({ found, called }: RecentSearch) => found > 0 && called === undefined;
 * ```
 */
export interface RecentSearch {
  readonly query: string;
  /** Number of searches with this query. */
  readonly count: number;
  /** Time of the last search, in milliseconds since 1970; absent if the event has none. */
  readonly time?: number;
  /** Number of returned tools, and the name of the first. */
  readonly found: number;
  readonly first?: string;
  /** The verdict of the search on its results; absent if the event has none. */
  readonly verdict?: string;
  /** A tool of the results that was loaded later, and one that was called. */
  readonly loaded?: string;
  readonly called?: string;
}

/**
 * A stage that searches reach. Each stage is a subset of the one before it.
 *
 * - `searches`: all searches.
 * - `found`: searches that returned a tool.
 * - `loaded`: searches of whose results a tool was loaded, or called without a load.
 * - `called`: searches of whose results a tool was called.
 *
 * @example
 * ```ts
 * const share = ([all, , , called]: readonly FunnelStage[]) => (called?.count ?? 0) / (all?.count || 1);
 * ```
 */
export interface FunnelStage {
  readonly name: 'searches' | 'found' | 'loaded' | 'called';
  readonly count: number;
}

/**
 * Counts of searches.
 *
 * @example
 * ```ts
 * const shareAskedAgain = ({ total, askedAgain }: FunnelSearches) => askedAgain / total;
 * ```
 */
export interface FunnelSearches {
  readonly total: number;
  /** Searches whose verdict is not `fits`, or which returned nothing, in older events without a verdict. */
  readonly unmatched: number;
  /** Searches after another search of the same run, with neither a load nor a call in between. */
  readonly askedAgain: number;
}

/**
 * Counts of loads. A tool counts once in a conversation, however often it is requested.
 *
 * @example
 * ```ts
 * const waste = ({ total, neverCalled }: FunnelLoads) => neverCalled / total;
 * ```
 */
export interface FunnelLoads {
  readonly total: number;
  /** Loaded tools that were not called in the same conversation so far. */
  readonly neverCalled: number;
  /** Requested names that no tool has, or that the request may not load. */
  readonly notFound: number;
  readonly denied: number;
  readonly evicted: number;
}

/**
 * Calls of tools of the catalog.
 *
 * @example
 * ```ts
 * const failureRate = ({ total, failed }: FunnelCalls) => failed / total;
 * ```
 */
export interface FunnelCalls {
  readonly total: number;
  /** Calls in which the tool threw, or rejected its input. */
  readonly failed: number;
  /** Calls that were refused because the filter denied the tool by then. */
  readonly denied: number;
}

/**
 * Calls of tools that were not sent, by their outcome.
 *
 * @example
 * ```ts
 * const healed = ({ loaded, total }: FunnelMisses) => loaded / total;
 * ```
 */
export interface FunnelMisses {
  readonly total: number;
  /** Calls whose tool was loaded for the next step. */
  readonly loaded: number;
  /** Calls whose tool was not loaded. */
  readonly lost: number;
}

/**
 * Saved model calls, compared with a search, a load and a call in steps of their own.
 *
 * - `preselect`: a conversation's first call of a preselected tool saves two, the search and the load; in call mode, which has
 *   no load, one; none if the conversation had found or loaded the tool before.
 * - `direct`: a conversation's first call of a tool that a search returned without a load (`mode: 'call'`), or that the search
 *   itself loaded (`search.autoLoad`, `select:`, native mode), saves one, the load.
 *
 * @example
 * ```ts
 * const seconds = ({ total }: TurnsSaved, secondsATurn: number) => total * secondsATurn;
 * ```
 */
export interface TurnsSaved {
  readonly total: number;
  readonly preselect: number;
  readonly direct: number;
}

/**
 * Estimated tokens of definitions, over all steps.
 *
 * @example
 * ```ts
 * const shareSent = ({ sent, all }: FunnelTokens) => sent / all;
 * ```
 */
export interface FunnelTokens {
  readonly steps: number;
  readonly sent: number;
  /** Tokens that sending the whole catalog would have cost. */
  readonly all: number;
  readonly saved: number;
}

/**
 * What happened with one tool.
 *
 * @example
 * ```ts
 * const isNeverFound = ({ called, found }: ToolUse) => called > 0 && found === 0;
 * ```
 */
export interface ToolUse {
  readonly name: string;
  /** Number of searches that returned the tool. */
  readonly found: number;
  /** Number of conversations that loaded the tool. */
  readonly loaded: number;
  readonly called: number;
  /** Number of conversations that loaded the tool and have not called it so far. */
  readonly neverCalled: number;
}

type Fields = Readonly<Record<string, unknown>>;
type Counts = { -readonly [Key in Exclude<keyof ToolUse, 'name'>]: number };

const MAX_UNMATCHED = 100;
const MAX_RECENT = 100;
const MAX_QUERY = 200;
/** Limit of runs of one conversation whose last search is remembered; few runs are concurrent. */
const MAX_OPEN = 100;

/** Limit of conversations, tools and queries that a long-running process remembers. */
export const MANY = 1_000;

/** The state of one conversation, from which the outcome of searches and loads is derived. */
interface Conversation {
  /** Runs whose last search led to neither a load nor a call so far. */
  readonly open: Set<string>;
  /** The last search that returned each tool. */
  readonly shown: Map<string, Search>;
  /** Loaded tools, and whether each was called since. */
  readonly loaded: Map<string, boolean>;
  /** Tools not called yet that a search loaded itself, or returned without a load. */
  readonly direct: Set<string>;
  /** Preselected tools not called yet, with the turns that a call of each saves. */
  readonly preselected: Map<string, number>;
}

/** A search, and how far it came. */
interface Search {
  isLoaded: boolean;
  isCalled: boolean;
  /** The entries of `recent` for the queries of the search. */
  readonly recent: readonly Mutable<RecentSearch>[];
}

type Mutable<Fields> = { -readonly [Key in keyof Fields]: Fields[Key] };

/** Counts events one by one. Their fields are not trusted, because a log may come from another version. */
export class FunnelCounter {
  readonly #max: number;
  readonly #conversations: Lru<Conversation>;
  readonly #tools = new Map<string, Counts>();
  readonly #unmatched = new Map<string, number>();
  /** The last queries, the latest last. */
  readonly #recent = new Map<string, Mutable<RecentSearch>>();
  readonly #stages = { searches: 0, found: 0, loaded: 0, called: 0 };
  readonly #searches = { unmatched: 0, askedAgain: 0 };
  readonly #loads = { total: 0, neverCalled: 0, notFound: 0, denied: 0, evicted: 0 };
  readonly #calls = { total: 0, failed: 0, denied: 0 };
  readonly #misses = { loaded: 0, lost: 0 };
  readonly #turns = { preselect: 0, direct: 0 };
  readonly #tokens = { steps: 0, sent: 0, saved: 0 };
  #events = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  /** @param max - limit of remembered conversations, tools and queries. */
  constructor(max: number) {
    this.#max = max;
    this.#conversations = new Lru(max);
  }

  add(event: ToolSearchEvent): void {
    const fields: Fields = asRecord(event) ?? {};
    if (!this.#count(fields)) return;
    this.#events += 1;
    const { time } = fields;
    if (typeof time !== 'number' || !Number.isFinite(time)) return;
    this.#from = Math.min(this.#from, time);
    this.#to = Math.max(this.#to, time);
  }

  funnel(): Funnel {
    const { preselect, direct } = this.#turns;
    const { loaded, lost } = this.#misses;
    const { steps, sent, saved } = this.#tokens;
    return {
      events: this.#events,
      ...(this.#from <= this.#to ? { from: this.#from, to: this.#to } : {}),
      stages: (['searches', 'found', 'loaded', 'called'] as const).map((name) => ({ name, count: this.#stages[name] })),
      searches: { total: this.#stages.searches, ...this.#searches },
      loads: { ...this.#loads },
      calls: { ...this.#calls },
      misses: { total: loaded + lost, loaded, lost },
      turnsSaved: { total: preselect + direct, preselect, direct },
      tokens: { steps, sent, all: sent + saved, saved },
      tools: [...this.#tools].map(([name, counts]) => ({ name, ...counts })).sort(byUse),
      unmatched: [...this.#unmatched]
        .map(([query, count]) => ({ query, count }))
        .sort((one, other) => other.count - one.count || compare(one.query, other.query))
        .slice(0, MAX_UNMATCHED),
      recent: [...this.#recent.values()].reverse().map((search) => ({ ...search })),
    };
  }

  /** Returns whether the event is one that counts. */
  #count(event: Fields): boolean {
    switch (event['type']) {
      case 'search':
        this.#countSearch(event, this.#conversationOf(event));
        return true;
      case 'load':
        for (const name of namesIn(event, 'loaded')) this.#countLoad(name, event);
        for (const name of namesIn(event, 'alreadyLoaded')) this.#close(name, event);
        this.#loads.notFound += namesIn(event, 'notFound').length;
        this.#loads.denied += namesIn(event, 'denied').length;
        return true;
      case 'call':
        this.#countCall(event, this.#conversationOf(event));
        return true;
      case 'load-on-miss':
        this.#misses.loaded += 1;
        this.#countLoad(textIn(event, 'loaded'), event);
        return true;
      case 'miss':
        this.#misses.lost += 1;
        return true;
      case 'call-denied':
        this.#calls.denied += 1;
        return true;
      case 'evict':
        this.#loads.evicted += namesIn(event, 'toolNames').length;
        return true;
      case 'preselect': {
        const { preselected, shown, loaded } = this.#conversationOf(event);
        for (const name of namesIn(event, 'tools')) if (!shown.has(name) && !loaded.has(name)) preselected.set(name, 2);
        return true;
      }
      case 'step': {
        this.#tokens.steps += 1;
        this.#tokens.sent += numberIn(event, 'tokensSent');
        this.#tokens.saved += numberIn(event, 'tokensSaved');
        const { preselected } = this.#conversationOf(event);
        const sent = new Set(namesIn(event, 'sent'));
        // In call mode, the definition of a preselected tool is in the system text, and no tool is ever loaded.
        for (const name of namesIn(event, 'preselected'))
          if (preselected.has(name) && !sent.has(name)) preselected.set(name, 1);
        return true;
      }
      default:
        return false;
    }
  }

  #countSearch(event: Fields, { open, shown, loaded, direct, preselected }: Conversation): void {
    const run = runOf(event);
    const results = namesIn(event, 'results');
    const { verdict } = event;
    this.#stages.searches += 1;
    if (results.length > 0) this.#stages.found += 1;
    if (open.has(run)) this.#searches.askedAgain += 1;
    open.add(run);
    for (const oldest of open) {
      if (open.size <= MAX_OPEN) break;
      open.delete(oldest);
    }
    const isMatched = typeof verdict === 'string' ? verdict === 'fits' : results.length > 0;
    if (!isMatched) {
      this.#searches.unmatched += 1;
      for (const query of namesIn(event, 'queries')) this.#note(query.slice(0, MAX_QUERY));
    }
    const recent = namesIn(event, 'queries').map((query) => this.#remember(query.slice(0, MAX_QUERY), results, event));
    const search: Search = { isLoaded: false, isCalled: false, recent };
    for (const name of results) {
      this.#use(name, 'found');
      shown.set(name, search);
      preselected.delete(name);
      if (!loaded.has(name)) direct.add(name);
    }
    for (const name of namesIn(event, 'loaded')) this.#countLoad(name, event, true);
  }

  #countCall(event: Fields, { shown, loaded, direct, preselected }: Conversation): void {
    const name = textIn(event, 'toolName');
    this.#calls.total += 1;
    if (event['ok'] === false) this.#calls.failed += 1;
    this.#use(name, 'called');
    this.#turns.preselect += preselected.get(name) ?? 0;
    if (direct.delete(name) && !preselected.has(name)) this.#turns.direct += 1;
    preselected.delete(name);
    this.#close(name, event);
    const search = shown.get(name);
    if (search && !search.isCalled) {
      search.isCalled = true;
      for (const one of search.recent) one.called = name;
      this.#stages.called += 1;
    }
    if (loaded.get(name) !== false) return;
    loaded.set(name, true);
    this.#loads.neverCalled -= 1;
    this.#use(name, 'neverCalled', -1);
  }

  /** @param isDirect - whether the search itself loaded the tool. */
  #countLoad(name: string, event: Fields, isDirect = false): void {
    const { direct, loaded } = this.#conversationOf(event);
    this.#close(name, event);
    if (!isDirect) direct.delete(name);
    if (loaded.has(name)) return;
    loaded.set(name, false);
    this.#loads.total += 1;
    this.#loads.neverCalled += 1;
    this.#use(name, 'loaded');
    this.#use(name, 'neverCalled');
  }

  /** Records that the search that returned the tool led to a load or call, and so did the run's last search. */
  #close(name: string, event: Fields): void {
    const { open, shown } = this.#conversationOf(event);
    open.delete(runOf(event));
    const search = shown.get(name);
    if (!search || search.isLoaded) return;
    search.isLoaded = true;
    for (const one of search.recent) one.loaded = name;
    this.#stages.loaded += 1;
  }

  #remember(query: string, results: readonly string[], { time, verdict }: Fields): Mutable<RecentSearch> {
    const count = (this.#recent.get(query)?.count ?? 0) + 1;
    const [first] = results;
    const search = {
      ...{ query, count, found: results.length },
      ...(typeof time === 'number' && Number.isFinite(time) ? { time } : {}),
      ...(first === undefined ? {} : { first }),
      ...(typeof verdict === 'string' ? { verdict } : {}),
    };
    this.#recent.delete(query);
    this.#recent.set(query, search);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= MAX_RECENT) break;
      this.#recent.delete(oldest);
    }
    return search;
  }

  #conversationOf(event: Fields): Conversation {
    const { threadId, resourceId } = event;
    const key = JSON.stringify(threadId === undefined ? [runOf(event)] : [resourceId ?? null, threadId]);
    const known = this.#conversations.get(key);
    if (known) return known;
    const conversation = {
      ...{ open: new Set<string>(), shown: new Map(), loaded: new Map() },
      ...{ direct: new Set<string>(), preselected: new Map() },
    };
    this.#conversations.set(key, conversation);
    return conversation;
  }

  #use(name: string, key: keyof Counts, by = 1): void {
    const counts = this.#tools.get(name);
    if (counts) counts[key] += by;
    else if (this.#tools.size < this.#max)
      this.#tools.set(name, { found: 0, loaded: 0, called: 0, neverCalled: 0, [key]: by });
  }

  #note(query: string): void {
    const count = this.#unmatched.get(query) ?? 0;
    if (count > 0 || this.#unmatched.size < this.#max) this.#unmatched.set(query, count + 1);
  }
}

function runOf({ runId, threadId, agentId }: Fields): string {
  return String(runId ?? threadId ?? agentId ?? '');
}

function textIn(event: Fields, key: string): string {
  const value = event[key];
  return typeof value === 'string' ? value : '';
}

function numberIn(event: Fields, key: string): number {
  const value = event[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function namesIn(event: Fields, key: string): readonly string[] {
  const value = event[key];
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

function byUse(one: ToolUse, other: ToolUse): number {
  return (
    other.called - one.called || other.loaded - one.loaded || other.found - one.found || compare(one.name, other.name)
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
