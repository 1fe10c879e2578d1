import { parseQuery, type ToolIndex, type ToolScorer } from '../../../kit.ts';
import { type Comparison, compareScorers } from '../../../workbench/evaluate/compare.ts';
import {
  isMisjudged,
  type ScorerEvaluation,
  type SearchedCase,
  summaryOf,
} from '../../../workbench/evaluate/measure.ts';
import { firstSentence } from '../../../workbench/first-sentence.ts';
import type { LintFinding } from '../../../workbench/lint/check.ts';
import type { InspectData } from '../../data.ts';
import { toolTokens } from '../../document.ts';
import { candidatesOf, type WordCandidate } from './candidates.ts';
import { type Edits, edited } from './edits.ts';
import { type Asking, type Ranking, rankingOf } from './ranking.ts';
import { LocalScorers } from './scorers.ts';
import { Snapshot } from './snapshot.ts';
import { type Why, whyOf } from './why.ts';

/** The cases' results for the edited catalog. */
export interface CaseReport {
  readonly evaluation: ScorerEvaluation;
  /** The results without edits. */
  readonly before: ScorerEvaluation;
  /** Each case in order, with the tool that came first instead. */
  readonly searched: readonly SearchedCase[];
  /** Absent without edits. */
  readonly comparison?: Comparison;
}

/** The tokens of a tool's definition. */
export interface ToolTokens {
  readonly name: string;
  readonly tokens: number;
}

/** A tool that is easily taken for another. */
export interface Twin {
  readonly name: string;
  /** Its score as a share of the other's, in a search for the other's own words. From 1 on, it ranks first. */
  readonly similarity: number;
}

/** The effect of one more keyword. */
export interface Trial {
  /** The rank of the tool with the keyword, from 1; absent if it still does not match. */
  readonly place?: number;
  /** Whether the model would be told that probably nothing fits; absent if the scorer gives no confidence. */
  readonly isWeak?: boolean;
  /** Queries of cases that improve (higher rank or right verdict), and of those that get worse. */
  readonly better: readonly string[];
  readonly worse: readonly string[];
}

/** The minimum similarity of twins, and their maximum number. */
const LEAST = 0.5;
const MOST = 8;
/** Limit of characters of the first sentence that is searched for. */
const MAX_SENTENCE = 300;

/**
 * Everything that the page computes from its data. Answers refer to the current edits, and are cached until the next edit. Only
 * the `set…` methods change anything. It needs no browser.
 */
export class Engine {
  readonly #data: InspectData;
  readonly #scorers = new LocalScorers();
  readonly #base: Snapshot;
  #now: Snapshot;
  /** Cached answers for the current edits, by question. */
  #answers = new Map<string, Promise<unknown>>();
  /** Cached results of the cases without edits, by scorer. */
  readonly #before = new Map<string, Promise<readonly SearchedCase[]>>();
  /** The findings in the catalog without edits. */
  readonly #findings: Promise<readonly LintFinding[]>;
  #takeFindings: (findings: readonly LintFinding[] | Promise<never>) => void = () => {};
  #done = 0;

  constructor(data: InspectData) {
    this.#data = data;
    this.#base = new Snapshot(data);
    this.#now = this.#base;
    this.#findings = new Promise((resolve) => {
      this.#takeFindings = resolve;
    });
    // The rejection reaches those who ask for findings; this avoids an unhandled one.
    this.#findings.catch(() => {});
  }

  async setEdits(edits: Edits): Promise<void> {
    this.#now = edits.size === 0 ? this.#base : new Snapshot(this.#data, edits, this.#base);
    this.#answers = new Map();
  }

  /** Sets the table of word vectors in base64, or undefined if it cannot be loaded; "words and meaning" waits for it. */
  async setVectors(base64: string | undefined): Promise<void> {
    this.#scorers.setVectors(base64);
  }

  /** Sets the findings in the catalog without edits, or the reason why there are none. */
  async setFindings(findings: readonly LintFinding[] | string): Promise<void> {
    this.#takeFindings(typeof findings === 'string' ? Promise.reject(new Error(findings)) : findings);
  }

  /**
   * Ranks with a scorer of the page.
   *
   * @param among - the names of the tools that may be found; all if absent.
   */
  async rank(query: string, scorer: string, depth: number, among?: readonly string[]): Promise<Ranking> {
    const { index, asking } = await this.#asked(scorer, depth, among);
    return rankingOf(query, index, asking);
  }

  /** Explains the rank of a tool. */
  async why(query: string, scorer: string, name: string, among?: readonly string[]): Promise<Why> {
    const { index, asking } = await this.#asked(scorer, 0, among);
    return whyOf(query, name, index, asking);
  }

  /** Keywords that could let a query find a tool. */
  async candidates(query: string, scorer: string, name: string): Promise<readonly WordCandidate[]> {
    const now = this.#now;
    const tool = now.tools.get(name);
    if (!tool) return [];
    const index = await now.index(this.#scorers.of(scorer));
    return candidatesOf(query, tool, { index, tools: now.tools, table: await this.#scorers.table() });
  }

  /** Tries one more keyword of a tool on a query, and on all cases. */
  async tryKeyword(query: string, scorerName: string, name: string, word: string): Promise<Trial> {
    const now = this.#now;
    const scorer = this.#scorers.of(scorerName);
    const tool = now.tools.get(name);
    if (!tool) return { better: [], worse: [] };
    const keywords = [...(tool.keywords ?? []), word];
    const next = new Snapshot(
      this.#data,
      new Map([...now.edits, [name, { ...now.edits.get(name), keywords }]]),
      this.#base,
    );
    const has = (one: string): boolean => next.tools.has(one);
    const asking = { scorer, depth: 0, has, topK: this.#data.topK };
    const { names, isWeak } = await rankingOf(query, await next.index(scorer), asking);
    const place = names.indexOf(name);
    const isWanted = (): boolean => this.#now === now;
    const before = (await this.cases(scorerName))?.searched ?? [];
    const after = (isWanted() && (await next.searchCases(scorer, isWanted))) || before;
    const rank = (one: SearchedCase | undefined): number => one?.result.rank ?? Number.POSITIVE_INFINITY;
    const fault = (one: SearchedCase | undefined): number => (one && isMisjudged(one) ? 1 : 0);
    const moved = (isSo: (change: number) => boolean): readonly string[] =>
      before.flatMap((one, at) => {
        const later = after[at];
        const change = rank(one) === rank(later) ? fault(later) - fault(one) : rank(later) - rank(one);
        return change !== 0 && isSo(change) ? [one.result.query] : [];
      });
    return {
      ...(place < 0 ? {} : { place: place + 1 }),
      ...(isWeak === undefined ? {} : { isWeak }),
      better: moved((change) => change < 0),
      worse: moved((change) => change > 0),
    };
  }

  /** Results of the cases with and without edits; undefined without cases. */
  async cases(scorer: string): Promise<CaseReport | undefined> {
    if (!this.#data.cases?.length) return undefined;
    return this.#once(`cases ${scorer}`, () => this.#report(this.#scorers.of(scorer)));
  }

  /** Number of cases searched so far by `cases`. */
  async progress(): Promise<number> {
    return this.#done;
  }

  /** Tools that rank close to a tool in a search for the tool's first sentence, the closest first. */
  async twins(name: string): Promise<readonly Twin[]> {
    const { description = '' } = this.#now.tools.get(name) ?? {};
    const sentence = firstSentence({ description }).slice(0, MAX_SENTENCE);
    // Uses bm25, whose scores are comparable as ratios. The tool's name is left out, because a named tool always ranks first.
    const matches = await (await this.#now.index(this.#scorers.of('bm25'))).search(parseQuery(sentence));
    const own = matches.find((match) => match.name === name)?.score ?? 0;
    const others = matches.filter((match) => own > 0 && match.name !== name && match.score >= LEAST * own);
    return others.slice(0, MOST).map((match) => ({ name: match.name, similarity: match.score / own }));
  }

  /** The findings about a tool, or about all; with edits, they are computed here. */
  async lint(name?: string): Promise<readonly LintFinding[]> {
    const now = this.#now;
    const findings = await this.#findings;
    if (now !== this.#base)
      return this.#once(`lint ${name ?? ''}`, () => now.lint(this.#scorers.of('bm25'), name ?? findings));
    return name === undefined
      ? findings
      : findings.filter(({ toolName, others }) => toolName === name || others?.includes(name));
  }

  /** The tokens of each tool's definition, in the order of the catalog. */
  async tokens(): Promise<readonly ToolTokens[]> {
    return this.#once('tokens', async () =>
      this.#data.tools.map((tool) => {
        const now = edited(tool, this.#now.edits.get(tool.name));
        // The tokens of a definition too long for the page were counted on the server.
        const isWhole = tool.tokens !== undefined && now.description === tool.description;
        return { name: tool.name, tokens: isWhole ? (tool.tokens ?? 0) : toolTokens(now) };
      }),
    );
  }

  async #asked(name: string, depth: number, among?: readonly string[]): Promise<{ index: ToolIndex; asking: Asking }> {
    const { tools } = this.#now;
    const names = among && new Set(among);
    const scorer = this.#scorers.of(name);
    const has = (one: string): boolean => tools.has(one) && (names?.has(one) ?? true);
    const index = await this.#now.indexOf(scorer, names);
    return { index, asking: { scorer, depth, has, topK: this.#data.topK } };
  }

  /** Answers a repeated question from the cache, which each edit clears. */
  #once<Answer>(question: string, work: () => Promise<Answer>): Promise<Answer> {
    const known = this.#answers.get(question) as Promise<Answer> | undefined;
    if (known !== undefined) return known;
    const answer = work();
    this.#answers.set(question, answer);
    return answer;
  }

  async #report(scorer: ToolScorer): Promise<CaseReport> {
    const goesOn = (done: number, isWanted = true): boolean => {
      this.#done = done;
      return isWanted;
    };
    const base = this.#before.get(scorer.name) ?? this.#base.searchCases(scorer, goesOn).then((all = []) => all);
    this.#before.set(scorer.name, base);
    const before = summaryOf(scorer.name, await base);
    for (;;) {
      const now = this.#now;
      if (now === this.#base) return { evaluation: before, before, searched: await base };
      const searched = await now.searchCases(scorer, (done) => goesOn(done, this.#now === now));
      // After an edit in the meantime, the search starts again for that edit.
      if (!searched) continue;
      const evaluation = summaryOf(scorer.name, searched);
      return { evaluation, before, searched, comparison: compareScorers(before, evaluation) };
    }
  }
}
