import MiniSearch, { type Options, type SearchOptions } from 'minisearch';
import { type NamesOf, namesOf, refuseUnknownOptions } from '../util/check.ts';
import { Spellings, splitIdentifier, words } from '../util/words.ts';
import type { ToolDocument } from './document.ts';
import { bestFirst, type ToolIndex, type ToolScorer } from './scorer.ts';
import { checkSome, checkWeights } from './weights.ts';

/** Tools indexed per time slice: a few milliseconds of work. */
const CHUNK = 50;

/** The texts of a tool that can be searched, by field. */
const TEXTS = {
  name: ({ name }: ToolDocument): string => name,
  title: ({ title }: ToolDocument): string => title,
  server: ({ server }: ToolDocument): string => server,
  keywords: ({ keywords }: ToolDocument): string => keywords.join('\n'),
  description: ({ description }: ToolDocument): string => description,
  parameters: ({ parameters }: ToolDocument): string => parameters.map(({ name }) => name).join('\n'),
  parameterDescriptions: ({ hints = [], parameters }: ToolDocument): string =>
    [...hints, ...parameters.flatMap(({ description, values }) => [description, ...values])].join('\n'),
};

/**
 * A text of a tool that can be searched.
 *
 * @example
 * ```ts
 * const fields: readonly MiniSearchField[] = ['name', 'keywords', 'description'];
 * miniSearchScorer({ fields });
 * ```
 */
export type MiniSearchField = keyof typeof TEXTS;

const FIELDS = Object.keys(TEXTS) as MiniSearchField[];

/**
 * Options of MiniSearch, with MiniSearch's meanings and, unless another is given here, its defaults.
 *
 * @example
 * ```ts
 * const options: MiniSearchScorerOptions = { boost: { name: 3 }, prefix: true, fuzzy: 0.2 };
 * miniSearchScorer(options);
 * ```
 */
export interface MiniSearchScorerOptions
  extends Pick<Options<ToolDocument>, 'tokenize' | 'processTerm'>,
    Pick<
      SearchOptions,
      'boost' | 'boostDocument' | 'boostTerm' | 'bm25' | 'combineWith' | 'fuzzy' | 'maxFuzzy' | 'prefix' | 'weights'
    > {
  /**
   * The texts of a tool that are searched.
   *
   * @default name, title, server, keywords, description, parameters, parameterDescriptions
   */
  readonly fields?: readonly MiniSearchField[];
}

const optionNames: NamesOf<MiniSearchScorerOptions> = {
  ...{ fields: true, tokenize: true, processTerm: true, boost: namesOf(TEXTS), boostDocument: true, boostTerm: true },
  ...{ bm25: { k: true, b: true, d: true }, combineWith: true, fuzzy: true, maxFuzzy: true, prefix: true },
  weights: { fuzzy: true, prefix: true },
};

/**
 * Ranks with MiniSearch's BM25+: for those who know its options and tune them. `bm25Scorer()` finds more without any
 * options, because it knows stems and synonyms. A query that is a tool's name, in any spelling, ranks that tool first.
 *
 * A `tokenize` that replaces the default has to split identifiers; such a `processTerm` has to lower-case.
 *
 * @example
 * ```ts
 * import { miniSearchScorer } from 'mastra-tool-search/minisearch';
 *
 * const scorer = miniSearchScorer({ boost: { name: 3 }, prefix: true });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 *
 * @throws ToolSearchError `invalid-option` for an unknown option, or fields that a tool does not have.
 */
export function miniSearchScorer(options: MiniSearchScorerOptions = {}): ToolScorer {
  refuseUnknownOptions('miniSearchScorer', options, optionNames);
  for (const name of ['boost', 'bm25', 'weights'] as const) checkWeights(name, options[name]);
  const { fields = FIELDS, tokenize = tokens, processTerm, ...searchOptions } = options;
  checkSome('fields', fields, FIELDS);

  async function build(documents: readonly ToolDocument[]): Promise<ToolIndex> {
    const engine = new MiniSearch<ToolDocument>({
      ...{ fields: [...fields], idField: 'name', tokenize, searchOptions, ...(processTerm && { processTerm }) },
      extractField: (document, field) => TEXTS[field as MiniSearchField](document),
    });
    await engine.addAllAsync(documents, { chunkSize: CHUNK });
    const spellings = new Spellings(documents.map(({ name }) => name));
    return {
      search({ keywords, required }) {
        const having = (word: string) => new Set(engine.search(word, { combineWith: 'AND' }).map(({ id }) => id));
        const allowed = required.map(having);
        const matches = engine.search(keywords.join(' ')).filter(({ id }) => allowed.every((ids) => ids.has(id)));
        const named = new Set(spellings.of(keywords).map((place) => documents[place]?.name));
        const lift = matches[0]?.score ?? 0;
        return bestFirst(matches.map(({ id, score }) => ({ name: id, score: named.has(id) ? score + lift : score })));
      },
      // The idf of a word would tell of hidden tools, so the index is rebuilt without them.
      restrictedTo: (names) => build(documents.filter(({ name }) => names.has(name))),
    };
  }
  return { name: 'minisearch', givesConfidence: false, index: (documents) => build(documents) };
}

/** Splits identifiers in names only: in other texts and in queries, a word such as GitHub stays whole. */
const tokens = (text: string, field?: string): string[] =>
  field === 'name' || field === 'parameters' ? splitIdentifier(text) : words(text);
