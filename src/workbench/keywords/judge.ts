import { type IncrementalIndex, nextTurn, type ToolDocument, type ToolScorer, unlessAborted } from '../../kit.ts';
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
  suggested: Keywords,
  documents: readonly ToolDocument[],
  cases: readonly ReadCase[],
  options: JudgeOptions,
): Promise<Judged> {
  const all = [...suggested].filter(([, keywords]) => keywords.length > 0);
  const judgements = new Map<string, Judgement>(all.map(([name]) => [name, { kept: [], why: 'not-judged' }]));
  const { signal, scorer } = options;
  if (signal?.aborted) return { judgements };
  const start = async (): Promise<Judge> => {
    const indexed = await Indexed.of(documents, scorer);
    return new Judge(cases, indexed, await indexed.ask(cases, signal), options);
  };
  const judging = await unlessAborted(start(), signal);
  await (judging && unlessAborted(judging.judge(all), signal));
  return { ...judging?.judged, judgements: new Map([...judgements, ...(judging?.judged.judgements ?? [])]) };
}

/** Keywords by tool. */
type Keywords = ReadonlyMap<string, readonly string[]>;

/** How a case went. */
interface Outcome {
  /** The nDCG@10; undefined where nothing is relevant. */
  readonly gain: number | undefined;
  /** Whether it is said that nothing fits where something does, or not said where nothing does. */
  readonly isWrong: boolean;
}

type ToolKeywords = readonly [name: string, keywords: readonly string[]];

/** A catalog that was changed, and how the cases go there. */
interface Trial {
  readonly indexed: Indexed;
  readonly outcomes: readonly Outcome[];
}

/** Takes keywords up tool by tool. What was taken up stays, so that each is judged beside those before it. */
class Judge {
  readonly #cases: readonly ReadCase[];
  readonly #options: JudgeOptions;
  readonly #judgements = new Map<string, Judgement>();
  readonly #before: readonly Outcome[];
  /** The catalog with what was taken up. */
  #now: Trial;
  /** The places of the cases, in the order in which they are asked whether they lose. */
  readonly #order: number[];
  #total = 0;

  constructor(cases: readonly ReadCase[], indexed: Indexed, outcomes: readonly Outcome[], options: JudgeOptions) {
    this.#cases = cases;
    this.#order = cases.map((_, at) => at);
    this.#now = { indexed, outcomes };
    this.#before = outcomes;
    this.#options = options;
  }

  async judge(all: readonly ToolKeywords[]): Promise<void> {
    const wanted = new Set(this.#cases.flatMap(({ relevant }) => relevant));
    this.#total = all.length;
    for (const tool of all) if (wanted.has(tool[0])) await this.#wanted(tool);
    await this.#unwanted(all.filter(([name]) => !wanted.has(name)));
  }

  /** What is judged so far. */
  get judged(): Judged {
    const gains = (outcomes: readonly Outcome[]): number[] => outcomes.flatMap(({ gain }) => gain ?? []);
    const before = gains(this.#before);
    const ndcg10 = { before: meanOf(before), after: meanOf(gains(this.#now.outcomes)) };
    return { judgements: this.#judgements, ...(before.length > 0 ? { ndcg10 } : {}) };
  }

  /** Takes up the keywords of a tool that cases want, where these gain and no case loses. */
  async #wanted([name, keywords]: ToolKeywords): Promise<void> {
    const own = this.#cases.flatMap(({ relevant }, at) => (relevant.includes(name) ? at : []));
    const cases = own.map((at) => this.#cases[at] as ReadCase);
    const before = own.map((at) => this.#now.outcomes[at] as Outcome);
    const whole = await this.#now.indexed.with(new Map([[name, keywords]]));
    const after = await whole.ask(cases, this.#options.signal);
    const isLost = after.some((one, at) => loses(before[at], one));
    if (!isLost && gained(before, after) <= 0) return this.#judged(name, { kept: [], why: 'no-gain' });
    const trial = isLost ? undefined : await this.#harmless(whole);
    const kept = trial ? keywords : await this.#harmlessOf(name, keywords);
    const chosen = trial ?? (kept.length > 0 ? await this.#with([[name, kept]]) : undefined);
    if (!chosen) return this.#judged(name, { kept: [], why: 'loses-case' });
    const gain = gained(
      before,
      own.map((at) => chosen.outcomes[at] as Outcome),
    );
    if (gain <= 0) return this.#judged(name, { kept: [], why: 'no-gain' });
    this.#now = chosen;
    return this.#judged(name, { kept, why: 'loses-case', gain: gain / own.length });
  }

  /** Takes up the keywords of tools that no case wants, where no case loses: as many at once as that holds for. */
  async #unwanted(tools: readonly ToolKeywords[]): Promise<void> {
    const [first] = tools;
    if (!first) return;
    let taken = tools;
    let trial = await this.#with(tools);
    if (!trial && tools.length > 1) {
      const middle = Math.ceil(tools.length / 2);
      await this.#unwanted(tools.slice(0, middle));
      return this.#unwanted(tools.slice(middle));
    }
    if (!trial) {
      const [name, keywords] = first;
      taken = [[name, await this.#harmlessOf(name, keywords)]];
      trial = await this.#with(taken);
    }
    for (const [name, kept] of taken) this.#judged(name, { kept: trial ? kept : [], why: 'loses-case' });
    this.#now = trial ?? this.#now;
  }

  /** Those keywords of a tool which cost no case anything by themselves. */
  async #harmlessOf(name: string, keywords: readonly string[]): Promise<readonly string[]> {
    const harmless: string[] = [];
    for (const keyword of keywords) if (await this.#with([[name, [keyword]]])) harmless.push(keyword);
    return harmless;
  }

  /** The catalog with keywords of tools as well; undefined where a case loses. */
  async #with(tools: readonly ToolKeywords[]): Promise<Trial | undefined> {
    return this.#harmless(await this.#now.indexed.with(new Map(tools)));
  }

  /** How all cases go; undefined where one loses. The case that lost last is asked first: most often it loses again. */
  async #harmless(indexed: Indexed): Promise<Trial | undefined> {
    const outcomes: Outcome[] = [];
    for (const [place, at] of this.#order.entries()) {
      const [outcome] = await indexed.ask([this.#cases[at] as ReadCase], this.#options.signal);
      if (loses(this.#now.outcomes[at], outcome)) {
        this.#order.splice(place, 1);
        this.#order.unshift(at);
        return undefined;
      }
      outcomes[at] = outcome as Outcome;
      if (place % 32 === 31) await nextTurn();
    }
    return { indexed, outcomes };
  }

  #judged(name: string, judgement: Judgement): void {
    this.#judgements.set(name, judgement);
    this.#options.progress({ stage: 'judging', done: this.#judgements.size, total: this.#total });
  }
}

/** Results that a model is shown. */
const SHOWN = 5;
/** Sums of gains have their rounding. */
const ROUNDING = 1e-9;

/** A catalog as it is indexed with some keywords. It never changes. */
class Indexed {
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
function loses(before: Outcome | undefined, after: Outcome | undefined): boolean {
  if (!before || !after) return false;
  return (after.gain ?? 0) < (before.gain ?? 0) - ROUNDING || (after.isWrong && !before.isWrong);
}

/** What cases gain in all; 0 for what is only rounding. */
function gained(before: readonly Outcome[], after: readonly Outcome[]): number {
  const sum = after.reduce((total, { gain }, at) => total + (gain ?? 0) - (before[at]?.gain ?? 0), 0);
  return Math.abs(sum) < ROUNDING ? 0 : sum;
}
