import { type IncrementalIndex, nextTurn, type ToolDocument, type ToolScorer } from '../../kit.ts';
import type { ReadCase } from '../evaluate/cases.ts';
import { searchCase } from '../evaluate/measure.ts';

/** Keywords by tool. */
export type Keywords = ReadonlyMap<string, readonly string[]>;

/** How a case went. */
export interface Outcome {
  /** The nDCG@10; undefined where nothing is relevant. */
  readonly gain: number | undefined;
  /** Whether it is said that nothing fits where something does, or not said where nothing does. */
  readonly isWrong: boolean;
}

/** Results that a model is shown. */
const SHOWN = 5;
/** Sums of gains have their rounding. */
const ROUNDING = 1e-9;

/** A catalog as it is indexed with some keywords. It never changes. */
export class Indexed {
  readonly #documents: ReadonlyMap<string, ToolDocument>;
  readonly #index: IncrementalIndex;
  readonly #scorer: ToolScorer;

  private constructor(documents: ReadonlyMap<string, ToolDocument>, index: IncrementalIndex, scorer: ToolScorer) {
    this.#documents = documents;
    this.#index = index;
    this.#scorer = scorer;
  }

  static async of(documents: readonly ToolDocument[], scorer: ToolScorer): Promise<Indexed> {
    return new Indexed(new Map(documents.map((one) => [one.name, one])), await scorer.index(documents), scorer);
  }

  /** The catalog with these keywords as well. */
  async with(keywords: Keywords): Promise<Indexed> {
    const changed = [...keywords].flatMap(([name, added]): ToolDocument[] => {
      const document = this.#documents.get(name);
      return document ? [{ ...document, keywords: [...document.keywords, ...added] }] : [];
    });
    const documents = new Map(this.#documents);
    for (const document of changed) documents.set(document.name, document);
    const names = changed.map(({ name }) => name);
    const index = (await this.#index.update?.(changed, names)) ?? (await this.#scorer.index([...documents.values()]));
    return new Indexed(documents, index, this.#scorer);
  }

  /**
   * Asks the queries of cases.
   *
   * @throws the reason of the signal where the work was ended.
   */
  async ask(cases: readonly ReadCase[], signal?: AbortSignal): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    // Why a case is missed is not asked for.
    const { search, confidence } = this.#index;
    const index = {
      search: search.bind(this.#index),
      ...(confidence ? { confidence: confidence.bind(this.#index) } : {}),
    };
    for (const one of cases) {
      if (outcomes.length % 32 === 31) await nextTurn();
      const { result, isShown } = await searchCase(one, index, this.#scorer, SHOWN);
      signal?.throwIfAborted();
      const isWrong = one.relevant.length > 0 ? isShown && result.isWeak === true : result.isWeak === false;
      outcomes.push({ gain: result.figures?.ndcg10, isWrong });
    }
    return outcomes;
  }
}

/** Whether a case loses: relevant tools stand further down, or what is said of whether anything fits gets wrong. */
export function loses(before: Outcome | undefined, after: Outcome | undefined): boolean {
  if (!before || !after) return false;
  return (after.gain ?? 0) < (before.gain ?? 0) - ROUNDING || (after.isWrong && !before.isWrong);
}

/** What cases gain in all; 0 for what is only rounding. */
export function gained(before: readonly Outcome[], after: readonly Outcome[]): number {
  const sum = after.reduce((total, { gain }, at) => total + (gain ?? 0) - (before[at]?.gain ?? 0), 0);
  return Math.abs(sum) < ROUNDING ? 0 : sum;
}
