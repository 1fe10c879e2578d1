import { asRecord, Lru, type ToolSearchEvent } from '../kit.ts';

/**
 * How far searches came, and what became of tools: figures of many runs, as plain data.
 *
 * @example
 * ```ts
 * const conversion = ({ stages }: Funnel) => stages.map(({ name, count }) => `${name}: ${count}`);
 * ```
 */
export interface Funnel {
  /** Events that were counted; those of unknown types are not. */
  readonly events: number;
  /** When the first and the last of them happened, in milliseconds since 1970; absent where none tells. */
  readonly from?: number;
  readonly to?: number;
  /** Searches, by how far they came: each stage is a part of the one before it. */
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
  /** The last queries, the latest first, each with what became of its last search; at most a hundred. */
  readonly recent: readonly RecentSearch[];
}

/**
 * A query, and what became of its last search.
 *
 * @example
 * ```ts
 * const isLost = ({ found, called }: RecentSearch) => found > 0 && called === undefined;
 * ```
 */
export interface RecentSearch {
  readonly query: string;
  /** Searches for it. */
  readonly count: number;
  /** When the last one was, in milliseconds since 1970; left out where the event does not tell. */
  readonly time?: number;
  /** Tools that were returned, and the first of them. */
  readonly found: number;
  readonly first?: string;
  /** Whether it was told that the results fit; left out where the event does not tell. */
  readonly verdict?: string;
  /** A tool of the results that was loaded since, and one that was called. */
  readonly loaded?: string;
  readonly called?: string;
}

/**
 * - `searches`: all searches.
 * - `found`: they returned a tool.
 * - `loaded`: a tool that they returned was loaded, or called without a load.
 * - `called`: a tool that they returned was called.
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
 * What searches came to.
 *
 * @example
 * ```ts
 * const shareAskedAgain = ({ total, askedAgain }: FunnelSearches) => askedAgain / total;
 * ```
 */
export interface FunnelSearches {
  readonly total: number;
  /** Without a confident match: the verdict is not `fits`, or, in older events without one, nothing was returned. */
  readonly unmatched: number;
  /** After another search of the run, with neither a load nor a call between the two. */
  readonly askedAgain: number;
}

/**
 * What became of loads. A tool is loaded once in a conversation, however often it is asked for.
 *
 * @example
 * ```ts
 * const waste = ({ total, neverCalled }: FunnelLoads) => neverCalled / total;
 * ```
 */
export interface FunnelLoads {
  readonly total: number;
  /** Loaded, and not called in the same conversation so far. */
  readonly neverCalled: number;
  /** Names in loads that no tool has, or that the request may not load. */
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
  /** They threw, or refused their input. */
  readonly failed: number;
  /** They were refused, as the filter denied the tool by then. */
  readonly denied: number;
}

/**
 * Calls of tools that were not sent, and what became of them.
 *
 * @example
 * ```ts
 * const healed = ({ loaded, total }: FunnelMisses) => loaded / total;
 * ```
 */
export interface FunnelMisses {
  readonly total: number;
  /** The tool was loaded for the next step. */
  readonly loaded: number;
  /** Nothing came of them. */
  readonly lost: number;
}

/**
 * Model calls that were not needed, each against a search, a load and a call in steps of their own.
 *
 * - `preselect`: the first call, in a conversation, of a tool that the run began with: two, the search and the load; one
 *   in call mode, which has no load. None where the conversation had found or loaded it before.
 * - `direct`: the first call, in a conversation, of a tool that a search returned and nothing loaded (`mode: 'call'`), or
 *   that the search itself loaded (`search.autoLoad`, `select:`, native mode): one, the load.
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
  /** What sending the whole catalog would have cost. */
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
  /** Searches that returned it. */
  readonly found: number;
  /** Conversations that loaded it. */
  readonly loaded: number;
  readonly called: number;
  /** Conversations that loaded it and have not called it so far. */
  readonly neverCalled: number;
}

type Fields = Readonly<Record<string, unknown>>;
type Counts = { -readonly [Key in Exclude<keyof ToolUse, 'name'>]: number };

const MAX_UNMATCHED = 100;
const MAX_RECENT = 100;
const MAX_QUERY = 200;
/** Runs of one conversation whose last search is remembered: few go on at the same time. */
const MAX_OPEN = 100;

/** Conversations, tools and queries that a process remembers that counts for as long as it runs. */
export const MANY = 1_000;

/** What is remembered of one conversation, by the names of tools, to tell what became of searches and loads. */
interface Conversation {
  /** Runs whose last search led to neither a load nor a call so far. */
  readonly open: Set<string>;
  /** The last search that returned a tool, as far as it came. */
  readonly shown: Map<string, Search>;
  /** Loaded tools, and whether each was called since. */
  readonly loaded: Map<string, boolean>;
  /** Tools that a search returned and loaded at once, or returned without a load, and that nobody has called. */
  readonly direct: Set<string>;
  /** Tools that the run began with and nobody has called, with the turns that a call of theirs saves. */
  readonly preselected: Map<string, number>;
}

/** A search, as far as it came. */
interface Search {
  isLoaded: boolean;
  isCalled: boolean;
  /** What is told of its queries. */
  readonly recent: readonly Mutable<RecentSearch>[];
}

type Mutable<Fields> = { -readonly [Key in keyof Fields]: Fields[Key] };

/** Counts events one by one. Nobody vouches for their fields: they may come from a log of another version. */
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

  /** @param max - conversations, tools and queries that are remembered. */
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
        // In call mode its definition stands in the system text, and nothing is ever loaded.
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

  /** @param isDirect - whether the search that found it did it. */
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

  /** Something came of the search that returned the tool, and so of the run's last one. */
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
