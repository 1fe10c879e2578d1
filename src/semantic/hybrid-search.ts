import {
  bestFirst,
  type MatchExplanation,
  messageOf,
  type ScorerContext,
  type ScorerFault,
  type ToolIndex,
  type ToolMatch,
  type ToolQuery,
} from '../kit.ts';
import type { Ranking } from './fusion.ts';
import { confidenceWith, type HybridEvidence, hybridEvidenceOf, similarityIn } from './hybrid-confidence.ts';
import type { HybridPart } from './hybrid-part.ts';
import type { FusionSettings } from './hybrid-settings.ts';

/** The ranking of one part, and which part that is. */
interface PartRanking extends Ranking {
  readonly part: HybridPart;
  /** The cosines of the closest tools, where the part compares meanings. */
  readonly closest: readonly number[] | undefined;
}

/** The rank at which scores that do not count from zero say nothing any more. */
const UNRELATED_RANK = 50;

/** What the searches of a hybrid share. */
export interface HybridParts {
  /** The first one leads. */
  readonly parts: readonly HybridPart[];
  readonly settings: FusionSettings;
  readonly context: ScorerContext;
  /** The names of tools that the words are, in any spelling. */
  namedBy(words: readonly string[]): readonly string[];
}

/** Searches the parts of a hybrid, for all tools or for those that some requests may see. */
export class HybridSearch implements ToolIndex {
  readonly #hybrid: HybridParts;
  readonly #names: ReadonlySet<string> | undefined;
  /** The rankings of a query, for its confidence. */
  readonly #rankings = new WeakMap<ToolQuery, readonly PartRanking[]>();
  /** There where the first part has a confidence, or may have one when its index is built. */
  readonly confidence?: (query: ToolQuery, names: readonly string[]) => Promise<readonly number[]>;

  /** @param names - those that may be found; all without it. */
  constructor(hybrid: HybridParts, names?: ReadonlySet<string>) {
    this.#hybrid = hybrid;
    this.#names = names;
    if (hybrid.parts[0]?.givesConfidence !== false) {
      this.confidence = (query, names) => this.#confidence(query, names);
    }
  }

  async search(query: ToolQuery): Promise<readonly ToolMatch[]> {
    const { settings, namedBy } = this.#hybrid;
    const scores = settings.fuse(await this.#ranked(query));
    for (const name of namedBy(query.keywords)) {
      const score = scores.get(name);
      if (score !== undefined) scores.set(name, 1 + score);
    }
    return bestFirst([...scores].map(([name, score]) => ({ name, score })));
  }

  /** The explanation of the first part that has one: meaning explains nothing. */
  async explain(query: ToolQuery, name: string): Promise<MatchExplanation | undefined> {
    for (const part of this.#hybrid.parts) {
      const explanation = await part.explain(query, name, this.#names);
      if (explanation) return explanation;
    }
    return undefined;
  }

  async #ranked(query: ToolQuery): Promise<readonly PartRanking[]> {
    const { parts, settings, context } = this.#hybrid;
    const awake = parts.filter((part) => !part.isResting(query));
    const rankings = await ofSome(awake.length > 0 ? awake : parts, context, async (part) => {
      const matches = await part.search(query, this.#names);
      const closest = await part.closest(query, this.#names);
      const scores = closest ?? matches.map(({ score }) => score).filter(Number.isFinite);
      const last = scores.at(-1) ?? 0;
      const zero = part === parts[0] ? Math.min(0, last) : (scores[UNRELATED_RANK - 1] ?? last);
      return { part, weight: settings.weights[parts.indexOf(part)] ?? 0, zero, matches, closest };
    });
    this.#rankings.set(query, rankings);
    return rankings;
  }

  /** What the confidence of each name is made of; undefined where it is that of the words alone. */
  async evidence(query: ToolQuery, names: readonly string[]): Promise<readonly (HybridEvidence | undefined)[]> {
    const { confidenceOf, similarityOf } = await this.#judges(query, names);
    return names.map((name) => {
      const words = confidenceOf(name);
      return words !== undefined && similarityOf ? hybridEvidenceOf(words, similarityOf(name)) : undefined;
    });
  }

  /**
   * The confidence of the first part, corrected by the meaning where there is one; none where the first part did not
   * answer. The highest stands with the best: the order is the better judgement.
   */
  async #confidence(query: ToolQuery, names: readonly string[]): Promise<readonly number[]> {
    const { confidenceOf, similarityOf } = await this.#judges(query, names);
    const confidences = names.flatMap((name) => {
      const words = confidenceOf(name);
      if (words === undefined) return [];
      return [similarityOf ? confidenceWith(words, similarityOf(name)) : words];
    });
    return confidences.sort((one, other) => other - one);
  }

  /** What the first part, and the first one that compares meanings, say of names. */
  async #judges(
    query: ToolQuery,
    names: readonly string[],
  ): Promise<{
    readonly confidenceOf: (name: string) => number | undefined;
    readonly similarityOf: ((name: string) => number) | undefined;
  }> {
    const rankings = this.#rankings.get(query) ?? (await this.#ranked(query));
    const words = rankings.find(({ part }) => part === this.#hybrid.parts[0]);
    if (!words) return { confidenceOf: () => undefined, similarityOf: undefined };
    const places = new Map(words.matches.map(({ name }, place) => [name, place]));
    const placeOf = (name: string): number => places.get(name) ?? places.size;
    const asRankedByWords = names.toSorted((one, other) => placeOf(one) - placeOf(other));
    const confidences = await words.part.confidence(query, asRankedByWords, this.#names);
    const isWhole = confidences.length === names.length;
    const byName = new Map(isWhole ? asRankedByWords.map((name, place) => [name, confidences[place]]) : []);
    const meaning = rankings.find((ranking) => ranking !== words && ranking.closest);
    return {
      confidenceOf: (name) => byName.get(name),
      similarityOf: meaning && similarityIn(meaning.matches, meaning.closest ?? []),
    };
  }
}

/** The answers of the parts that can give one; faults of the others are reported. Throws when none can. */
export async function ofSome<Answer>(
  parts: readonly HybridPart[],
  context: ScorerContext,
  ask: (part: HybridPart) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const outcomes = await Promise.allSettled(parts.map(ask));
  const answers: Answer[] = [];
  const faults: ScorerFault[] = [];
  for (const [position, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') answers.push(outcome.value);
    else faults.push({ scorer: parts[position]?.name ?? '', error: outcome.reason });
  }
  if (answers.length === 0) {
    const reasons = faults.map(({ scorer, error }) => `${scorer}: ${messageOf(error)}`);
    throw new AggregateError(
      faults.map(({ error }) => error),
      `No part could answer. ${reasons.join('; ')}`,
    );
  }
  for (const fault of faults) context.report(fault);
  return answers;
}
