import { inspect } from 'node:util';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import { firstOf, type Permissions } from '../filter/permissions.ts';
import { searchedTexts } from '../loaded/conversation/conversation.ts';
import { likelihoodOfAny, RATED } from '../scorers/confidence.ts';
import type { ToolIndex, ToolMatch, ToolScorer } from '../scorers/scorer.ts';
import { parseQuery, type ToolQuery } from '../scorers/words/query.ts';
import { isRecord } from '../util/record.ts';
import { nextTurn } from '../util/time-slices.ts';
import { contentWords, stem, words } from '../util/words.ts';
import {
  hookReranker,
  MAX_RANKED_ANEW,
  type RankedMatch,
  type Rerank,
  type Reranked,
  type Reranker,
  rerankedBy,
} from './rerank.ts';
import type { Searched, Searcher } from './searcher.ts';

/** The outcome of one query for one request. */
export interface Found {
  /** The tools to show, best first. */
  readonly shown: readonly FoundEntry[];
  /** Permitted tools that match, with a confidence below `minConfidence`. */
  readonly dropped: readonly FoundEntry[];
  /** Whether probably none of the tools is what was asked for. */
  readonly isWeak: boolean;
  /** An app that the query names, but no tool visible to the request mentions. */
  readonly unmentionedApp?: string;
  /** Whether tools match, but the request may load none of them. Only with `autoLoad`. */
  readonly isUnloadable: boolean;
  /** Whether the filter ran out of time before it checked all tools, and few tools were found. */
  readonly isCut: boolean;
  /** How many visible tools were searched. Absent over a source. */
  readonly candidates?: number;
  /** The index that was searched. */
  readonly index: ToolIndex;
}

/** The catalog that a search searches, and the permissions of its request. */
export interface SearchScope {
  readonly catalog: Catalog;
  readonly permissions: Permissions;
  /** Whether a search loads what it shows, so that the load phase decides as well. */
  readonly autoLoad: boolean;
  /** Names of tools that the model already has. They do not count towards the limit. */
  readonly unranked?: ReadonlySet<string>;
  /** Reranks the matches before `search.rerank` does. */
  readonly reranker?: Reranker | undefined;
  readonly origin?: EventOrigin;
  /** Whether a source should explain its matches. */
  readonly explain?: boolean;
  /** Whether a tool is known to be of no use. */
  readonly isUnusable?: (entry: CatalogEntry) => boolean;
}

/** The parts of a processor that a search needs. */
export interface SearchServices {
  readonly options: {
    readonly scorer: ToolScorer;
    readonly rerank?: Rerank | undefined;
    readonly minScore: number;
    readonly minConfidence: number;
  };
  readonly searcher: Searcher;
  readonly reporter: Reporter;
}

/**
 * Searches: ranks the tools that the request may see, takes the first `limit` that the filter permits, cuts the tail
 * and rates the rest. Two kinds of tools are shown beyond the limit: those whose name stands in the query, and those
 * that the model already has, if they rank among the others. Undefined when the scorer failed, which is reported.
 */
export async function find(
  query: ToolQuery,
  limit: number,
  scope: SearchScope,
  { options, searcher, reporter }: SearchServices,
): Promise<Found | undefined> {
  const { unranked = new Set<string>(), isUnusable = () => false, explain, origin } = scope;
  const { scorer, rerank, minScore, minConfidence } = options;
  const permissions = scope.permissions.inSearch();
  const wanted = Math.max(limit, RATED);
  const failed = (error: unknown, by = scorer.name): void =>
    reporter.report({ type: 'scorer-failed', scorer: by, error, survived: true }, origin);
  const counts = (entry: CatalogEntry): boolean => !unranked.has(entry.name) && !isUnusable(entry);
  let searched: Searched | undefined;
  try {
    searched = await searcher.search({ query, wanted, catalog: scope.catalog, permissions, counts, explain, origin });
  } catch (error) {
    reporter.report({ type: 'scorer-failed', scorer: scorer.name, error }, origin);
  }
  if (!searched) return undefined;
  const { index, matches, visible } = searched;
  const { catalog } = visible;

  if (minConfidence > 0 && !index.confidence) reportNoConfidence(searcher.ranks, scorer.name, reporter);
  const extras: Extras = { named: namesIn(query, catalog), unranked };
  const cut = <Match extends RankedMatch>(entries: readonly Match[]): readonly Match[] =>
    scorer.keepsTail === true ? entries : withoutTail(entries, extras);
  const strange: StrangeMatches = { count: 0, malformed: 0, valid: 0 };
  let ranked = matchedEntries(matches, minScore, catalog, failed, strange);
  let before: readonly FoundEntry[] = [];
  let anew: Reranked | undefined;
  const rerankers = [scope.reranker, rerank && hookReranker(rerank, cut)].filter((one) => one !== undefined);
  if (rerankers.length > 0) {
    ranked = before = firstOf(ranked, Math.max(MAX_RANKED_ANEW, wanted));
    anew = await rerankedBy(rerankers, before, query, catalog, permissions.asker, (by, error) => failed(error, by));
    if (anew) ranked = matchedEntries(anew.matches, Number.NEGATIVE_INFINITY, catalog);
  }
  const candidates = pick(distinct(ranked, catalog, extras.named, isUnusable), wanted, extras);
  const { permitted } = await permissions.choose(candidates, Number.POSITIVE_INFINITY, 'search');
  if (strange.count > 0) {
    const error = new TypeError(strangeText(strange));
    // A hidden tool and a nonexistent one must give the same answer, so that the answer reveals no hidden tool.
    if (strange.valid > 0 || strange.malformed === 0) failed(error);
    else {
      reporter.report({ type: 'scorer-failed', scorer: scorer.name, error }, origin);
      return undefined;
    }
  }
  // A search that loads shows no tool that may not be loaded.
  const usable = scope.autoLoad ? await loadable(permitted, catalog, permissions) : { permitted, left: 0 };
  const head = anew?.keepsScale === false ? usable.permitted : cut(usable.permitted);
  const rating = anew ? rateReranked(index, query, head, before, anew.keepsScale) : rate(index, query, head);
  const rated = await rating.catch((error: unknown) => {
    // Without a rating, the results are kept without confidences.
    failed(error);
    return head;
  });
  const shown = await Promise.all(
    [...pick(rated, limit, extras)].map((entry) => withOtherNames(entry, catalog, permissions, scope)),
  );
  // An unchecked tool may mention the app, so nothing is said while some are unchecked.
  const app = visible.left > 0 ? undefined : await unmentionedApp(index, query, failed);
  const isSure = ({ confidence = 1 }: FoundEntry): boolean => confidence >= minConfidence;
  return {
    shown: shown.filter(isSure),
    dropped: shown.filter((entry) => !isSure(entry)),
    isWeak: verdictOfAny(rated.map(({ confidence }) => confidence)).isWeak,
    ...(app === undefined ? {} : { unmentionedApp: app }),
    isUnloadable: usable.permitted.length === 0 && permitted.length > 0,
    isCut: usable.left > 0 || (visible.left > 0 && permitted.length < wanted),
    ...(searched.candidates === undefined ? {} : { candidates: searched.candidates }),
    index,
  };
}

/** An app that the query names and the index lacks. A failure is reported, and does not fail the search. */
async function unmentionedApp(
  index: Searched['index'],
  query: ToolQuery,
  failed: (error: unknown) => void,
): Promise<string | undefined> {
  try {
    return await index.unmentionedApp?.(query);
  } catch (error) {
    failed(error);
    return undefined;
  }
}

/** After so many unknown or repeated matches, the rest of a scorer's answer is not read. */
const MAX_STRANGE = 10_000;

/** Counts of a scorer's invalid matches: unknown names, or scores that are no number. */
interface StrangeMatches {
  count: number;
  /** Matches without a name or a number. */
  malformed: number;
  /** Matches of tools that the request may see, whatever their score. */
  valid: number;
  first?: unknown;
}

/** Characters of a match that a message repeats. */
const MAX_SHOWN_MATCH = 100;

function strangeText({ count, first }: StrangeMatches): string {
  const fields = isRecord(first) ? { name: first['name'], score: first['score'] } : first;
  const shown = inspect(fields, { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxStringLength: MAX_SHOWN_MATCH });
  return `search() of the index returned ${count} match(es) that are none, first ${shown}: each has to be { name, score }, with the name of a document of the index and a number`;
}

/**
 * Rates reranked results by the confidences of the scorer's own ranking: reranking by a better judge must not lower the
 * likelihood that the results fit.
 *
 * @param before - the first ranking.
 * @param keepsScale - whether a tool keeps its confidence, which is raised to that of the tools it passed. Otherwise
 * the places keep the confidences, the highest for the first.
 */
async function rateReranked(
  index: ToolIndex,
  query: ToolQuery,
  entries: readonly FoundEntry[],
  before: readonly ToolMatch[],
  keepsScale: boolean,
): Promise<readonly FoundEntry[]> {
  const ranks = new Map(before.map(({ name }, rank) => [name, rank]));
  const rankOf = ({ name }: FoundEntry): number => ranks.get(name) ?? before.length;
  const inOrder = entries.toSorted((one, other) => rankOf(one) - rankOf(other));
  const rated = await rate(index, query, inOrder);
  if (keepsScale) {
    const byName = new Map(rated.map((entry) => [entry.name, entry]));
    return asLikelyAsPassed(entries.map((entry) => byName.get(entry.name) ?? entry));
  }
  const confidences = rated.flatMap(({ confidence }) => confidence ?? []).sort((one, other) => other - one);
  if (confidences.length !== entries.length) return entries;
  return entries.map((entry, place) => ({ ...entry, confidence: confidences[place] ?? 0 }));
}

/** Raises the confidence of each promoted entry to at least that of the entries it passed. */
function asLikelyAsPassed(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  let likeliest = 0;
  const fromLast = entries.toReversed().map((entry) => {
    const { confidence, byUse, likelihood = 0 } = entry;
    if (confidence === undefined) return entry;
    if (byUse === undefined) likeliest = Math.max(likeliest, confidence);
    else likeliest = Math.max(likeliest, confidence, likelihood);
    return byUse === undefined ? entry : { ...entry, confidence: likeliest };
  });
  return fromLast.reverse();
}

/** Adds the index's confidences, where it gives any. Only the given entries may influence them: others may be hidden. */
export async function rate<Entry extends { readonly name: string; readonly confidence?: number }>(
  index: ToolIndex,
  query: ToolQuery,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const confidences = await index.confidence?.(
    query,
    entries.map(({ name }) => name),
  );
  if (!Array.isArray(confidences) || confidences.length !== entries.length) return entries;
  return entries.map((entry, position) => {
    const confidence: unknown = confidences[position];
    return typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? { ...entry, confidence } : entry;
  });
}

/**
 * The matches above `minScore` as entries of a catalog, one by one, because mostly only the first are wanted. If the
 * scorer fails, they end there.
 */
export function* matchedEntries(
  matches: Iterable<RankedMatch>,
  minScore: number,
  catalog: Catalog,
  failed: (error: unknown) => void = () => {},
  strange: StrangeMatches = { count: 0, malformed: 0, valid: 0 },
): Iterable<FoundEntry> {
  const seen = new Set<string>();
  let unread = 0;
  try {
    for (const match of matches as Iterable<Partial<RankedMatch> | null>) {
      const { name, score, byUse, likelihood } = match ?? {};
      // A user's scorer may return anything, whatever its type says.
      const isMatch = typeof name === 'string' && typeof score === 'number' && !Number.isNaN(score);
      const isNew = isMatch && !seen.has(name);
      const entry = isNew ? catalog.get(name) : undefined;
      // `get` also resolves record keys; a match must have the tool's name.
      if (isNew && entry?.name === name) {
        strange.valid += 1;
        if (!(score > minScore)) continue;
        seen.add(name);
        yield {
          ...entry,
          score,
          ...(byUse === undefined ? {} : { byUse }),
          ...(likelihood === undefined ? {} : { likelihood }),
        };
        continue;
      }
      // An index of the whole catalog may name hidden tools: these matches are valid, so they are not counted as strange.
      if (!isMatch || (catalog.whole ?? catalog).get(name)?.name !== name) {
        if (strange.count === 0) strange.first = match;
        strange.count += 1;
        if (!isMatch) strange.malformed += 1;
      }
      if (++unread > MAX_STRANGE) return;
    }
  } catch (error) {
    failed(error);
  }
}

/** Usable tools without duplicates: of several copies the best one, and any whose name stands in the query. */
function* distinct(
  entries: Iterable<FoundEntry>,
  catalog: Catalog,
  named: ReadonlySet<string>,
  isUnusable: (entry: CatalogEntry) => boolean,
): Iterable<FoundEntry> {
  const shown = new Set<string>();
  for (const entry of entries) {
    if (isUnusable(entry) || (shown.has(entry.name) && !named.has(entry.name))) continue;
    for (const copy of catalog.copiesOf(entry.name)) shown.add(copy.name);
    yield entry;
  }
}

/** The loadable tools. The first loadable copy replaces a tool that may not be loaded. */
async function loadable(
  entries: readonly FoundEntry[],
  catalog: Catalog,
  permissions: Permissions,
): Promise<{ readonly permitted: readonly FoundEntry[]; readonly left: number }> {
  const { permitted, left } = await permissions.choose(entries, Number.POSITIVE_INFINITY, 'load');
  const there = new Set(permitted);
  const all = await Promise.all(
    entries.map(async (entry) => {
      if (there.has(entry)) return entry;
      const [copy] = await permissions.allowed(catalog.copiesOf(entry.name), 'load', 1);
      return copy && { ...entry, ...copy };
    }),
  );
  return { permitted: all.filter((entry) => entry !== undefined), left };
}

/** Names of copies listed per result: more would make the answer long. */
const MAX_COPIES = 20;

/** Adds the names of visible copies; with `autoLoad`, only of loadable ones. */
async function withOtherNames(
  entry: FoundEntry,
  catalog: Catalog,
  permissions: Permissions,
  { autoLoad, isUnusable = () => false }: SearchScope,
): Promise<FoundEntry> {
  const copies = catalog.copiesOf(entry.name).filter((copy) => !isUnusable(copy));
  if (copies.length === 0) return entry;
  const { permitted } = await permissions.choose(copies, MAX_COPIES, 'search');
  const usable = autoLoad ? (await permissions.choose(permitted, MAX_COPIES, 'load')).permitted : permitted;
  return usable.length === 0 ? entry : { ...entry, alsoAs: usable.map(({ name }) => name) };
}

/** Reports that a custom scorer gives no confidence. Only its built index shows this. */
function reportNoConfidence(what: 'scorer' | 'source', name: string, reporter: Reporter): void {
  const message = `"search.minConfidence" has no effect: the ${what} "${name}" gives no confidence.`;
  reporter.report({ type: 'option-doubt', option: 'search.minConfidence', message });
}

/** A tool that a search found. */
export interface FoundEntry extends CatalogEntry {
  /** The score, on the scale of the scorer. */
  readonly score: number;
  /** How likely the tool is what was asked for, from 0 to 1, where the scorer can tell. */
  readonly confidence?: number;
  /** The part of the score that past use added. */
  readonly byUse?: number;
  /** The likelihood, learned from past use, that the tool is what was asked for. */
  readonly likelihood?: number;
  /** The names of its copies on other servers. */
  readonly alsoAs?: readonly string[];
  /** Whether the tool's name stands in the query: the tool is then shown even beyond the limit. */
  readonly isNamed?: boolean;
}

/** Tools that are shown beyond the limit of a search. */
export interface Extras {
  /** Names that stand in the query, exactly. */
  readonly named: ReadonlySet<string>;
  /** Names of tools that the model already has. They do not count towards `limit`. */
  readonly unranked: ReadonlySet<string>;
}

/** Nothing is shown beyond the limit. */
const NONE: Extras = { named: new Set(), unranked: new Set() };

/** The share of the best score below which a result is noise: leaving noise out costs no labelled set 0.1 nDCG. */
const TAIL = 0.05;
/** Maximum number of tools that one search shows, extras beyond the `limit` included. */
export const MAX_SHOWN = 20;

/** The names of tools that stand in a query as the model would call them. */
function namesIn({ keywords }: ToolQuery, catalog: Catalog): ReadonlySet<string> {
  return new Set(keywords.flatMap((word) => catalog.get(word)?.name ?? []));
}

/**
 * The first `limit` of a ranking, plus the unranked tools among them and all named tools, up to 20 in all.
 */
export function* pick<Match extends Pick<FoundEntry, 'name' | 'isNamed'>>(
  ranking: Iterable<Match>,
  limit: number,
  { named, unranked }: Extras,
): Iterable<Match> {
  const missing = new Set(named);
  let places = limit;
  let room = Math.max(limit, MAX_SHOWN);
  for (const entry of ranking) {
    const isNamed = missing.delete(entry.name);
    const isUnranked = unranked.has(entry.name);
    if (places > 0 || isNamed) {
      if (!isUnranked) places -= 1;
      room -= 1;
      yield isNamed ? { ...entry, isNamed } : entry;
    }
    if (room <= 0 || (places <= 0 && missing.size === 0)) return;
  }
}

/**
 * Cuts results that score below `TAIL` of the best one; tools that the model already has do not count as the best. Scales
 * with negative or infinite scores have no such tail.
 */
export function withoutTail<Match extends RankedMatch>(
  entries: readonly Match[],
  { named, unranked }: Extras = NONE,
): readonly Match[] {
  // The score added by past use is left out: it must not make other results look like noise.
  const bestOf = (some: readonly Match[]): number => {
    const isBoosted = some.some(({ byUse }) => byUse !== undefined);
    return isBoosted ? Math.max(...some.map(({ score, byUse = 0 }) => score - byUse)) : (some[0]?.score ?? 0);
  };
  const best = bestOf(entries);
  const bestOther = bestOf(entries.filter(({ name }) => !unranked.has(name)));
  const worst = entries.at(-1)?.score ?? 0;
  if (!(worst >= 0 && Number.isFinite(best))) return entries;
  return entries.filter(
    ({ name, score }) => named.has(name) || score >= TAIL * (unranked.has(name) ? best : bestOther),
  );
}

/**
 * Below this likelihood that any result fits, an answer is weak. Several equally plausible results ("issue", in a catalog of
 * twelve tools for issues) do not make an answer weak.
 */
const WEAK = 0.5;

/**
 * The likelihood that at least one result fits, from their confidences, and whether the answer is weak. A result without a
 * confidence may be certain.
 */
export function verdictOfAny(confidences: readonly (number | undefined)[]): Verdict {
  const likelihood = likelihoodOfAny(confidences);
  return { likelihood, isWeak: likelihood < WEAK };
}

interface Verdict {
  readonly likelihood: number;
  readonly isWeak: boolean;
}

/** The results of a search without a filter, for benchmarks and pages. */
export interface IndexResults {
  /** The matches that are looked at, best first. */
  readonly candidates: readonly string[];
  /** The candidates without the tail, with the confidence of each where the index gives one. */
  readonly head: ReadonlyMap<string, number | undefined>;
  readonly shown: ReadonlySet<string>;
  /** Whether one of the head fits; absent where the index cannot tell. */
  readonly verdict?: Verdict;
}

/**
 * @param wanted - matches that are rated.
 * @param named - names that stand in the query.
 */
export async function resultsIn(
  index: ToolIndex,
  query: ToolQuery,
  matches: Iterable<ToolMatch>,
  limit: number,
  keepsTail: boolean | undefined,
  { wanted = Math.max(limit, RATED), named = NONE.named }: { wanted?: number; named?: ReadonlySet<string> } = {},
): Promise<IndexResults> {
  const extras = { ...NONE, named };
  const candidates = [...pick<ToolMatch & { readonly confidence?: number }>(matches, wanted, extras)];
  const head = await rate(index, query, keepsTail ? candidates : withoutTail(candidates, extras));
  const confidences = head.map(({ confidence }) => confidence);
  const isRated = index.confidence && (head.length === 0 || confidences.some((each) => each !== undefined));
  return {
    candidates: candidates.map(({ name }) => name),
    head: new Map(head.map(({ name, confidence }) => [name, confidence])),
    shown: new Set(Array.from(pick(head, limit, extras), ({ name }) => name)),
    ...(isRated ? { verdict: verdictOfAny(confidences) } : {}),
  };
}

/** The queries for a user's message: its text, and the clauses of a long message. None for small talk. */
export function messageQueries(message: string): readonly ToolQuery[] {
  // In a user's prose, `select:` and `+word` have no special meaning.
  return searchedTexts(message).map((text) => ({ ...parseQuery(text.replaceAll(':', ' ')), required: [] }));
}

/** A tool with how likely it is what a message asks for. */
export interface Candidate {
  readonly entry: FoundEntry;
  readonly confidence: number;
}

/**
 * Merges the results of a message and of its clauses, ordered by the sum of the confidences, which rewards tools that
 * several clauses find. A tool keeps its highest confidence.
 */
export function merge(found: readonly (readonly FoundEntry[])[]): readonly Candidate[] {
  const merged = new Map<string, { entry: FoundEntry; confidence: number; sum: number }>();
  for (const entry of found.flat()) {
    const { confidence = 0 } = entry;
    const before = merged.get(entry.name);
    if (!before) merged.set(entry.name, { entry, confidence, sum: confidence });
    else {
      before.sum += confidence;
      before.confidence = Math.max(before.confidence, confidence);
    }
  }
  return [...merged.values()].sort((one, other) => other.sum - one.sum);
}

/** What the user's message finds. */
export interface FoundByMessage {
  /** Best first. */
  readonly shown: readonly FoundEntry[];
  /** Whether probably none is what the message asks for. */
  readonly isWeak: boolean;
  /** Whether there was no time to ask the filter about all tools. */
  readonly isCut: boolean;
}

/** Searches all queries of a message, and merges the results. Undefined after a reported failure of the scorer. */
export async function findByMessage(
  queries: readonly ToolQuery[],
  limit: number,
  scope: SearchScope,
  services: SearchServices,
): Promise<FoundByMessage | undefined> {
  const lists: (readonly FoundEntry[])[] = [];
  let isWeak = true;
  let isCut = false;
  for (const query of queries.slice(0, services.searcher.maxQueries)) {
    if (lists.length > 0) await nextTurn();
    const found = await find(query, limit, scope, services);
    if (!found) return undefined;
    lists.push(found.shown);
    isWeak &&= found.isWeak;
    isCut ||= found.isCut;
  }
  const [only = []] = lists;
  return { shown: lists.length > 1 ? inOneOrder(lists) : only, isWeak, isCut };
}

function inOneOrder(lists: readonly (readonly FoundEntry[])[]): readonly FoundEntry[] {
  return merge(lists).map(({ entry, confidence }) =>
    entry.confidence === undefined ? entry : { ...entry, confidence },
  );
}

/** Whether two texts share the stem of a content word. */
export function haveWordInCommon(one: string, other: string): boolean {
  const stems = new Set(contentWords(words(one)).map(stem));
  return contentWords(words(other)).some((word) => stems.has(stem(word)));
}
