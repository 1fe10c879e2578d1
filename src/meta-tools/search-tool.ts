import type { CatalogEntry } from '../catalog/entry.ts';
import type { Groups } from '../catalog/groups.ts';
import { MAX_SIGNATURE, parametersOf } from '../catalog/signature.ts';
import type { MastraTool, ToolContext } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import { type LoadingCalls, type LoadReceipt, receiptOf, searchesInVain } from '../loaded/conversation/conversation.ts';
import type { ResolvedMetaTools } from '../options/meta-tools.ts';
import type { Step } from '../processor/step.ts';
import { isSelection, parseQuery } from '../scorers/words/query.ts';
import { isMisspelled } from '../scorers/words/suggest.ts';
import { words } from '../scorers/words/words.ts';
import type { Learner, SearchServices } from '../search/find.ts';
import type { SearchResult } from '../search/search-result.ts';
import { clean, cut, describeBriefly, describeTool, echo } from '../util/text.ts';
import { answer, type SearchHit } from './answer.ts';
import type { Loader } from './loading.ts';
import type { MessageSearch } from './message-search.ts';
import {
  asObject,
  createMetaTool,
  duringCall,
  type FieldSchema,
  jsonSchemaOf,
  type ObjectSchema,
  queriesIn,
  TEXT,
  TEXTS,
} from './meta-tool.ts';
import * as prompts from './prompts.ts';

/**
 * What the model sends to `search_tools`.
 *
 * @example
 * ```ts
 * const input: SearchToolsInput = { query: ['send an email', 'weather'], maxResults: 4 };
 * ```
 */
export interface SearchToolsInput {
  /** One need, or a list of them. */
  query: string | string[];
  /** The model's wish, at most 20, for all queries together. It is not in the schema, as weak models ask for one. */
  maxResults?: number | undefined;
}

/**
 * What the model gets back from `search_tools`.
 *
 * @example
 * ```ts
 * const namesOf = ({ results }: SearchToolsResult) => results.map(({ name }) => name);
 * ```
 */
export interface SearchToolsResult {
  results: SearchResult[];
  message: string;
  /** Names that the search loaded at once, those loaded before included. Only with `autoLoad` and for `select:`. */
  loaded?: string[] | undefined;
  /** The receipt from which @mastra/core, after 1.71, reads loads. Only where everything in `results` is loaded. */
  activation?: LoadReceipt | undefined;
  /** Tools that made room. */
  unloaded?: string[] | undefined;
}

const MAX_RESULTS = 20;

/** The parameters of a search. */
export const SEARCH_PARAMETERS: ObjectSchema<'query'> = {
  properties: {
    query: { ...TEXT, description: prompts.parameterDescriptions.query },
  },
  required: ['query'],
};

const HIT: ObjectSchema<Exclude<keyof SearchResult, 'explanation' | 'byUse'>> = {
  properties: {
    name: TEXT,
    description: TEXT,
    score: { type: 'number' },
    confidence: { type: 'number' },
    group: TEXT,
    signature: TEXT,
    alsoAs: TEXTS,
    available: { type: 'boolean' },
    queries: TEXTS,
    fromMessage: { type: 'boolean' },
  },
  required: ['name', 'description', 'score'],
};

const RECEIPT: ObjectSchema<keyof LoadReceipt> = {
  properties: {
    type: { ...TEXT, const: 'tool-search-auto-load' },
    version: { type: 'number', const: 1 },
    loaded: TEXTS,
  },
  required: ['type', 'version', 'loaded'],
};

/** The tools that a search found. */
export const RESULTS: FieldSchema = { type: 'array', items: jsonSchemaOf(HIT) };

/** The result of a search. */
export const SEARCH_RESULT: ObjectSchema<keyof SearchToolsResult> = {
  properties: {
    results: RESULTS,
    message: TEXT,
    loaded: TEXTS,
    activation: jsonSchemaOf(RECEIPT),
    unloaded: TEXTS,
  },
  required: ['results', 'message'],
};

/** What a call asks for, once the best was made of it. */
export interface ReadSearchInput {
  readonly query: readonly string[];
  readonly maxResults: number | undefined;
}

/** A search that a provider declares, and this processor answers. */
export interface AnsweredSearch {
  readonly description: string;
  /** The JSON schema of the input. */
  readonly parameters: object;
  /** Never throws: a provider takes no error as the result of its own search. */
  readonly answer: <Result>(
    input: unknown,
    context: ToolContext | undefined,
    complete: (result: SearchToolsResult) => Result,
  ) => Promise<Result>;
}

/** Reads the fields of a call, whatever they hold. */
export function readSearchInput(fields: Readonly<Record<string, unknown>>): ReadSearchInput {
  return { query: queriesIn(fields['query']), maxResults: readLimit(fields['maxResults']) };
}

/** The number of results that the model wishes, within bounds; undefined for what is no number above 0. */
function readLimit(value: unknown): number | undefined {
  const limit = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof limit !== 'number' || !(limit > 0)) return undefined;
  return Math.min(MAX_RESULTS, Math.max(1, Math.floor(limit)));
}

/** Queries of one call; the rest is ignored, and the message says so. */
const MAX_QUERIES = 8;
/** Characters of a query, lists of names excepted; the rest is cut off. */
const MAX_QUERY = 2_000;
/** Searches without a load or a call after which a run is told to come to an end. */
const MANY_SEARCHES = 3;
/** Names that no tool has whose words are searched. */
const MAX_NAMES = 3;

/** Settings of `search_tools`. */
interface SearchSettings {
  /** Results of a call that asks for no number. */
  readonly topK: number;
  readonly wording: ResolvedMetaTools;
  readonly loading: LoadingCalls;
}

/** `search_tools` of one processor. */
export class SearchTool {
  readonly #finder: SearchServices;
  readonly #loader: Loader;
  readonly #messages: MessageSearch;
  readonly #groups: Groups;
  readonly #reporter: Reporter;
  readonly #settings: SearchSettings;

  constructor(
    parts: {
      readonly finder: SearchServices;
      readonly loader: Loader;
      readonly messages: MessageSearch;
      readonly groups: Groups;
      readonly reporter: Reporter;
    },
    settings: SearchSettings,
  ) {
    this.#finder = parts.finder;
    this.#loader = parts.loader;
    this.#messages = parts.messages;
    this.#groups = parts.groups;
    this.#reporter = parts.reporter;
    this.#settings = settings;
  }

  /**
   * The tool for one step.
   *
   * @param description - in place of that of load mode.
   * @param complete - adds what a mode has to add to the result.
   */
  create(
    step: Step,
    description: string = prompts.searchDescription(this.#settings.wording.names, step.reach.autoLoad),
    complete?: (result: SearchToolsResult, input: ReadSearchInput, step: Step) => SearchToolsResult,
  ): MastraTool {
    const { names, searchDescription } = this.#settings.wording;
    return createMetaTool<ReadSearchInput, SearchToolsResult>({
      name: names.search,
      description: searchDescription ?? description,
      parameters: SEARCH_PARAMETERS,
      result: SEARCH_RESULT,
      read: readSearchInput,
      execute: async (input, context) => {
        const during = duringCall(step, context);
        const result = await this.answer(input, during);
        return complete ? complete(result, input, during) : result;
      },
    });
  }

  /** The tool as the search of a provider has it that this processor answers. */
  asProviders(step: Step): AnsweredSearch {
    const { names, searchDescription } = this.#settings.wording;
    const tell = (text: string): void => {
      const { hints } = step.state;
      if (!hints.includes(text)) hints.push(text);
    };
    return {
      description: searchDescription ?? prompts.searchDescription(names, true),
      parameters: jsonSchemaOf(SEARCH_PARAMETERS),
      answer: async (input, context, complete) => {
        const asked = readSearchInput(asObject(input));
        try {
          return complete(await this.answer(asked, duringCall(step, context), tell));
        } catch {
          return complete({ results: [], message: prompts.searchOutOfOrder(asked.query.join(', ')) });
        }
      },
    };
  }

  /**
   * Answers a call, and reports it.
   *
   * @param tell - receives what the model must know, that nothing is found or that it has the tool, for a provider whose
   *   results have no place for words.
   */
  async answer(
    input: ReadSearchInput,
    current: Step,
    tell: (text: string) => void = () => {},
  ): Promise<SearchToolsResult> {
    const { topK, loading } = this.#settings;
    const start = performance.now();
    const searches = 1 + searchesInVain(current.calls, loading);
    const mayRetry = searches < MANY_SEARCHES;
    const step = { ...current, permissions: current.permissions.inSearch(), mayRetry };
    const asked = input.query.map((text) => (isSelection(text) ? text : cut(text, MAX_QUERY)));
    const queries = asked.slice(0, MAX_QUERIES);
    const limit = input.maxResults ?? topK;
    const answered = await answer(queries, limit, step, this.#finder, this.#loader, this.#messages);
    const { loaded, message } = answered;
    const shown = answered.results.map(({ name }) => name);
    const byUse = answered.results.flatMap(({ name, byUse: boost }) => (boost === undefined ? [] : [name]));
    const fromMessage = answered.results.filter((hit) => hit.fromMessage).map(({ name }) => name);
    const byMessage = answered.messageReason && { reason: answered.messageReason, results: fromMessage };
    const { total } = current.catalog;
    // A selection alone searches nothing: what is hidden of the rest, nobody has asked.
    const { verdict } = answered;
    // Of a source, nobody knows how much it has.
    const candidates = total === undefined ? undefined : (answered.candidates ?? total);
    const counted = candidates === undefined ? {} : { candidates, denied: (total ?? 0) - candidates };
    const occurrence = {
      queries: queries.map((query) => cut(query, MAX_QUERY)),
      results: shown,
      loaded: loaded ?? [],
      ...(byUse.length > 0 ? { byUse } : {}),
      ...(current.isForNames ? ({ forNames: true } as const) : {}),
      ...(byMessage ? { byMessage } : {}),
      ...{ scorer: this.#finder.options.scorer.name, ...counted },
      returned: answered.results.map(({ name, score, confidence }) => ({
        name,
        score,
        ...(confidence === undefined ? {} : { confidence }),
      })),
      ...{ verdict, ms: performance.now() - start },
    };
    this.#reporter.report({ type: 'search', ...occurrence }, current.origin);
    if (current.learner) noteShown(current.learner, queries, answered.results);
    const results = await this.#resultsOf(answered.results, step);
    const isInVain = !mayRetry && (loaded ?? []).length === 0;
    const areSent = answered.results.length > 0 && answered.results.every(({ isSent }) => isSent);
    if (answered.isNothing || areSent) tell(message);
    else if (isInVain && searches === MANY_SEARCHES) tell(prompts.searchedInVain(searches));
    // One query may have unloaded what another one loaded.
    const isThere = (name: string): boolean => step.tools.isLoaded(name) || step.tools.isResident(name);
    const isLoaded = shown.length > 0 && loaded && shown.every((name) => step.tools.isLoaded(name));
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

  /**
   * Searches the words of names that no tool has, unless they are misspelled names of tools. Shows what the request may load.
   * Undefined where nothing is found.
   *
   * @param complete - as in {@link create}.
   */
  async forNames(
    unknown: readonly prompts.UnknownName[],
    step: Step,
    complete: (result: SearchToolsResult, input: ReadSearchInput, step: Step) => SearchToolsResult = (result) => result,
  ): Promise<SearchToolsResult | undefined> {
    const invented = unknown.filter(({ name, suggestions }) => !isMisspelled(name, suggestions));
    const texts = invented.slice(0, MAX_NAMES).map(({ name }) => words(cut(name, MAX_QUERY)).join(' '));
    const query = texts.filter((text) => text !== '');
    if (query.length === 0) return undefined;
    // A tool that may be found and not be loaded, or not be used, is no answer to its own name.
    const asked = new Set(unknown.map(({ name }) => name));
    const isUnusable = (entry: CatalogEntry): boolean => asked.has(entry.name) || step.isUnusable(entry);
    const input = { query, maxResults: undefined };
    const during = { ...step, isForNames: true, isUnusable };
    const found = await this.answer(input, during);
    return found.results.length > 0 ? complete(found, input, during) : undefined;
  }

  /** The hits as the model reads them, with their groups where the request may see several. */
  async #resultsOf(hits: readonly SearchHit[], step: Step): Promise<SearchResult[]> {
    const hasGroups = hits.length > 0 && (await this.#hasSeveralGroups(step));
    const results = hits.map((hit): SearchResult => {
      const group = hasGroups ? this.#groups.of(hit) : '';
      return {
        name: clean(hit.name, 128),
        description: describeTool(hit.description),
        score: rounded(hit.score),
        ...(hit.confidence === undefined ? {} : { confidence: Math.round(hit.confidence * 100) / 100 }),
        ...(group === '' ? {} : { group: clean(group, 80) }),
        ...(hit.alsoAs ? { alsoAs: hit.alsoAs.map((name) => clean(name, 128)) } : {}),
        ...(hit.isCallable ? { available: true } : {}),
        ...(hit.fromMessage ? { fromMessage: true } : {}),
        ...(hit.queries ? { queries: hit.queries.map(echo) } : {}),
      };
    });
    return withSignatures(results, hits, ({ name }) => step.tools.isLoaded(name) || step.tools.isAvailable(name));
  }

  /** Whether the tools that the request may see belong to several groups. */
  async #hasSeveralGroups({ catalog, permissions }: Step): Promise<boolean> {
    const groups = this.#groups;
    return groups.hasSeveral(catalog) && groups.hasSeveral((await permissions.inSearch().visible(catalog)).catalog);
  }
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

/** The share of an answer's characters that signatures may add. */
const SIGNATURES = 0.1;
/** Characters of the best result's signature where there is no room for more. */
const MIN_SIGNATURE = 50;
/** Characters of JSON around it. */
const KEY = ',"signature":""'.length;

/**
 * Results with signatures, as long as there is room: the best has one, and every tool without a description. Whole
 * sentences of a description that is cut make room for more.
 *
 * @param isSent - whether the next step sends the definition.
 */
function withSignatures(
  results: readonly SearchResult[],
  hits: readonly SearchHit[],
  isSent: (hit: SearchHit) => boolean,
): SearchResult[] {
  let room = SIGNATURES * JSON.stringify(results).length;
  let isFirst = true;
  return results.map((result, position) => {
    const hit = hits[position];
    const isBare = result.description === '';
    if (!hit || hit.isSent || (!isBare && isSent(hit))) return result;
    const description = describeBriefly(result.description);
    const most = room + result.description.length - description.length - KEY;
    const mayBeShort = isFirst || isBare;
    const bound = mayBeShort ? Math.min(MAX_SIGNATURE, Math.max(MIN_SIGNATURE, Math.floor(most))) : MAX_SIGNATURE;
    const signature = parametersOf(hit.tool, bound);
    if (!mayBeShort && signature.length > most) return result;
    isFirst = false;
    room = most - signature.length;
    return { ...result, description, signature };
  });
}

/** A score of four significant digits, and never infinite, which JSON cannot say. */
function rounded(score: number): number {
  return Number(Math.min(score, 1e300).toPrecision(4));
}
