import { type IncrementalIndex, nextTurn, type ToolDocument, unlessAborted } from '../../kit.ts';
import type { ReadCase } from '../evaluate/cases.ts';
import { searchCase } from '../evaluate/measure.ts';
import { meanOf } from '../evaluate/metrics.ts';
import type { KeywordSettings } from './options.ts';
import type { DropReason } from './validation.ts';

/** The judgement of one tool's keywords. */
export interface Judgement {
  readonly kept: readonly string[];
  /** The reason for those that are not kept. */
  readonly why?: DropReason;
  /** What the cases that want the tool gain in the mean; undefined where none wants it, or nothing is kept. */
  readonly gain?: number;
}

/** All judgements, and the mean nDCG@10 of the cases before and after. */
export interface Judged {
  readonly judgements: ReadonlyMap<string, Judgement>;
  readonly ndcg10?: { readonly before: number; readonly after: number };
}

type JudgeOptions = Pick<KeywordSettings, 'scorer' | 'signal' | 'progress'>;

/** Has cases judge keywords. When the work is ended, what is judged by then counts. */
export async function judge(
  suggested: ReadonlyMap<string, readonly string[]>,
  documents: readonly ToolDocument[],
  cases: readonly ReadCase[],
  options: JudgeOptions,
): Promise<Judged> {
  const all = [...suggested].filter(([, keywords]) => keywords.length > 0);
  const judging = new Judging(cases, all, options);
  if (!options.signal?.aborted) await unlessAborted(judging.judge(documents), options.signal);
  return judging.judged;
}

type ToolKeywords = readonly [name: string, keywords: readonly string[]];

/** How a case went. */
interface Outcome {
  /** The nDCG@10; undefined where nothing is relevant. */
  readonly gain: number | undefined;
  /** Whether it is said that nothing fits where something does, or not said where nothing does. */
  readonly isWrong: boolean;
}

/** A catalog with some keywords, as it is indexed. */
interface Indexed {
  readonly documents: ReadonlyMap<string, ToolDocument>;
  readonly index: IncrementalIndex;
}

/** A catalog that was changed, and how the cases go there. */
interface Trial extends Indexed {
  readonly outcomes: readonly Outcome[];
}

/** Results that a model is shown. */
const SHOWN = 5;
/** Sums of gains have their rounding. */
const ROUNDING = 1e-9;
/** Searches between which others have their turn. */
const SLICE = 32;

/** Takes keywords up tool by tool. What was taken up stays, so that each is judged beside those before it. */
class Judging {
  readonly #cases: readonly ReadCase[];
  readonly #all: readonly ToolKeywords[];
  readonly #options: JudgeOptions;
  readonly #judgements = new Map<string, Judgement>();
  /** How the cases went without keywords; undefined until they are asked. */
  #before: readonly Outcome[] | undefined;
  /** The catalog with what was taken up. */
  #now: Trial = { documents: new Map(), index: { search: () => [] }, outcomes: [] };
  /** The places of the cases, in the order in which they are asked whether they lose. */
  readonly #order: number[];
  #searches = 0;

  constructor(cases: readonly ReadCase[], all: readonly ToolKeywords[], options: JudgeOptions) {
    this.#cases = cases;
    this.#all = all;
    this.#options = options;
    this.#order = cases.map((_, at) => at);
  }

  /** What is judged so far. */
  get judged(): Judged {
    const open = this.#all.map(([name]): [string, Judgement] => [name, { kept: [], why: 'not-judged' }]);
    const judgements = new Map([...open, ...this.#judgements]);
    const gains = (outcomes: readonly Outcome[]): number[] => outcomes.flatMap(({ gain }) => gain ?? []);
    const before = gains(this.#before ?? []);
    if (before.length === 0) return { judgements };
    return { judgements, ndcg10: { before: meanOf(before), after: meanOf(gains(this.#now.outcomes)) } };
  }

  async judge(documents: readonly ToolDocument[]): Promise<void> {
    const index = await this.#options.scorer.index(documents);
    const outcomes = await this.#ask(this.#order, index);
    this.#before = outcomes;
    this.#now = { documents: new Map(documents.map((one) => [one.name, one])), index, outcomes };
    const wanted = new Set(this.#cases.flatMap(({ relevant }) => relevant));
    for (const tool of this.#all) if (wanted.has(tool[0])) await this.#wanted(tool);
    await this.#unwanted(this.#all.filter(([name]) => !wanted.has(name)));
  }

  /** Takes up the keywords of a tool that cases want, where these gain and no case loses. */
  async #wanted([name, keywords]: ToolKeywords): Promise<void> {
    const own = this.#cases.flatMap(({ relevant }, at) => (relevant.includes(name) ? at : []));
    const before = own.map((at) => this.#now.outcomes[at] as Outcome);
    const whole = await this.#with([[name, keywords]]);
    const after = await this.#ask(own, whole.index);
    const isLost = after.some((one, at) => loses(before[at], one));
    if (!isLost && gained(before, after) <= 0) return this.#judged(name, { kept: [], why: 'no-gain' });
    let kept = keywords;
    let trial = isLost ? undefined : await this.#harmless(whole);
    if (!trial) {
      kept = await this.#harmlessOf(name, keywords);
      trial = kept.length > 0 ? await this.#harmless(await this.#with([[name, kept]])) : undefined;
    }
    if (!trial) return this.#judged(name, { kept: [], why: 'loses-case' });
    const { outcomes } = trial;
    const gain = gained(
      before,
      own.map((at) => outcomes[at] as Outcome),
    );
    if (gain <= 0) return this.#judged(name, { kept: [], why: 'no-gain' });
    this.#now = trial;
    this.#judged(name, { kept, why: 'loses-case', gain: gain / own.length });
  }

  /** Takes up the keywords of tools that no case wants, where no case loses: as many at once as that holds for. */
  async #unwanted(tools: readonly ToolKeywords[]): Promise<void> {
    const [first] = tools;
    if (!first) return;
    let taken = tools;
    let trial = await this.#harmless(await this.#with(tools));
    if (!trial && tools.length > 1) {
      const middle = Math.ceil(tools.length / 2);
      await this.#unwanted(tools.slice(0, middle));
      return this.#unwanted(tools.slice(middle));
    }
    if (!trial) {
      taken = [[first[0], await this.#harmlessOf(...first)]];
      trial = await this.#harmless(await this.#with(taken));
    }
    for (const [name, kept] of taken) this.#judged(name, { kept: trial ? kept : [], why: 'loses-case' });
    this.#now = trial ?? this.#now;
  }

  /** Those keywords of a tool which cost no case anything by themselves. */
  async #harmlessOf(name: string, keywords: readonly string[]): Promise<readonly string[]> {
    const harmless: string[] = [];
    for (const keyword of keywords)
      if (await this.#harmless(await this.#with([[name, [keyword]]]))) harmless.push(keyword);
    return harmless;
  }

  /** The catalog with keywords of tools as well. */
  async #with(tools: readonly ToolKeywords[]): Promise<Indexed> {
    const documents = new Map(this.#now.documents);
    const changed = tools.flatMap(([name, added]): ToolDocument[] => {
      const document = documents.get(name);
      return document ? [{ ...document, keywords: [...document.keywords, ...added] }] : [];
    });
    for (const document of changed) documents.set(document.name, document);
    const names = changed.map(({ name }) => name);
    const updated = await this.#now.index.update?.(changed, names);
    return { documents, index: updated ?? (await this.#options.scorer.index([...documents.values()])) };
  }

  /** How all cases go; undefined where one loses. The case that lost last is asked first: most often it loses again. */
  async #harmless(indexed: Indexed): Promise<Trial | undefined> {
    const outcomes: Outcome[] = [];
    for (const [place, at] of this.#order.entries()) {
      const [outcome] = await this.#ask([at], indexed.index);
      if (!outcome || loses(this.#now.outcomes[at], outcome)) {
        this.#order.splice(place, 1);
        this.#order.unshift(at);
        return undefined;
      }
      outcomes[at] = outcome;
    }
    return { ...indexed, outcomes };
  }

  /**
   * Asks the queries of the cases at these places.
   *
   * @throws the reason of the signal where the work was ended.
   */
  async #ask(places: readonly number[], index: IncrementalIndex): Promise<readonly Outcome[]> {
    const { scorer, signal } = this.#options;
    // Why a case is missed is not asked for.
    const silent = {
      search: index.search.bind(index),
      ...(index.confidence ? { confidence: index.confidence.bind(index) } : {}),
    };
    const outcomes: Outcome[] = [];
    for (const at of places) {
      if (++this.#searches % SLICE === 0) await nextTurn();
      const one = this.#cases[at] as ReadCase;
      const { result, isShown } = await searchCase(one, silent, scorer, SHOWN);
      signal?.throwIfAborted();
      const isWrong = one.relevant.length > 0 ? isShown && result.isWeak === true : result.isWeak === false;
      outcomes.push({ gain: result.figures?.ndcg10, isWrong });
    }
    return outcomes;
  }

  #judged(name: string, judgement: Judgement): void {
    this.#judgements.set(name, judgement);
    this.#options.progress({ stage: 'judging', done: this.#judgements.size, total: this.#all.length });
  }
}

/** Whether a case loses: relevant tools stand further down, or what is said of whether anything fits gets wrong. */
function loses(before: Outcome | undefined, after: Outcome | undefined): boolean {
  if (!before || !after) return false;
  return (after.gain ?? 0) < (before.gain ?? 0) - ROUNDING || (after.isWrong && !before.isWrong);
}

/** What cases gain in all; 0 for what is only rounding. */
function gained(before: readonly Outcome[], after: readonly Outcome[]): number {
  const sum = after.reduce((total, { gain }, at) => total + (gain ?? 0) - (before[at]?.gain ?? 0), 0);
  return Math.abs(sum) < ROUNDING ? 0 : sum;
}
