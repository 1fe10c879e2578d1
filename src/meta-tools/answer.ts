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
  /** The queries that found it; only where a call has several. */
  readonly queries?: readonly string[];
  readonly fromMessage?: true;
  /** Whether the model can call it now. */
  readonly isCallable?: boolean;
}

export interface SearchAnswer {
  readonly results: readonly SearchHit[];
  readonly message: string;
  readonly loaded?: readonly string[];
  /** Whether there is nothing to find, whatever is searched for. */
  readonly isNothing?: boolean;
  readonly unloaded?: readonly string[];
  readonly verdict: SearchVerdict;
  /** Why the user's message was searched as well; absent where it was not. */
  readonly messageReason?: MessageReason | undefined;
  /** How many tools were searched; absent where none were. */
  readonly candidates?: number | undefined;
}

type Part = Omit<SearchAnswer, 'verdict' | 'candidates' | 'messageReason'>;

interface QueryOutcome {
  readonly query: ToolQuery;
  readonly found: Found | undefined;
}

/** What the user's message finds for one call of a search, best first, and why it was searched. */
interface MessageOutcome {
  readonly reason: MessageReason;
  readonly shown: readonly FoundEntry[];
  /** Whether probably none is what the message asks for. */
  readonly isWeak: boolean;
}

interface Scope extends SearchScope {
  /** Names of tools that the model can call without a load. */
  readonly callable: ReadonlySet<string>;
  /** The part of them that takes no place among the results. A search that loads would load ever more in their place. */
  readonly unranked: ReadonlySet<string>;
}

/** What one search differs in from another. */
export interface SearchKind {
  /** Whether an answer may suggest another search: false after some that led to nothing. */
  readonly mayRetry: boolean;
  /**
   * Names that no tool has, whose words are searched in place of a load: the search shows what may be loaded. A tool that may
   * be found, and not loaded or used, is no answer to its own name.
   */
  readonly unknown?: ReadonlySet<string> | undefined;
}

/** Searches the agent's own tools too, as far as nothing may hide them. What another processor sends comes and goes. */
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

/** Places of what the user's message found, among results of queries that are likelier. */
const MESSAGE_PLACES = 2;
/** The likelihood of its best result below which a query is weak. Below an even chance, the message is worth a search. */
const LIKELY = 0.5;
/** The share of the best score from which on a result is as good: an app's name alone finds all of its tools so. */
const ALIKE = 0.8;
const MAX_CLOSEST = 3;

/** What answers need of the processor. */
export type AnswerParts = Pick<MetaToolParts, 'loader' | 'learnerOf' | keyof SearchServices>;

export class SearchAnswers {
  readonly #parts: AnswerParts;
  /** The searches of each run for the user's message, by it and what else decides what they find. */
  readonly #searches = new WeakMap<
    RunMemory,
    Map<string, { readonly catalog: Catalog; readonly found: Promise<FoundByMessage | undefined> }>
  >();

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Answers the queries of one call. Each `select:` is answered by itself, and takes no part in the limit. */
  async answer(texts: readonly string[], limit: number, step: Step, kind: SearchKind): Promise<SearchAnswer> {
    const isOnly = texts.length < 2;
    const answers: SearchAnswer[] = [];
    for (const text of texts.filter(isSelection)) {
      const selection = await this.#select(parseQuery(text), step);
      answers.push({ ...selection, verdict: selection.results.length > 0 ? 'fits' : 'nothing' });
    }
    const queries = texts.filter((text) => !isSelection(text)).map((text) => parseQuery(text));
    const asked = queries.filter(({ keywords }) => keywords.length > 0);
    // A call without words is answered with what the user's message finds.
    const answer =
      asked.length > 0 || answers.length === 0 ? await this.#search(asked, limit, isOnly, step, kind) : undefined;
    if (answer) answers.push(answer);
    const [first] = answers;
    if (!first) return { results: [], message: prompts.emptyQuery(step.mode.names), verdict: 'nothing' };
    if (isOnly) return first;
    return answers.find(({ isNothing }) => isNothing) ?? join(answers);
  }

  /** `select:a,b`: exactly these tools, in that order, loaded at once, whatever the limit. */
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
      // Resident tools too, which need no loading.
      loaded: [...loaded, ...alreadyLoaded],
      unloaded: outcome.evicted,
    };
  }

  /** Answers queries together; `isOnly` tells a call with one. Undefined without a query where the message finds nothing. */
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
    // A search that loads says of a loaded tool that it loaded it.
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
      // The message alone found something, which the notes say.
      return answered(weak.length > 0 && sentence);
    }
    const fits = fitting(hits).filter((name) => !failing.has(name));
    const weakNote = !isWeak && weak.length > 0 && prompts.weakQueries(weak);
    // What needs no load comes first, and where it is the best, no load is spoken of.
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
   * With `autoLoad`: loads what was found, and shows it as far as there is room for it.
   *
   * @param fits - what probably fits; undefined where probably nothing does.
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

  /** What the user's message finds; undefined where no query asks for it, it says nothing, or the scorer failed. */
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
    // The next search may find more.
    if (!answer || answer.isCut) ofRun.delete(key);
    return answer && { reason, shown: answer.shown, isWeak: answer.isWeak };
  }

  /** Why the queries of a call do not say what the user wants; undefined where they do. The first reason that applies. */
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
 * Whether a query says too little to tell what is wanted: nothing is likely, or the first four are nearly alike.
 *
 * @param keepsTail - whether scores count from no zero: then confidences are compared.
 */
function isUnclear(shown: readonly FoundEntry[], keepsTail: boolean): boolean {
  const [best, , , fourth] = shown;
  if (!best || (best.confidence ?? 1) < LIKELY) return true;
  if (!fourth) return false;
  return keepsTail ? (fourth.confidence ?? 0) >= ALIKE * (best.confidence ?? 1) : fourth.score >= ALIKE * best.score;
}

/** @param isCallable - whether it was there before. */
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

/** The messages for queries without results. `isElsewhere` tells that the user's message found something. */
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

/** The tools that probably are what was asked for: the likely ones, or those that are nearly as likely as the best. */
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
 * The best of each query, then the second of each, and so on, at most `limit`, and the unranked extras, each tool once. What
 * the user's message found comes first where nothing fits, takes turns where it is likelier, and else has the last places.
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

/** One answer for several: each tool once, all messages. */
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
