import {
  parseQuery,
  resultsIn,
  type ToolIndex,
  type ToolQuery,
  type ToolScorer,
  type WordExplanation,
} from '../../kit.ts';
import { grouped } from '../grouped.ts';
import type { ReadCase } from './cases.ts';
import { DEPTH, type Figures, figuresOf, type MeanFigures, meanFigures, meanOf } from './metrics.ts';

/**
 * The result of a case.
 *
 * @example
 * ```ts
 * const isMissed = ({ rank, relevant }: CaseResult) => relevant.length > 0 && rank === undefined;
 * ```
 */
export interface CaseResult {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  /** The rank of the first relevant tool, from 1; absent if none matches the query. */
  readonly rank?: number;
  /** The first ten tools, best first. */
  readonly found: readonly string[];
  /** Absent if no tool is relevant. */
  readonly figures?: Figures;
  /** Whether the model would be told that probably nothing fits; absent if the scorer gives no confidence. */
  readonly isWeak?: boolean;
}

/**
 * Error rates of the verdict whether anything fits; shares from 0 to 1.
 *
 * @example
 * ```ts
 * const isQuiet = ({ falseAlarms }: Verdicts) => (falseAlarms ?? 0) < 0.05;
 * ```
 */
export interface Verdicts {
  /** Among cases that show a relevant tool, the share with the verdict that nothing fits. Absent without such cases. */
  readonly falseAlarms?: number;
  /** Among cases without a relevant tool, the share without the verdict that nothing fits. Absent without such cases. */
  readonly missedNothings?: number;
}

/**
 * The results of one scorer.
 *
 * @example
 * ```ts
 * const misses = ({ cases }: ScorerEvaluation) => cases.filter(({ rank }) => rank === undefined);
 * ```
 */
export interface ScorerEvaluation {
  readonly scorer: string;
  /** Means over the cases with relevant tools; absent if there are none. */
  readonly figures?: MeanFigures;
  /** Absent if the scorer gives no confidence. */
  readonly verdicts?: Verdicts;
  /** In the order of the cases. */
  readonly cases: readonly CaseResult[];
  /** The tools that came first in place of a relevant one, the most frequent first. */
  readonly confusions: readonly Confusion[];
}

export interface SearchedCase {
  readonly result: CaseResult;
  readonly isShown: boolean;
  readonly miss?: Miss;
}

/** Whether the verdict is wrong: nothing fits although a wanted tool is shown, or something fits although nothing does. */
export function isMisjudged({ result: { isWeak, relevant }, isShown }: SearchedCase): boolean {
  return isShown ? isWeak === true : relevant.length === 0 && isWeak === false;
}

/** Summarises the searched cases of one scorer. */
export function summaryOf(scorer: string, searched: readonly SearchedCase[]): ScorerEvaluation {
  const figures = searched.flatMap(({ result }) => result.figures ?? []);
  const verdicts = verdictsOf(searched);
  return {
    scorer,
    ...(figures.length > 0 ? { figures: meanFigures(figures) } : {}),
    ...(verdicts ? { verdicts } : {}),
    cases: searched.map(({ result }) => result),
    confusions: confusionsOf(searched.flatMap(({ miss }) => miss ?? [])),
  };
}

/** Searches for a case. Also runs in browsers. */
export async function searchCase(
  { id, query: text, relevant, groups }: ReadCase,
  index: ToolIndex,
  { keepsTail }: Pick<ToolScorer, 'keepsTail'>,
  topK: number,
): Promise<SearchedCase> {
  const query = parseQuery(text);
  const matches = query.select ? [] : await index.search(query);
  const ranked = [...new Set(matches.map(({ name }) => name))];
  const { shown, verdict } = await resultsIn(index, query, matches, topK, keepsTail, { wanted: topK });
  const place = ranked.findIndex((name) => relevant.includes(name));
  const result: CaseResult = {
    ...{ id, query: text, relevant, found: ranked.slice(0, DEPTH) },
    ...(place >= 0 ? { rank: place + 1 } : {}),
    ...(relevant.length > 0 ? { figures: figuresOf(ranked, relevant, groups, topK) } : {}),
    ...(verdict ? { isWeak: verdict.isWeak } : {}),
  };
  const isShown = relevant.some((name) => shown.has(name));
  if (relevant.length === 0 || place === 0) return { result, isShown };
  return { result, isShown, miss: await missOf(query, ranked, relevant, index) };
}

function verdictsOf(searched: readonly SearchedCase[]): Verdicts | undefined {
  const judged = searched.filter(({ result }) => result.isWeak !== undefined);
  if (judged.length === 0) return undefined;
  const share = (some: readonly SearchedCase[], isSaid: boolean): number =>
    meanOf(some.map(({ result }) => (result.isWeak === isSaid ? 1 : 0)));
  const fitting = judged.filter(({ isShown }) => isShown);
  const nothing = judged.filter(({ result }) => result.relevant.length === 0);
  return {
    ...(fitting.length > 0 ? { falseAlarms: share(fitting, true) } : {}),
    ...(nothing.length > 0 ? { missedNothings: share(nothing, false) } : {}),
  };
}

/**
 * A tool that ranked first instead of a relevant one.
 *
 * @example
 * ```ts
 * const say = ({ wanted, instead, words }: Confusion) => `${instead} for ${wanted}, by ${words.join(', ')}`;
 * ```
 */
export interface Confusion {
  /** The relevant tool that ranked highest, or the first one where none matched. */
  readonly wanted: string;
  /** The tool that ranked first; absent if nothing matched. */
  readonly instead?: string;
  /** Number of cases. */
  readonly count: number;
  /** The query words that favoured the first tool most, the most frequent first; empty if the scorer cannot explain. */
  readonly words: readonly string[];
}

export interface Miss {
  readonly wanted: string;
  readonly instead?: string;
  readonly word?: string;
}

/** An index that may explain what each word of a query adds to a tool's score. */
interface Explaining {
  explain?(query: ToolQuery, name: string): Explained | undefined | Promise<Explained | undefined>;
}

interface Explained {
  readonly words: readonly Pick<WordExplanation, 'word' | 'score'>[];
}

/** The tool that ranked first instead of a relevant one, and the word that caused it. */
export async function missOf(
  query: ToolQuery,
  ranked: readonly string[],
  relevant: readonly string[],
  index: Explaining,
): Promise<Miss> {
  const [instead] = ranked;
  const wanted = ranked.find((name) => relevant.includes(name)) ?? relevant[0] ?? '';
  if (instead === undefined) return { wanted };
  const [won, lost] = await Promise.all([index.explain?.(query, instead), index.explain?.(query, wanted)]);
  if (!won) return { wanted, instead };
  const scoreOf = new Map(lost?.words.map(({ word, score }) => [word, score]));
  const leads = won.words.map(({ word, score }) => ({ word, lead: score - (scoreOf.get(word) ?? 0) }));
  // The word with the greatest lead over what it adds to the wanted tool; none if no word leads.
  const best = leads.reduce((most, one) => (one.lead > most.lead ? one : most), { word: '', lead: 0 });
  return { wanted, instead, ...(best.lead > 0 ? { word: best.word } : {}) };
}

/** Counts the misses of each pair of tools, the most frequent pair first, then in alphabetical order. */
function confusionsOf(misses: readonly Miss[]): readonly Confusion[] {
  return [...grouped(misses, ({ wanted, instead }) => JSON.stringify([wanted, instead]))]
    .sort(([key, one], [otherKey, other]) => other.length - one.length || (key < otherKey ? -1 : 1))
    .map(([, alike]) => {
      const { wanted, instead } = alike[0];
      const words = grouped(
        alike.flatMap(({ word }) => word ?? []),
        (word) => word,
      );
      return {
        ...{ wanted, ...(instead === undefined ? {} : { instead }), count: alike.length },
        words: [...words].sort(([, one], [, other]) => other.length - one.length).map(([word]) => word),
      };
    });
}
