import { type Contestant, SHOWN } from '../contestant.ts';
import type { Kind, SetTrials } from './trials.ts';

/** One query, what is true of it and what was said. */
export interface Judgement {
  readonly kind: Kind;
  /** Whether a tool that fits is among the first five. */
  readonly isShown: boolean;
  /** How likely one of them fits, where the system says so. */
  readonly likelihood?: number | undefined;
  /** Whether it was said that probably nothing fits: by saying so, or by showing nothing. */
  readonly isWeak: boolean;
  /** What is shown, without its tail. */
  readonly results: readonly JudgedResult[];
}

export interface JudgedResult {
  readonly isRelevant: boolean;
  /** The evidence for it, where the system gives any; none for a tool that was asked for by its name. */
  readonly evidence?: Readonly<Record<string, number>> | undefined;
}

/** Shares of the queries, from 0 to 1; NaN without any, and null in JSON. */
export interface VerdictFigures {
  readonly queries: Readonly<Record<'shown' | 'missed' | 'without' | 'foreign', number>>;
  /** Of those to which a tool that fits was shown: the share that was told that nothing fits. */
  readonly falseAlarms: number;
  /** Of those whose fitting tools are not among the first five. */
  readonly warnedOfMissed: number;
  /** Of those for which no tool fits. */
  readonly recognised: Nothing;
  /** The chance that a query with a fitting tool shown has a higher likelihood than one without any. */
  readonly auc: Nothing;
  /** The share that is recognised by the likelihood below which 5 % of the queries are with a fitting tool shown. */
  readonly recognisedAtFive: Nothing;
}

/** By how it came that nothing fits. */
export type Nothing = Readonly<Record<'without' | 'foreign', number>>;

/** What one contestant said on one set. */
export interface VerdictEntry extends VerdictFigures {
  readonly set: string;
  readonly contestant: string;
}

const FALSE_ALARMS = 0.05;

/** Puts all trials of a set to a contestant. */
export async function judge(contestant: Contestant, { trials }: SetTrials): Promise<readonly Judgement[]> {
  const judgements: Judgement[] = [];
  for (const { kind, tools, queries } of trials) {
    const search = await contestant.build(tools);
    for (const { query, relevant } of queries) {
      const { found, likelihood, isWeak = false, rated = [] } = await search(query);
      const isShown = kind === 'own' && found.slice(0, SHOWN).some(({ name }) => relevant.includes(name));
      const isEmpty = found.length === 0;
      const results = rated.map(({ name, evidence }) => {
        return { isRelevant: kind === 'own' && relevant.includes(name), evidence };
      });
      judgements.push({ kind, isShown, likelihood: isEmpty ? 0 : likelihood, isWeak: isEmpty || isWeak, results });
    }
  }
  return judgements;
}

export function figuresOf(judgements: readonly Judgement[]): VerdictFigures {
  const of = (wanted: Kind, isShown: boolean): readonly Judgement[] =>
    judgements.filter((judgement) => judgement.kind === wanted && judgement.isShown === isShown);
  const [shown, missed] = [of('own', true), of('own', false)];
  const nothing = { without: of('without', false), foreign: of('foreign', false) };
  const each = (figure: (judgements: readonly Judgement[]) => number): Nothing => ({
    without: figure(nothing.without),
    foreign: figure(nothing.foreign),
  });
  const fitting = likelihoodsOf(shown);
  const says = judgements.every(({ isWeak, likelihood }) => isWeak || likelihood !== undefined);
  const least = fitting.toSorted((one, other) => one - other)[Math.floor(FALSE_ALARMS * fitting.length)] ?? Number.NaN;
  const unlikely = (list: readonly Judgement[]): number =>
    share(likelihoodsOf(list), (likelihood) => likelihood < least);
  return {
    queries: {
      shown: shown.length,
      missed: missed.length,
      without: nothing.without.length,
      foreign: nothing.foreign.length,
    },
    falseAlarms: share(shown, isWarned),
    warnedOfMissed: share(missed, isWarned),
    recognised: each((list) => share(list, isWarned)),
    auc: each((list) => (says ? areaUnderCurve(fitting, likelihoodsOf(list)) : Number.NaN)),
    recognisedAtFive: each((list) => (says ? unlikely(list) : Number.NaN)),
  };
}

/** The mean of several sets, which all count the same; those without such queries do not count. */
export function meanFigures(all: readonly VerdictFigures[]): VerdictFigures {
  const mean = (of: (figures: VerdictFigures) => number): number => {
    const values = all.map(of).filter((value) => !Number.isNaN(value));
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const each = (of: (figures: VerdictFigures) => Nothing): Nothing => ({
    without: mean((figures) => of(figures).without),
    foreign: mean((figures) => of(figures).foreign),
  });
  const sum = (kind: keyof VerdictFigures['queries']): number =>
    all.reduce((count, { queries }) => count + queries[kind], 0);
  return {
    queries: { shown: sum('shown'), missed: sum('missed'), without: sum('without'), foreign: sum('foreign') },
    falseAlarms: mean(({ falseAlarms }) => falseAlarms),
    warnedOfMissed: mean(({ warnedOfMissed }) => warnedOfMissed),
    recognised: each(({ recognised }) => recognised),
    auc: each(({ auc }) => auc),
    recognisedAtFive: each(({ recognisedAtFive }) => recognisedAtFive),
  };
}

/** The chance that one of the first list is higher than one of the second; equal ones count half. */
export function areaUnderCurve(higher: readonly number[], lower: readonly number[]): number {
  let wins = 0;
  for (const one of higher) for (const other of lower) wins += one > other ? 1 : one === other ? 0.5 : 0;
  return wins / (higher.length * lower.length);
}

function likelihoodsOf(judgements: readonly Judgement[]): readonly number[] {
  return judgements.map(({ likelihood = 1 }) => likelihood);
}

function isWarned({ isWeak }: Judgement): boolean {
  return isWeak;
}

function share<Item>(list: readonly Item[], is: (item: Item) => boolean): number {
  return list.filter(is).length / list.length;
}
