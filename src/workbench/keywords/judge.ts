import { nextTurn, type ToolDocument, unlessAborted } from '../../kit.ts';
import { meanOf } from '../evaluate/bootstrap.ts';
import type { ReadCase } from '../evaluate/cases.ts';
import { foldsOf } from './folds.ts';
import { gained, Indexed, type Keywords, loses, type Outcome } from './indexed.ts';
import type { ResolvedOptions } from './options.ts';
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

type JudgeOptions = Pick<ResolvedOptions, 'scorer' | 'signal' | 'progress'>;

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

type ToolKeywords = readonly [name: string, keywords: readonly string[]];

/** Takes keywords up tool by tool. What was taken up stays, so that each is judged beside those before it. */
class Judge {
  readonly #cases: readonly ReadCase[];
  readonly #folds: readonly number[];
  readonly #options: JudgeOptions;
  readonly #judgements = new Map<string, Judgement>();
  /** The catalog with what was taken up, and how the cases go there. */
  #indexed: Indexed;
  #outcomes: readonly Outcome[];
  readonly #before: readonly Outcome[];
  /** The places of the cases, in the order in which they are asked whether they lose. */
  readonly #order: number[];
  #total = 0;

  constructor(cases: readonly ReadCase[], indexed: Indexed, outcomes: readonly Outcome[], options: JudgeOptions) {
    this.#cases = cases;
    this.#folds = foldsOf(cases);
    this.#order = cases.map((_, at) => at);
    this.#indexed = indexed;
    this.#outcomes = outcomes;
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
    const ndcg10 = { before: meanOf(before), after: meanOf(gains(this.#outcomes)) };
    return { judgements: this.#judgements, ...(before.length > 0 ? { ndcg10 } : {}) };
  }

  /** Takes up the keywords of a tool that cases want, where these gain and no case loses. */
  async #wanted([name, keywords]: ToolKeywords): Promise<void> {
    const own = this.#placesOf(({ relevant }) => relevant.includes(name));
    const whole = await this.#indexed.with(new Map([[name, keywords]]));
    const ofOwn = this.#change(own, await this.#ask(whole, own));
    if (!ofOwn.hasLoser && ofOwn.gain <= 0) return this.#judged(name, { kept: [], why: 'no-gain' });
    const outcomes = await this.#ask(whole);
    const change = this.#change(this.#all, outcomes);
    if (!change.hasLoser) return this.#takeUp(whole, outcomes, name, keywords, ofOwn.gain / own.length);
    return this.#inPart(name, keywords, own);
  }

  /**
   * Takes up those keywords that cost no case anything. What the tool gains is measured without those that choose: each fold
   * of the cases is held out once, and says what it gains by the choice of the others.
   */
  async #inPart(name: string, keywords: readonly string[], own: readonly number[]): Promise<void> {
    const alone: (readonly Outcome[])[] = [];
    for (const keyword of keywords) alone.push(await this.#with(name, [keyword]));
    const known = new Map<string, readonly Outcome[]>();
    const chosenBy = async (places: readonly number[]): Promise<readonly [readonly string[], readonly Outcome[]]> => {
      const harmless = keywords.filter((_, at) => !this.#losesIn(places, alone[at] ?? []));
      const key = JSON.stringify(harmless);
      const outcomes = known.get(key) ?? (await this.#with(name, harmless));
      known.set(key, outcomes);
      return this.#losesIn(places, outcomes) ? [[], this.#outcomes] : [harmless, outcomes];
    };
    let gain = 0;
    for (const fold of new Set(this.#folds)) {
      const [, outcomes] = await chosenBy(this.#all.filter((at) => this.#folds[at] !== fold));
      const heldOut = own.filter((at) => this.#folds[at] === fold);
      gain += gained(this.#at(heldOut, this.#outcomes), this.#at(heldOut, outcomes));
    }
    const [chosen, outcomes] = await chosenBy(this.#all);
    if (chosen.length === 0) return this.#judged(name, { kept: [], why: 'loses-case' });
    const now = gained(this.#at(own, this.#outcomes), this.#at(own, outcomes));
    if (Math.min(gain, now) <= 0) return this.#judged(name, { kept: [], why: 'no-gain' });
    const indexed = await this.#indexed.with(new Map([[name, chosen]]));
    return this.#takeUp(indexed, outcomes, name, chosen, gain / own.length);
  }

  /** Takes up the keywords of tools that no case wants, where no case loses: as many at once as that holds for. */
  async #unwanted(tools: readonly ToolKeywords[]): Promise<void> {
    const [first] = tools;
    if (!first) return;
    const indexed = await this.#indexed.with(new Map(tools));
    const outcomes = await this.#harmless(indexed);
    if (outcomes) {
      this.#indexed = indexed;
      this.#outcomes = outcomes;
      for (const [name, keywords] of tools) this.#judged(name, { kept: keywords });
      return;
    }
    if (tools.length === 1) return this.#oneByOne(first);
    const middle = Math.ceil(tools.length / 2);
    await this.#unwanted(tools.slice(0, middle));
    await this.#unwanted(tools.slice(middle));
  }

  /** Takes up those keywords of a tool that no case wants which cost no case anything, one by one. */
  async #oneByOne([name, keywords]: ToolKeywords): Promise<void> {
    const kept: string[] = [];
    for (const keyword of keywords) {
      const indexed = await this.#indexed.with(new Map([[name, [keyword]]]));
      const outcomes = await this.#harmless(indexed);
      if (!outcomes) continue;
      this.#indexed = indexed;
      this.#outcomes = outcomes;
      kept.push(keyword);
      this.#judgements.set(name, { kept: [...kept], why: 'not-judged' });
    }
    this.#judged(name, { kept, why: 'loses-case' });
  }

  /** How all cases go; undefined where one loses. The case that lost last is asked first: most often it loses again. */
  async #harmless(indexed: Indexed): Promise<readonly Outcome[] | undefined> {
    const outcomes: Outcome[] = [];
    for (const [place, at] of this.#order.entries()) {
      const [outcome] = await this.#ask(indexed, [at]);
      if (loses(this.#outcomes[at], outcome)) {
        this.#order.splice(place, 1);
        this.#order.unshift(at);
        return undefined;
      }
      outcomes[at] = outcome as Outcome;
      if (place % 32 === 31) await nextTurn();
    }
    return outcomes;
  }

  #ask(indexed: Indexed, places: readonly number[] = this.#all): Promise<readonly Outcome[]> {
    const cases = places.map((at) => this.#cases[at] as ReadCase);
    return indexed.ask(cases, this.#options.signal);
  }

  get #all(): readonly number[] {
    return this.#cases.map((_, at) => at);
  }

  #placesOf(holds: (one: ReadCase) => boolean): readonly number[] {
    return this.#all.filter((at) => holds(this.#cases[at] as ReadCase));
  }

  #at(places: readonly number[], outcomes: readonly Outcome[]): readonly Outcome[] {
    return places.flatMap((at) => outcomes[at] ?? []);
  }

  async #with(name: string, keywords: readonly string[]): Promise<readonly Outcome[]> {
    if (keywords.length === 0) return this.#outcomes;
    return this.#ask(await this.#indexed.with(new Map([[name, keywords]])));
  }

  #losesIn(places: readonly number[], outcomes: readonly Outcome[]): boolean {
    return places.some((at) => loses(this.#outcomes[at], outcomes[at]));
  }

  /** The change of the cases at these places. */
  #change(places: readonly number[], after: readonly Outcome[]): { readonly hasLoser: boolean; readonly gain: number } {
    const before = this.#at(places, this.#outcomes);
    return { hasLoser: before.some((one, at) => loses(one, after[at])), gain: gained(before, after) };
  }

  #takeUp(indexed: Indexed, outcomes: readonly Outcome[], name: string, kept: readonly string[], gain: number): void {
    this.#indexed = indexed;
    this.#outcomes = outcomes;
    this.#judged(name, { kept, why: 'loses-case', gain });
  }

  #judged(name: string, judgement: Judgement): void {
    this.#judgements.set(name, judgement);
    this.#options.progress({ stage: 'judging', done: this.#judgements.size, total: this.#total });
  }
}
