import type { Catalog } from '../catalog/catalog.ts';
import { annotationsOf } from '../catalog/document.ts';
import { MAX_SIGNATURE, parametersOf } from '../catalog/signature.ts';
import type { MastraTool, ToolContext } from '../catalog/tool.ts';
import { messageOf } from '../errors.ts';
import { receiptOf, searchesInVain } from '../loaded/conversation/conversation.ts';
import { isSelection, parseQuery } from '../scorers/words/query.ts';
import type { SearchResult } from '../search/search-result.ts';
import type { Step } from '../step/step.ts';
import { isMisspelled } from '../util/suggest.ts';
import { clean, cut, describeBriefly, describeTool, echo } from '../util/text.ts';
import { words } from '../util/words.ts';
import { type AnswerParts, type SearchAnswer, SearchAnswers, type SearchHit, type SearchKind } from './answer.ts';
import { failingIn } from './failed-calls.ts';
import {
  asObject,
  createMetaTool,
  duringCall,
  type FoundSkill,
  type JsonSchema,
  type Learner,
  listed,
  type MetaToolParts,
  objectSchema,
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
  /** One query, or a list of queries. */
  query: string | string[];
  /** Limit for all queries together, at most 20. Read, but not in the schema: weak models would ask for one result. */
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
  /** Names of the results that are loaded, by this search or before. Only with `autoLoad` and for `select:`. */
  loaded?: string[] | undefined;
  /** The receipt from which @mastra/core, after 1.71, reads loads. Only if all `results` are loaded. */
  activation?: { type: 'tool-search-auto-load'; version: 1; loaded: string[] } | undefined;
  /** Tools that were unloaded to make room. */
  unloaded?: string[] | undefined;
  /** Servers whose tools are not available yet, as `search.pending` names them. */
  pending?: string[] | undefined;
  /** Matching skills with their tools. Only with the option `skills`. */
  skills?: { name: string; description: string; tools: string[] }[] | undefined;
}

const QUERY: JsonSchema = { ...TEXT, description: prompts.parameterDescriptions.query };
const PARAMETERS = objectSchema<'query'>({ query: QUERY }, ['query']);

/** The field in which a mode adds to a result how to call the tool. */
type Called = 'parameters' | 'declaration';

const HIT = objectSchema<Exclude<keyof SearchResult, 'explanation' | 'byUse'> | Called>(
  {
    name: TEXT,
    description: TEXT,
    score: { type: 'number' },
    confidence: { type: 'number' },
    group: TEXT,
    signature: TEXT,
    parameters: {},
    declaration: TEXT,
    alsoAs: TEXTS,
    readOnlyHint: { type: 'boolean' },
    destructiveHint: { type: 'boolean' },
    available: { type: 'boolean' },
    queries: TEXTS,
    fromMessage: { type: 'boolean' },
  },
  ['name', 'description', 'score'],
);

export const RESULTS: JsonSchema = { type: 'array', items: HIT };

const RECEIPT = objectSchema<keyof NonNullable<SearchToolsResult['activation']>>(
  { type: { ...TEXT, const: 'tool-search-auto-load' }, version: { type: 'number', const: 1 }, loaded: TEXTS },
  ['type', 'version', 'loaded'],
);

const SKILLS: JsonSchema = {
  type: 'array',
  items: objectSchema({ name: TEXT, description: TEXT, tools: TEXTS }, ['name', 'description', 'tools']),
};

const RESULT = objectSchema<keyof SearchToolsResult>(
  {
    results: RESULTS,
    message: TEXT,
    loaded: TEXTS,
    activation: RECEIPT,
    unloaded: TEXTS,
    pending: TEXTS,
    skills: SKILLS,
  },
  ['results', 'message'],
);

export interface ReadSearchInput {
  readonly query: readonly string[];
  readonly maxResults: number | undefined;
}

export type CompleteResult = (result: SearchToolsResult, input: ReadSearchInput, step: Step) => SearchToolsResult;

const unchanged: CompleteResult = (result) => result;

/** A search tool that a provider declares and this processor answers. */
export interface AnsweredSearch {
  readonly description: string;
  readonly parameters: object;
  /** Never throws, since a provider accepts no error as the result of its own search tool. */
  readonly answer: <Result>(
    input: unknown,
    context: ToolContext | undefined,
    complete: (result: SearchToolsResult) => Result,
  ) => Promise<Result>;
}

/** Reads the fields of a call leniently. A `maxResults` that is not a number above 0 is ignored. */
function readInput({ query, maxResults }: Readonly<Record<string, unknown>>): ReadSearchInput {
  const asked = typeof maxResults === 'string' && maxResults.trim() !== '' ? Number(maxResults) : maxResults;
  const isLimit = typeof asked === 'number' && asked > 0;
  return {
    query: queriesIn(query),
    maxResults: isLimit ? Math.min(MAX_RESULTS, Math.max(1, Math.floor(asked))) : undefined,
  };
}

const MAX_RESULTS = 20;
/** Limit of the queries of one call. The others are ignored, and the message says so. */
const MAX_QUERIES = 8;
/** Limit, in characters, of a query. Longer queries are cut, except lists of names. */
const MAX_QUERY = 2_000;
/** After this many searches without a load or a call, the model is asked to stop searching. */
const MANY_SEARCHES = 3;
/** Limit of the unknown names whose words are searched. */
const MAX_NAMES = 3;

/** Options of a search that is not a plain call of `search_tools`. */
interface SearchOptions extends Pick<SearchKind, 'unknown'> {
  /** Receives sentences for the model if the results of a provider's search have no place for text. */
  readonly addHint?: (text: string) => void;
}

/** The parts of a processor that a search needs. */
type SearchToolParts = AnswerParts & Pick<MetaToolParts, 'groups' | 'skillsFor'>;

export class SearchTool {
  readonly #parts: SearchToolParts;
  readonly #answers: SearchAnswers;

  constructor(parts: SearchToolParts) {
    this.#parts = parts;
    this.#answers = new SearchAnswers(parts);
  }

  create(
    step: Step,
    description: string = prompts.searchDescription(this.#parts.options.metaTools.names, step.mode.autoLoad),
    complete: CompleteResult = unchanged,
  ): MastraTool {
    const { metaTools, loadingTools } = this.#parts.options;
    const { names, searchDescription } = metaTools;
    return createMetaTool<ReadSearchInput, SearchToolsResult>({
      name: names.search,
      description: searchDescription ?? description,
      parameters: PARAMETERS,
      result: RESULT,
      read: readInput,
      execute: async (input, context) => {
        const during = duringCall(step, context, loadingTools);
        return complete(await this.answer(input, during), input, during);
      },
    });
  }

  /** The tool in the form of a provider's search that this processor answers. */
  asProviders(step: Step): AnsweredSearch {
    const { metaTools, loadingTools } = this.#parts.options;
    const { names, searchDescription } = metaTools;
    const addHint = (text: string): void => {
      const { hints } = step.state;
      if (!hints.includes(text)) hints.push(text);
    };
    return {
      description: searchDescription ?? prompts.searchDescription(names, true),
      parameters: { ...PARAMETERS },
      answer: async (input, context, complete) => {
        const asked = readInput(asObject(input));
        try {
          const during = duringCall(step, context, loadingTools);
          return complete(await this.answer(asked, during, { addHint }));
        } catch {
          return complete({ results: [], message: prompts.searchOutOfOrder(asked.query.join(', ')) });
        }
      },
    };
  }

  async answer(
    input: ReadSearchInput,
    current: Step,
    { unknown, addHint = () => {} }: SearchOptions = {},
  ): Promise<SearchToolsResult> {
    const { topK } = this.#parts.options;
    const start = performance.now();
    const searches = 1 + searchesInVain(current.calls);
    const mayRetry = searches < MANY_SEARCHES;
    const step = { ...current, permissions: current.permissions.inSearch() };
    const asked = input.query.map((text) => (isSelection(text) ? text : cut(text, MAX_QUERY)));
    const queries = asked.slice(0, MAX_QUERIES);
    const answered = await this.#answers.answer(queries, input.maxResults ?? topK, step, { mayRetry, unknown });
    this.#report(queries, answered, step, unknown !== undefined, performance.now() - start);
    const skills = (await this.#parts.skillsFor?.(queries, step)) ?? [];
    const { loaded, message } = answered;
    const hits = together(answered.results, skills);
    const learner = this.#parts.learnerOf(step.state);
    if (learner) noteShown(learner, queries, hits);
    const results = await this.#resultsOf(hits, step);
    const isInVain = !mayRetry && (loaded ?? []).length === 0;
    const areSent = hits.length > 0 && hits.every(({ isSent }) => isSent);
    if (answered.isNothing || areSent) addHint(message);
    else if (isInVain && searches === MANY_SEARCHES) addHint(prompts.searchedInVain(searches));
    // One query may have unloaded tools that another one loaded.
    const isLoaded = hits.length > 0 && loaded && hits.every(({ name }) => step.tools.isLoaded(name));
    const unloaded = (answered.unloaded ?? []).filter((name) => !step.tools.has(name));
    const ignored = asked.length - queries.length;
    const ignoredNote = ignored > 0 && prompts.ignoredQueries(ignored);
    const pending = this.#pending(step);
    const pendingNote = pending.length > 0 && prompts.pendingServers(pending);
    const skillsNote = skills.length > 0 && prompts.foundSkills(skills);
    return {
      results,
      message: prompts.joined(
        ' ',
        message,
        ignoredNote,
        isInVain && prompts.searchedInVain(searches),
        pendingNote,
        skillsNote,
      ),
      ...(loaded ? { loaded: loaded.filter((name) => step.tools.has(name)) } : {}),
      ...(isLoaded ? { activation: receiptOf(hits.map(({ name }) => name)) } : {}),
      ...listed({ unloaded, pending }),
      ...(skills.length > 0 ? { skills: skills.map((skill) => ({ ...skill, tools: [...skill.tools] })) } : {}),
    };
  }

  /** The servers that the option `search.pending` names. Values that are not names are reported and left out. */
  #pending({ args: { requestContext }, origin }: Step): readonly string[] {
    const { pending } = this.#parts.options;
    if (!pending) return [];
    try {
      const names: unknown = pending(requestContext ? { requestContext } : {});
      if (names instanceof Promise) names.catch(() => {});
      if (Array.isArray(names) && names.every((name) => typeof name === 'string'))
        return names.slice(0, MAX_PENDING).map((name) => clean(name, 80));
      throw new TypeError('it has to return an array of names, at once');
    } catch (error) {
      const message = `"search.pending" failed, and searches name no servers: ${messageOf(error)}`;
      this.#parts.reporter.report({ type: 'option-doubt', option: 'search.pending', message }, origin);
      return [];
    }
  }

  #report(queries: readonly string[], answered: SearchAnswer, step: Step, forNames: boolean, ms: number): void {
    const { results, loaded = [], messageReason, verdict } = answered;
    const namesOf = (hits: readonly SearchHit[]): string[] => hits.map(({ name }) => name);
    const byUse = namesOf(results.filter((hit) => hit.byUse !== undefined));
    const byMessage = namesOf(results.filter((hit) => hit.fromMessage));
    // A call with only selections searches nothing, so `denied` counts none.
    const { isComplete, size } = step.catalog;
    const { candidates = size } = answered;
    this.#parts.reporter.report(
      {
        type: 'search',
        queries: queries.map((query) => cut(query, MAX_QUERY)),
        ...{ results: namesOf(results), loaded },
        ...(byUse.length > 0 ? { byUse } : {}),
        ...(forNames ? { forNames } : {}),
        ...(messageReason ? { byMessage: { reason: messageReason, results: byMessage } } : {}),
        scorer: this.#parts.options.scorer.name,
        ...(isComplete ? { candidates, denied: size - candidates } : {}),
        returned: results.map(({ name, score, confidence }) => ({
          ...{ name, score },
          ...(confidence === undefined ? {} : { confidence }),
        })),
        ...{ verdict, ms },
      },
      step.origin,
    );
  }

  /** Searches the words of unknown names, except misspelled and ambiguous ones. Undefined if nothing is found. */
  async forNames(
    unknown: readonly prompts.UnknownName[],
    step: Step,
    complete: CompleteResult = unchanged,
  ): Promise<SearchToolsResult | undefined> {
    const invented = unknown.filter((each) => !each.isAmbiguous && !isMisspelled(each.name, each.suggestions));
    const texts = invented.slice(0, MAX_NAMES).map(({ name }) => words(cut(name, MAX_QUERY)).join(' '));
    const query = texts.filter((text) => text !== '');
    if (query.length === 0) return undefined;
    const input = { query, maxResults: undefined };
    const found = await this.answer(input, step, { unknown: new Set(unknown.map(({ name }) => name)) });
    return found.results.length > 0 ? complete(found, input, step) : undefined;
  }

  /** Converts hits to results for the model, with groups if the request may see several groups. */
  async #resultsOf(hits: readonly SearchHit[], step: Step): Promise<SearchResult[]> {
    const { catalog, permissions, tools } = step;
    const { groups } = this.#parts;
    const visible = async (): Promise<Catalog> => (await permissions.inSearch().visible(catalog)).catalog;
    const hasGroups = hits.length > 0 && groups.hasSeveral(catalog) && groups.hasSeveral(await visible());
    const results = hits.map((hit): SearchResult => {
      const group = hasGroups ? groups.of(hit) : '';
      return {
        name: clean(hit.name, 128),
        description: describeTool(hit.description),
        // Four significant digits save tokens. JSON cannot represent Infinity.
        score: Number(Math.min(hit.score, 1e300).toPrecision(4)),
        ...(hit.confidence === undefined ? {} : { confidence: Math.round(hit.confidence * 100) / 100 }),
        ...(group === '' ? {} : { group: clean(group, 80) }),
        ...(hit.alsoAs ? { alsoAs: hit.alsoAs.map((name) => clean(name, 128)) } : {}),
        ...hintsOf(hit.tool),
        ...(hit.isCallable ? { available: true } : {}),
        ...(hit.fromMessage ? { fromMessage: true } : {}),
        ...(hit.queries ? { queries: hit.queries.map(echo) } : {}),
      };
    });
    const failing = failingIn(step);
    const isSent = (name: string): boolean => tools.isLoaded(name) || tools.isAvailable(name);
    return withSignatures(results, hits, ({ name }) => isSent(name) && !failing.has(name));
  }
}

/** Groups the hits of one skill at the position of the best of them. */
function together(hits: readonly SearchHit[], skills: readonly FoundSkill[]): readonly SearchHit[] {
  let ordered = [...hits];
  for (const { tools } of skills) {
    const first = ordered.findIndex(({ name }) => tools.includes(name));
    if (first === -1) continue;
    const isOfSkill = ({ name }: SearchHit): boolean => tools.includes(name);
    const others = ordered.slice(first).filter((hit) => !isOfSkill(hit));
    ordered = [...ordered.slice(0, first), ...ordered.slice(first).filter(isOfSkill), ...others];
  }
  return ordered;
}

/** The hints about effects in the annotations of an MCP tool. Hints that are not `true` are left out. */
function hintsOf(tool: SearchHit['tool']): Pick<SearchResult, 'readOnlyHint' | 'destructiveHint'> {
  try {
    const { readOnlyHint, destructiveHint } = annotationsOf(tool);
    if (readOnlyHint === true) return { readOnlyHint };
    return destructiveHint === true ? { destructiveHint } : {};
  } catch {
    return {};
  }
}

/** Records what each query has shown. Skips `select:`, whose names do not say what the tools are wanted for. */
function noteShown(learner: Learner, queries: readonly string[], hits: readonly SearchHit[]): void {
  for (const query of queries.filter((each) => !isSelection(each))) {
    const { text } = parseQuery(query);
    const isOf = (hit: SearchHit): boolean =>
      queries.length === 1 ? !hit.fromMessage : hit.queries?.includes(text) === true;
    learner.noteShown(text, hits.filter(isOf));
  }
}

/** Limit of the pending servers that an answer names. */
const MAX_PENDING = 20;
/** The share of an answer's characters that signatures may add. */
const SIGNATURES = 0.1;
/** Minimum limit, in characters, of the best result's signature, even without room. */
const MIN_SIGNATURE = 50;
const KEY = ',"signature":""'.length;

/** Adds signatures while there is room: first to the best result and to tools without a description. */
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
