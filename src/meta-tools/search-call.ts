import type { CatalogEntry } from '../catalog/entry.ts';
import { searchesInVain } from '../loaded/conversation/loads.ts';
import { receiptOf } from '../loaded/conversation/receipt.ts';
import { isSelection, parseQuery } from '../scorers/words/query.ts';
import { isMisspelled } from '../scorers/words/suggest.ts';
import { words } from '../scorers/words/words.ts';
import type { Learner } from '../search/learned.ts';
import { cut } from '../util/text.ts';
import { answer, type SearchHit } from './answer.ts';
import * as prompts from './prompts.ts';
import { resultsOf } from './search-results.ts';
import type { ReadSearchInput, SearchToolsResult } from './search-shapes.ts';
import type { Services, Step } from './step.ts';

/** Queries of one call; the rest is ignored, and the message says so. */
const MAX_QUERIES = 8;
/** Characters of a query, lists of names excepted; the rest is cut off. */
const MAX_QUERY = 2_000;
/** Searches without a load or a call after which a run is told to come to an end. */
const MANY_SEARCHES = 3;

/**
 * Answers a call, and reports it.
 *
 * @param tell - given what the model must know, that nothing is found or that it has it, for a provider whose results have
 *   no place for words.
 */
export async function searchTools(
  input: ReadSearchInput,
  current: Step,
  services: Services,
  tell: (text: string) => void = () => {},
): Promise<SearchToolsResult> {
  const { options, reporter } = services;
  const start = performance.now();
  const searches = 1 + searchesInVain(current.calls, options.loadingTools);
  const mayRetry = searches < MANY_SEARCHES;
  const step = { ...current, permissions: current.permissions.inSearch(), mayRetry };
  const asked = input.query.map((text) => (isSelection(text) ? text : cut(text, MAX_QUERY)));
  const queries = asked.slice(0, MAX_QUERIES);
  const answered = await answer(queries, input.maxResults ?? options.topK, step, services);
  const { loaded, message } = answered;
  const shown = answered.results.map(({ name }) => name);
  const byUse = answered.results.flatMap(({ name, byUse: lift }) => (lift === undefined ? [] : [name]));
  const fromMessage = answered.results.filter((hit) => hit.fromMessage).map(({ name }) => name);
  const byMessage = answered.messageReason && { reason: answered.messageReason, results: fromMessage };
  const { size } = current.catalog;
  // A selection alone searches nothing: what is hidden of the rest, nobody has asked.
  const { verdict } = answered;
  // Of a source, nobody knows how much it has.
  const candidates = current.catalog.candidates ? undefined : (answered.candidates ?? size);
  const counted = candidates === undefined ? {} : { candidates, denied: size - candidates };
  const occurrence = {
    queries: queries.map((query) => cut(query, MAX_QUERY)),
    results: shown,
    loaded: loaded ?? [],
    ...(byUse.length > 0 ? { byUse } : {}),
    ...(current.isForNames ? ({ forNames: true } as const) : {}),
    ...(byMessage ? { byMessage } : {}),
    ...{ scorer: options.scorer.name, ...counted },
    returned: answered.results.map(({ name, score, confidence }) => ({
      name,
      score,
      ...(confidence === undefined ? {} : { confidence }),
    })),
    ...{ verdict, ms: performance.now() - start },
  };
  reporter.report({ type: 'search', ...occurrence }, current.origin);
  if (current.learner) noteShown(current.learner, queries, answered.results);
  const results = await resultsOf(answered.results, step, services);
  const isInVain = !mayRetry && (loaded ?? []).length === 0;
  const areSent = answered.results.length > 0 && answered.results.every(({ isSent }) => isSent);
  if (answered.isNothing || areSent) tell(message);
  else if (isInVain && searches === MANY_SEARCHES) tell(prompts.searchedInVain(searches));
  // One query may have unloaded what another one loaded.
  const isThere = (name: string): boolean => step.loaded.has(name) || step.resident.has(name);
  const isLoaded = shown.length > 0 && loaded && shown.every((name) => step.loaded.has(name));
  const unloaded = (answered.unloaded ?? []).filter((name) => !isThere(name));
  const ignored = asked.length - queries.length;
  const notes = [
    ...(ignored > 0 ? [prompts.ignoredQueries(ignored)] : []),
    ...(isInVain ? [prompts.searchedInVain(searches)] : []),
  ];
  return {
    results,
    message: [message, ...notes].join(' '),
    ...(loaded ? { loaded: loaded.filter(isThere) } : {}),
    ...(isLoaded ? { activation: receiptOf(shown) } : {}),
    ...(unloaded.length > 0 ? { unloaded } : {}),
  };
}

/** Names that no tool has whose words are searched. */
const MAX_NAMES = 3;

/**
 * Searches the words of names that no tool has, unless they are misspelled names of tools. Shows what the request may load.
 * Undefined where nothing is found.
 */
export async function searchNames(
  unknown: readonly prompts.UnknownName[],
  step: Step,
  search: (input: ReadSearchInput, step: Step) => Promise<SearchToolsResult>,
): Promise<SearchToolsResult | undefined> {
  const invented = unknown.filter(({ name, suggestions }) => !isMisspelled(name, suggestions));
  const texts = invented.slice(0, MAX_NAMES).map(({ name }) => words(cut(name, MAX_QUERY)).join(' '));
  const query = texts.filter((text) => text !== '');
  if (query.length === 0) return undefined;
  // A tool that may be found and not be loaded, or not be used, is no answer to its own name.
  const asked = new Set(unknown.map(({ name }) => name));
  const isUnusable = (entry: CatalogEntry): boolean => asked.has(entry.name) || step.isUnusable(entry);
  const found = await search({ query, maxResults: undefined }, { ...step, isForNames: true, isUnusable });
  return found.results.length > 0 ? found : undefined;
}

/** Notes what each query has shown; what the user's message alone found, none has. A `select:` asks for names, and says nothing of what they are for. */
function noteShown(learner: Learner, queries: readonly string[], hits: readonly SearchHit[]): void {
  for (const query of queries) {
    if (isSelection(query)) continue;
    const { text } = parseQuery(query);
    const shown = hits.filter((hit) => (queries.length === 1 ? !hit.fromMessage : hit.queries?.includes(text)));
    learner.noteShown(text, shown);
  }
}
