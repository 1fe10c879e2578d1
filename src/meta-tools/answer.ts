import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { isTool } from '../catalog/tool.ts';
import type { MessageReason, SearchVerdict } from '../events/reasons.ts';
import type { RunMemory } from '../filter/permissions.ts';
import { callsOfRun, conversationOf, lastUserText, type ToolCall } from '../loaded/conversation/conversation.ts';
import { isHandled } from '../mastra/marks.ts';
import { isSelection, parseQuery, type ToolQuery } from '../scorers/words/query.ts';
import {
  type Found,
  type FoundByMessage,
  type FoundEntry,
  find,
  findByMessage,
  haveWordInCommon,
  MAX_SHOWN,
  messageQueries,
  type SearchScope,
  type SearchServices,
} from '../search/find.ts';
import type { Step } from '../step/step.ts';
import { asRecord } from '../util/record.ts';
import { words } from '../util/words.ts';
import { failingIn } from './failed-calls.ts';
import { type Loader, withSuggestions } from './loading.ts';
import { asObject, type Learner, type MetaToolParts, nothingToFind, queriesIn } from './meta-tool.ts';
import * as prompts from './prompts.ts';

export interface SearchHit
  extends Pick<FoundEntry, 'name' | 'description' | 'tool' | 'score' | 'confidence' | 'alsoAs' | 'isSent' | 'byUse'> {
  /** The queries that found the tool. Absent if the call has one query. */
  readonly queries?: readonly string[];
  readonly fromMessage?: true;
  /** Whether the model can call the tool now. */
  readonly isCallable?: boolean;
}

export interface SearchAnswer {
  readonly results: readonly SearchHit[];
  readonly message: string;
  readonly loaded?: readonly string[];
  /** Whether no search of the request can find a tool. */
  readonly isNothing?: boolean;
  readonly unloaded?: readonly string[];
  readonly verdict: SearchVerdict;
  /** Why the user's message was searched as well; absent if it was not. */
  readonly messageReason?: MessageReason | undefined;
  /** The number of searched tools; absent if none were searched. */
  readonly candidates?: number | undefined;
}

type Part = Omit<SearchAnswer, 'verdict' | 'candidates' | 'messageReason'>;

interface QueryOutcome {
  readonly query: ToolQuery;
  readonly found: Found | undefined;
}

/** The result of searching for the user's message in one call, best first, and the reason for that search. */
interface MessageOutcome {
  readonly reason: MessageReason;
  readonly shown: readonly FoundEntry[];
  /** Whether probably no result is what the message asks for. */
  readonly isWeak: boolean;
}

interface Scope extends SearchScope {
  /** Names of tools that the model can call without a load. */
  readonly callable: ReadonlySet<string>;
  /** Callable tools that do not count toward the limit. With `autoLoad` only own tools: else each search would load more. */
  readonly unranked: ReadonlySet<string>;
}

/** How searches differ from one another. */
export interface SearchKind {
  /** Whether the answer may suggest another search. False after several searches that led to nothing. */
  readonly mayRetry: boolean;
  /**
   * Unknown names whose words are searched instead of a load. Such a search shows only tools that may be loaded. A tool that
   * may be found but not loaded or used is never a result for its own name.
   */
  readonly unknown?: ReadonlySet<string> | undefined;
}

/** Includes the agent's own tools that nothing hides, but no tools of another processor, which may vanish at any step. */
function scopeOf(step: Step, { unknown }: SearchKind, loader: Loader, learner: Learner | undefined): Scope {
  const { catalog, own, tools, permissions, origin } = step;
  const { autoLoad } = step.mode;
  const sent = Object.entries(own).filter(
    (entry): entry is [string, object] => tools.isAvailable(entry[0]) && isTool(entry[1]) && !isHandled(entry[1]),
  );
  const callable = new Set(tools.callable);
  return {
    ...{ permissions, reranker: learner?.reranker, origin },
    isUnusable: (entry) => unknown?.has(entry.name) === true || loader.isUnusable(entry, step),
    catalog: catalog.withSent(sent),
    callable,
    unranked: autoLoad ? new Set(sent.map(([name]) => name)) : callable,
    autoLoad: autoLoad || unknown !== undefined,
  };
}

/** Limit of the results of the user's message if the results of the queries are likelier. */
const MESSAGE_PLACES = 2;
/** A query is weak if the confidence of its best result is below this. Then the user's message is searched as well. */
const LIKELY = 0.5;
/** From this share of the best score on, a result counts as equally good. A query with only an app's name has many such. */
const ALIKE = 0.8;
const MAX_CLOSEST = 3;

/** The parts of a processor that answers need. */
export type AnswerParts = Pick<MetaToolParts, 'loader' | 'learnerOf' | keyof SearchServices>;

export class SearchAnswers {
  readonly #parts: AnswerParts;
  /** Cached searches for the user's message, by run. The inner key has the message and all else that affects the results. */
  readonly #searches = new WeakMap<
    RunMemory,
    Map<string, { readonly catalog: Catalog; readonly found: Promise<FoundByMessage | undefined> }>
  >();

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Answers the queries of one call. Each `select:` is answered separately, and its results do not count toward `limit`. */
  async answer(texts: readonly string[], limit: number, step: Step, kind: SearchKind): Promise<SearchAnswer> {
    const isOnly = texts.length < 2;
    const answers: SearchAnswer[] = [];
    for (const text of texts.filter(isSelection)) {
      const selection = await this.#select(parseQuery(text), step);
      answers.push({ ...selection, verdict: selection.results.length > 0 ? 'fits' : 'nothing' });
    }
    const queries = texts.filter((text) => !isSelection(text)).map((text) => parseQuery(text));
    const asked = queries.filter(({ keywords }) => keywords.length > 0);
    // A call without a query is answered with the results of the user's message.
    const answer =
      asked.length > 0 || answers.length === 0 ? await this.#search(asked, limit, isOnly, step, kind) : undefined;
    if (answer) answers.push(answer);
    const [first] = answers;
    if (!first) return { results: [], message: prompts.emptyQuery(step.mode.names), verdict: 'nothing' };
    if (isOnly) return first;
    return answers.find(({ isNothing }) => isNothing) ?? join(answers);
  }

  /** Answers `select:a,b`: loads exactly these tools, in that order, regardless of the limit. */
  async #select({ select: asked }: ToolQuery, step: Step): Promise<Part> {
    const { names } = step.mode;
    if (!asked) return { results: [], message: prompts.nothingToSelect(names) };
    const chosen = asked.slice(0, step.allowance.names);
    step.allowance.names -= chosen.length;
    if (step.mode.select) return step.mode.select(chosen, step);
    const outcome = await this.#parts.loader.byName(chosen, step, ['search', 'load']);
    const unknown = await withSuggestions(outcome.notFound, step);
    const { loaded, alreadyLoaded } = outcome;
    const some = prompts.selectedText(loaded, alreadyLoaded, unknown, asked.length - chosen.length, names);
    const message = (outcome.ready.length === 0 && (await nothingToFind(step))) || some;
    return {
      results: outcome.ready.map((entry) => selected(entry, !loaded.includes(entry.name))),
      message: `${message}${prompts.roomNotes(outcome)}`,
      // `alreadyLoaded` includes resident tools, which need no loading.
      loaded: [...loaded, ...alreadyLoaded],
      unloaded: outcome.evicted,
    };
  }

  /** Answers all queries. `isOnly`: the call has one query. Undefined if there is no query and the message finds nothing. */
  async #search(
    queries: readonly ToolQuery[],
    limit: number,
    isOnly: boolean,
    step: Step,
    kind: SearchKind,
  ): Promise<SearchAnswer | undefined> {
    const scope = scopeOf(step, kind, this.#parts.loader, this.#parts.learnerOf(step.state));
    const outcomes = await Promise.all(
      queries.map(async (query) => ({ query, found: await find(query, limit, scope, this.#parts) })),
    );
    const message = await this.#byMessage(outcomes, limit, scope, step, kind);
    const byMessage = message?.shown ?? [];
    const isMessageWeak = message?.isWeak !== false || byMessage.length === 0;
    if (queries.length === 0 && byMessage.length === 0) return undefined;
    const candidates = outcomes.find(({ found }) => found)?.found?.candidates;
    const whole = { verdict: verdictOf(outcomes), messageReason: message?.reason, candidates };
    const isEmpty =
      byMessage.length === 0 &&
      outcomes.every(({ found }) => found && found.shown.length + found.dropped.length === 0 && !found.isCut);
    const nothing = isEmpty ? await nothingToFind(step) : undefined;
    if (nothing !== undefined) return { ...whole, results: [], message: nothing, isNothing: true };

    const { names, autoLoad, loadsWeak } = step.mode;
    const { mayRetry } = kind;
    const successful = outcomes.filter(({ found }) => found && found.shown.length > 0);
    const weak = successful.filter(({ found }) => found?.isWeak).map(({ query }) => query.text);
    const apps = [...new Set(outcomes.flatMap(({ found }) => found?.unmentionedApp ?? []))];
    const limits = [
      apps.length > 0 && prompts.noMention(apps),
      outcomes.some(({ found }) => found?.isCut) && prompts.notAllChecked(),
    ];
    const hits = takeTurns(successful, byMessage, Math.max(limit, successful.length), isOnly, scope);
    const misses = missesOf(outcomes, byMessage.length > 0, step.mode, mayRetry);
    if (hits.length === 0) return { ...whole, results: [], message: prompts.joined(' ', ...misses, ...limits) };

    const isWeak = weak.length === successful.length && isMessageWeak;
    // With `autoLoad` the message about loading covers loaded tools.
    const there = hits.filter(({ isCallable, isSent }) => (autoLoad ? isSent : isCallable)).map(({ name }) => name);
    const failing = failingIn(step);
    const failed = hits.map(({ name }) => name).filter((name) => failing.has(name));
    const notes = [
      failed.length > 0 && prompts.lastCallFailed(failed),
      hits.some(({ fromMessage }) => fromMessage) &&
        (isMessageWeak ? prompts.weakByMessage() : prompts.foundByMessage()),
      hits.some(({ alsoAs }) => alsoAs) && prompts.hasCopies(),
      ...misses,
    ];
    const answered = (message: string | false): SearchAnswer => {
      return { ...whole, results: hits, message: prompts.joined(' ', message, ...notes, ...limits) };
    };
    const deferred = hits.length - there.length;
    const loads = autoLoad && deferred > 0;
    if (isWeak && !(loads && loadsWeak)) {
      const sentence = prompts.closest(weak, closestOf(hits), names, autoLoad, mayRetry, there);
      // Only the user's message found something; the notes say so.
      return answered(weak.length > 0 && sentence);
    }
    const fits = fitting(hits).filter((name) => !failing.has(name));
    const weakNote = !isWeak && weak.length > 0 && prompts.weakQueries(weak);
    // Tools that need no load are named first. If the best result is one of these, the answer does not mention loading.
    const others = there.filter((name) => !failing.has(name));
    const thereNote =
      others.length > 0 && !isWeak && prompts.needNoLoading(others, fits, !autoLoad && wasLoaded(others, step));
    const isThere = hits[0] !== undefined && there.includes(hits[0].name);
    if (deferred === 0 || (isThere && !autoLoad)) {
      const { message, ...rest } = answered(thereNote);
      return { ...rest, message: prompts.joined(' ', message, weakNote) };
    }
    const found = autoLoad
      ? await this.#loadHits(
          outcomes.map(({ query }) => query.text),
          hits,
          isWeak ? undefined : fits,
          step,
          kind,
        )
      : { results: hits, message: step.mode.found?.(deferred, fits) ?? prompts.found(deferred, names) };
    const all = prompts.joined(' ', thereNote, found.message, ...notes, weakNote, ...limits);
    return { ...whole, ...found, message: all };
  }

  /**
   * With `autoLoad`: loads the hits, and shows those for which there is room.
   *
   * @param fits - the hits that probably fit; undefined if probably none does.
   */
  async #loadHits(
    texts: readonly string[],
    hits: readonly SearchHit[],
    fits: readonly string[] | undefined,
    step: Step,
    { mayRetry }: SearchKind,
  ): Promise<Part> {
    const all = hits.filter(({ isSent }) => !isSent).map(({ name }) => name);
    const hurried = { ...step, permissions: step.permissions.inSearch() };
    const outcome = await this.#parts.loader.byName(all, hurried);
    const loaded = outcome.ready.map(({ name }) => name);
    const results = hits.filter(({ name, isSent }) => isSent || loaded.includes(name));
    const room = prompts.roomNotes(outcome);
    if (loaded.length === 0)
      return {
        results,
        message: room.trim() || prompts.nothingToLoad(texts.join(', '), mayRetry),
        loaded,
      };
    const usable = fits?.filter((name) => loaded.includes(name));
    const message = usable
      ? prompts.foundAndLoaded(loaded, outcome.alreadyLoaded.length, usable)
      : prompts.closestLoaded(texts, loaded);
    return { results, message: `${message}${room}`, loaded, unloaded: outcome.evicted };
  }

  /** Searches for the user's message. Undefined if there is no reason to, the message has no words, or the scorer failed. */
  async #byMessage(
    asked: readonly QueryOutcome[],
    limit: number,
    scope: Scope,
    step: Step,
    kind: SearchKind,
  ): Promise<MessageOutcome | undefined> {
    const isOutOfOrder = asked.length > 0 && asked.every(({ found }) => !found);
    const { useMessage } = this.#parts.options;
    const queries = useMessage === false || isOutOfOrder ? [] : messageQueries(lastUserText(conversationOf(step.args)));
    const [whole] = queries;
    if (!whole) return undefined;
    const reason = this.#reasonOf(asked, whole.text, step, kind) ?? (useMessage === true ? 'always' : undefined);
    if (!reason) return undefined;

    const { run } = step.state;
    const { catalog, autoLoad, unranked } = scope;
    const ofRun = this.#searches.get(run) ?? new Map();
    this.#searches.set(run, ofRun);
    const key = JSON.stringify([whole.text, limit, autoLoad, ...unranked]);
    const known = ofRun.get(key);
    const found = known?.catalog === catalog ? known.found : findByMessage(queries, limit, scope, this.#parts);
    ofRun.set(key, { catalog, found });
    const answer = await found;
    // A search that was cut short is not cached: the next one may find more.
    if (!answer || answer.isCut) ofRun.delete(key);
    return answer && { reason, shown: answer.shown, isWeak: answer.isWeak };
  }

  /** The first reason why the queries may not say what the user wants; undefined if there is none. */
  #reasonOf(
    asked: readonly QueryOutcome[],
    message: string,
    { calls }: Step,
    { unknown }: SearchKind,
  ): MessageReason | undefined {
    const answers = asked.flatMap(({ found }) => found ?? []);
    if (unknown) return 'unknown-name';
    if (asked.length === 0 || answers.some(({ shown, dropped }) => shown.length + dropped.length === 0))
      return 'nothing';
    const { keepsTail = false } = this.#parts.options.scorer;
    if (answers.some(({ shown }) => isUnclear(shown, keepsTail))) return 'weak';
    const earlier = this.#earlierQueries(calls);
    if (asked.some(({ query }) => earlier.has(normalised(query.text)))) return 'repeated';
    return asked.some(({ query }) => !haveWordInCommon(query.text, message)) ? 'unrelated' : undefined;
  }

  #earlierQueries(calls: readonly ToolCall[]): ReadonlySet<string> {
    const { search } = this.#parts.options.metaTools.names;
    const inputs = callsOfRun(calls).flatMap(({ toolName, args, state, searchedBy }) => {
      if (state !== 'result') return [];
      if (searchedBy) return [asRecord(args)?.['arguments']];
      return toolName === search ? [args] : [];
    });
    return new Set(inputs.flatMap((input) => queriesIn(asObject(input)['query']).map(normalised)));
  }
}

/**
 * Whether a query is too vague: no result is likely, or the first four are nearly equal.
 *
 * @param keepsTail - whether the scores have no zero point. If so, confidences are compared instead.
 */
function isUnclear(shown: readonly FoundEntry[], keepsTail: boolean): boolean {
  const [best, , , fourth] = shown;
  if (!best || (best.confidence ?? 1) < LIKELY) return true;
  if (!fourth) return false;
  return keepsTail ? (fourth.confidence ?? 0) >= ALIKE * (best.confidence ?? 1) : fourth.score >= ALIKE * best.score;
}

/** @param isCallable - whether the tool was callable before the selection. */
export function selected({ name, description, tool }: CatalogEntry, isCallable: boolean): SearchHit {
  return { name, description, tool, score: 1, ...(isCallable ? { isCallable } : {}) };
}

const VERDICTS: readonly SearchVerdict[] = ['fits', 'weak', 'nothing', 'failed'];

function verdictOf(outcomes: readonly QueryOutcome[]): SearchVerdict {
  return bestOf(
    outcomes.map(({ found }) => {
      if (!found) return 'failed';
      if (found.shown.length > 0 && !found.isWeak) return 'fits';
      return found.shown.length + found.dropped.length > 0 ? 'weak' : 'nothing';
    }),
  );
}

function bestOf(verdicts: readonly SearchVerdict[]): SearchVerdict {
  return VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? 'nothing';
}

/** The messages for queries without results. `isElsewhere`: the user's message found something. */
function missesOf(
  outcomes: readonly QueryOutcome[],
  isElsewhere: boolean,
  { names, autoLoad }: Step['mode'],
  mayRetry: boolean,
): string[] {
  const failed: string[] = [];
  const unmatched: string[] = [];
  const others: string[] = [];
  for (const { query, found } of outcomes) {
    const { text } = query;
    if (!found) failed.push(prompts.searchOutOfOrder(text));
    else if (found.shown.length > 0) continue;
    else if (!isElsewhere && found.dropped.length > 0)
      others.push(prompts.closest([text], closestOf(found.dropped), names, autoLoad, mayRetry));
    else if (!isElsewhere && found.isUnloadable) others.push(prompts.nothingToLoad(text, mayRetry));
    else unmatched.push(text);
  }
  const none = isElsewhere ? prompts.noMatch(unmatched) : prompts.nothingFound(unmatched, mayRetry);
  return [...failed, ...(unmatched.length > 0 ? [none] : []), ...others];
}

/** The tools that probably fit: the likely ones, or those nearly as likely as the best. */
function fitting(hits: readonly SearchHit[]): readonly string[] {
  const likelihood = ({ confidence = 1 }: SearchHit): number => confidence;
  const best = Math.max(...hits.map(likelihood));
  return hits.filter((hit) => likelihood(hit) >= Math.min(LIKELY, ALIKE * best)).map(({ name }) => name);
}

/** Whether the model has loaded one of the tools in this conversation. */
function wasLoaded(names: readonly string[], { calls, catalog }: Step): boolean {
  const loaded = calls.flatMap((call) => (call.metaTool === 'load' ? call.loaded : []));
  return loaded.some((name) => names.includes(catalog.nameOf(name)));
}

function closestOf(hits: readonly SearchHit[]): string[] {
  return hits.slice(0, MAX_CLOSEST).map(({ name }) => name);
}

/**
 * Interleaves the results of the queries by rank: at most `limit` distinct tools, plus the unranked ones. Results of the
 * user's message come first if no query fits, take turns if they are likelier, and otherwise get the last places.
 */
function takeTurns(
  outcomes: readonly QueryOutcome[],
  byMessage: readonly FoundEntry[],
  limit: number,
  isOnly: boolean,
  { callable, unranked }: Scope,
): SearchHit[] {
  const lists: { readonly text?: string; readonly shown: readonly (FoundEntry | undefined)[] }[] = outcomes.map(
    ({ query, found }) => ({ text: query.text, shown: found?.shown ?? [] }),
  );
  const isFit = outcomes.some(({ found }) => found?.isWeak === false);
  const likelihood = (entry: FoundEntry | undefined): number => entry?.confidence ?? 1;
  const likeliest = Math.max(0, ...lists.map(({ shown: [best] }) => likelihood(best)));
  const [best] = byMessage;
  if (isFit && best && likelihood(best) > likeliest) lists.push({ shown: byMessage });
  else if (best) {
    const before = isFit ? Math.max(1, Math.floor((limit - MESSAGE_PLACES) / lists.length)) : 0;
    lists.unshift({ shown: [...new Array<undefined>(before), ...byMessage] });
  }
  const hits = new Map<string, { entry: FoundEntry; queries: string[] }>();
  const shownAs = new Map<string, string>();
  let places = limit;
  const longest = Math.max(0, ...lists.map(({ shown }) => shown.length));
  for (let turn = 0; turn < longest; turn++) {
    for (const { text, shown } of lists) {
      const entry = shown[turn];
      if (!entry) continue;
      const hit = hits.get(entry.isNamed ? entry.name : (shownAs.get(entry.name) ?? entry.name));
      if (hit && text !== undefined) {
        if (hit.queries.length === 0 && hit.entry.name === entry.name) hit.entry = entry;
        hit.queries.push(text);
      } else if (!hit && (places > 0 || (text !== undefined && entry.isNamed && hits.size < MAX_SHOWN))) {
        if (!unranked.has(entry.name)) places -= 1;
        hits.set(entry.name, { entry, queries: text === undefined ? [] : [text] });
        for (const copy of entry.alsoAs ?? []) shownAs.set(copy, entry.name);
      }
    }
  }
  return [...hits.values()].map(({ entry, queries }) => {
    const isCallable = callable.has(entry.name);
    const from = queries.length === 0 ? { fromMessage: true as const } : isOnly ? {} : { queries };
    return { ...entry, ...(isCallable ? { isCallable } : {}), ...from };
  });
}

/** Merges answers: each tool once, and all messages. */
function join(answers: readonly SearchAnswer[]): SearchAnswer {
  const results = new Map<string, SearchHit>();
  for (const hit of answers.flatMap(({ results: hits }) => hits))
    if (!results.has(hit.name)) results.set(hit.name, hit);
  const loaded = answers.flatMap((each) => each.loaded ?? []);
  return {
    results: [...results.values()],
    message: answers.map(({ message }) => message).join(' '),
    ...(loaded.length > 0 ? { loaded: [...new Set(loaded)] } : {}),
    unloaded: [...new Set(answers.flatMap((each) => each.unloaded ?? []))],
    verdict: bestOf(answers.map(({ verdict }) => verdict)),
    messageReason: answers.find(({ messageReason }) => messageReason)?.messageReason,
    candidates: answers.find(({ candidates }) => candidates !== undefined)?.candidates,
  };
}

function normalised(query: string): string {
  return words(query).join(' ') || query;
}
