// How often it is said that nothing fits, where that is true and where it is not.
import { mean, percent, sum } from '../statistics.ts';
import { textTable } from '../table.ts';
import { type Contestant, SHOWN } from './measure.ts';
import type { Kind, SetTrials } from './verdict-trials.ts';

/** One query, what is true of it and what was said. */
export interface Judgement {
  readonly kind: Kind;
  /** Whether a tool that fits is among the first five. */
  readonly isShown: boolean;
  /** How likely one of them fits, where the system says so. */
  readonly likelihood?: number | undefined;
  /** Whether it was said that probably nothing fits: by saying so, or by showing nothing. */
  readonly isWeak: boolean;
  /** What is shown, without its tail, with the evidence for it where the system gives any. */
  readonly results: readonly JudgedResult[];
}

export interface JudgedResult {
  readonly isRelevant: boolean;
  /** None for a tool that was asked for by its name. */
  readonly evidence?: Readonly<Record<string, number>> | undefined;
}

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

/** The queries of one kind: how many they are, and the shares of them, from 0 to 1; NaN without any. */
interface KindFigures {
  readonly queries: number;
  /** Was told that probably nothing fits. */
  readonly warned: number;
  /** The chance that a query with a fitting tool shown has a higher likelihood than one of these. */
  readonly auc: number;
  /** Has a lower likelihood than all but 5 % of the queries with a fitting tool shown. */
  readonly atFive: number;
}

/**
 * By kind of query: a fitting tool is among the first five (`shown`: a warning is a false alarm), or is not (`missed`);
 * what fits is gone from the catalog (`without`); and queries of other sets (`foreign`).
 */
export type VerdictFigures = Readonly<Record<'shown' | 'missed' | 'without' | 'foreign', KindFigures>>;

/** What one contestant said on one set. */
export interface VerdictEntry extends VerdictFigures {
  readonly set: string;
  readonly contestant: string;
}

const FALSE_ALARMS = 0.05;

export function verdictFigures(judgements: readonly Judgement[]): VerdictFigures {
  const says = judgements.every(({ isWeak, likelihood }) => isWeak || likelihood !== undefined);
  const shown = judgements.filter(({ kind, isShown }) => kind === 'own' && isShown);
  const fitting = likelihoodsOf(shown);
  const least = fitting.toSorted((one, other) => one - other)[Math.floor(FALSE_ALARMS * fitting.length)] ?? Number.NaN;
  const figuresOf = (some: readonly Judgement[]): KindFigures => {
    const likelihoods = likelihoodsOf(some);
    return {
      queries: some.length,
      warned: mean(some.map(({ isWeak }) => Number(isWeak))),
      auc: says ? areaUnderCurve(fitting, likelihoods) : Number.NaN,
      atFive: says ? mean(likelihoods.map((likelihood) => Number(likelihood < least))) : Number.NaN,
    };
  };
  return {
    shown: figuresOf(shown),
    missed: figuresOf(judgements.filter(({ kind, isShown }) => kind === 'own' && !isShown)),
    without: figuresOf(judgements.filter(({ kind }) => kind === 'without')),
    foreign: figuresOf(judgements.filter(({ kind }) => kind === 'foreign')),
  };
}

/** The mean of several sets, which all count the same; those without such queries do not count. */
export function meanVerdicts(all: readonly VerdictFigures[]): VerdictFigures {
  const meanOf = (kind: keyof VerdictFigures): KindFigures => {
    const of = (figure: keyof KindFigures): number =>
      mean(all.map((figures) => figures[kind][figure]).filter((value) => !Number.isNaN(value)));
    const queries = sum(all.map((figures) => figures[kind].queries));
    return { queries, warned: of('warned'), auc: of('auc'), atFive: of('atFive') };
  };
  return {
    shown: meanOf('shown'),
    missed: meanOf('missed'),
    without: meanOf('without'),
    foreign: meanOf('foreign'),
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

const EXPLANATION = `"Nothing fits", said of a query (percent)
  shown: a tool that fits is among the first five, so a warning is a false alarm; missed: none of those that fit is
  removed: what fits is gone from the catalog, with everything like it; foreign: queries of other sets
  AUC: the chance that a shown one is rated higher; at 5 %: recognised with false alarms for 5 % of the shown ones`;

const NOTHING_FITS = ['warned', 'AUC', 'at 5 %'];
const HEADING = ['', 'shown', 'warned', 'missed', 'warned', 'removed', ...NOTHING_FITS, 'foreign', ...NOTHING_FITS];

/** One table for each contestant, with all sets and their mean. */
export function verdictReport(entries: readonly VerdictEntry[]): string {
  const contestants = [...new Set(entries.map(({ contestant }) => contestant))];
  const tables = contestants.map((name) => {
    const own = entries.filter(({ contestant }) => contestant === name);
    const rows = own.map((entry) => [entry.set, ...cells(entry)]);
    const means = own.length > 1 ? [['mean', ...cells(meanVerdicts(own))]] : [];
    return `${name}\n${textTable([HEADING, ...rows, ...means])}`;
  });
  return [EXPLANATION, ...tables].join('\n\n');
}

function cells({ shown, missed, without, foreign }: VerdictFigures): string[] {
  const shownShare = (share: number): string => (Number.isNaN(share) ? '' : percent(share));
  return [
    ...[shown, missed].flatMap(({ queries, warned }) => [`${queries}`, shownShare(warned)]),
    ...[without, foreign].flatMap(({ queries, warned, auc, atFive }) => [
      `${queries}`,
      ...[warned, auc, atFive].map(shownShare),
    ]),
  ];
}
