import { estimateTokens, inSlices } from '../../../kit.ts';
import { type Comparison, compareEvaluations } from '../../../workbench/evaluate/compare.ts';
import { type ScorerEvaluation, type SearchedCase, summaryOf } from '../../../workbench/evaluate/measure.ts';
import type { LintFinding } from '../../../workbench/lint/check.ts';
import type { InspectData } from '../../data.ts';
import { type AlikePair, alikePairs } from '../map/similarity.ts';
import { toolTokens } from '../tokens/token-tree.ts';
import type { Edits } from './edits.ts';
import { lintOf } from './lint.ts';
import { type LocalScorer, localScorers, type WordPoints } from './local-scorers.ts';
import { partOfIndex } from './part-of-index.ts';
import { type Ranking, rankingOf } from './ranking.ts';
import { Snapshot } from './snapshot.ts';
import { type Twin, twinsOf } from './twins.ts';

/** What the cases say of the catalog as it is edited. */
export interface CaseReport {
  readonly evaluation: ScorerEvaluation;
  /** The catalog without edits. */
  readonly before: ScorerEvaluation;
  /** Each case in order, with what came first instead. */
  readonly searched: readonly SearchedCase[];
  /** Left out without edits. */
  readonly comparison?: Comparison;
}

/** Cases with what they come to. */
type Measured = Pick<CaseReport, 'searched' | 'evaluation'>;

/** The tokens of a tool's definition. */
export interface ToolTokens {
  readonly name: string;
  readonly tokens: number;
}

/**
 * All that the page works out of its data. Each answer is about the edits of the moment, and is kept until the next edit.
 * Only `setEdits` changes anything. It needs no browser.
 */
export class Engine {
  readonly #data: InspectData;
  readonly #base: Snapshot;
  readonly #scorers: ReadonlyMap<string, LocalScorer> = localScorers();
  #now: Snapshot;
  /** Answers about the edits of the moment, by question. */
  #answers = new Map<string, Promise<unknown>>();
  /** Evaluations of the catalog without edits, by scorer. */
  readonly #before = new Map<string, Promise<Measured>>();

  constructor(data: InspectData) {
    this.#data = data;
    this.#base = new Snapshot(data);
    this.#now = this.#base;
  }

  async setEdits(edits: Edits): Promise<void> {
    this.#now = edits.size === 0 ? this.#base : new Snapshot(this.#data, edits, this.#base);
    this.#answers = new Map();
  }

  /**
   * Ranks with a scorer of the page.
   *
   * @param among - the names of the tools that there are; all without it.
   */
  async rank(query: string, scorerName: string, depth: number, among?: readonly string[]): Promise<Ranking> {
    const scorer = this.#scorer(scorerName);
    const now = this.#now;
    const whole = await now.index(scorer);
    const names = among && new Set(among);
    const index = names ? await partOfIndex(whole, names) : whole;
    const points = async (name: string, keywords: readonly string[]): Promise<readonly WordPoints[]> => {
      const document = now.documents.get(name);
      return (document && (await scorer.points?.(document, keywords))) ?? [];
    };
    return rankingOf(scorerName, query, index, {
      topK: this.#data.topK,
      depth,
      keepsTail: scorer.keepsTail,
      has: (name) => now.tools.has(name) && (names?.has(name) ?? true),
      ...(scorer.points ? { points } : {}),
    });
  }

  /** How the cases go now, and went before the edits; undefined where there are none. */
  async cases(scorerName: string): Promise<CaseReport | undefined> {
    if (!this.#data.cases?.length) return undefined;
    return this.#once(`cases ${scorerName}`, () => this.#report(this.#scorer(scorerName)));
  }

  /** Tools that rank close to a tool where its own words are asked for, the closest first. */
  async twins(name: string): Promise<readonly Twin[]> {
    return this.#once(`twins ${name}`, async () => twinsOf(name, this.#now, this.#scorer('bm25')));
  }

  /** What lint finds of a tool, or of all. */
  async lint(name?: string): Promise<readonly LintFinding[]> {
    return this.#once(`lint ${name ?? ''}`, () => lintOf(this.#now, this.#scorer('bm25'), this.#data, name));
  }

  /** The tokens of each tool's definition, in the order of the catalog. */
  async tokens(): Promise<readonly ToolTokens[]> {
    return this.#once('tokens', async () =>
      Array.from(this.#now.tools.values(), (tool) => ({ name: tool.name, tokens: toolTokens(tool, estimateTokens) })),
    );
  }

  /** The pairs of tools that say nearly the same, the most alike first. */
  async alike(): Promise<readonly AlikePair[]> {
    return this.#once('alike', async () => inSlices(alikePairs([...this.#now.tools.values()])));
  }

  /** The tokens of one tool's definition; undefined where there is no such tool. */
  async tokensOf(name: string): Promise<number | undefined> {
    const tool = this.#now.tools.get(name);
    return tool && toolTokens(tool, estimateTokens);
  }

  #scorer(name: string): LocalScorer {
    const scorer = this.#scorers.get(name);
    if (!scorer) throw new Error(`The page has no scorer "${name}".`);
    return scorer;
  }

  /** What was asked before is not worked out again, unless an edit came. */
  #once<Answer>(question: string, work: () => Promise<Answer>): Promise<Answer> {
    const known = this.#answers.get(question) as Promise<Answer> | undefined;
    if (known !== undefined) return known;
    const answer = work();
    this.#answers.set(question, answer);
    return answer;
  }

  async #report(scorer: LocalScorer): Promise<CaseReport> {
    const base = await this.#measuredBefore(scorer);
    const before = base.evaluation;
    for (;;) {
      const now = this.#now;
      if (now === this.#base) return { evaluation: before, before, searched: base.searched };
      const searched = await now.searchCases(scorer, () => this.#now !== now);
      // An edit came meanwhile: who asked gets the answer about that one.
      if (!searched) continue;
      const evaluation = summaryOf(scorer.name, searched);
      const about = { tools: now.tools.size, topK: this.#data.topK };
      const [comparison] = compareEvaluations({ ...about, scorers: [before] }, { ...about, scorers: [evaluation] });
      return { evaluation, before, searched, ...(comparison ? { comparison } : {}) };
    }
  }

  #measuredBefore(scorer: LocalScorer): Promise<Measured> {
    const known = this.#before.get(scorer.name);
    if (known !== undefined) return known;
    const made = this.#base
      .searchCases(scorer, () => false)
      .then((searched = []) => ({ searched, evaluation: summaryOf(scorer.name, searched) }));
    this.#before.set(scorer.name, made);
    return made;
  }
}
