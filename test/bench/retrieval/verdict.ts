// How often it is said that nothing fits, where that is true and where it is not.
import { percent, type Section } from '../report.ts';
import { grouped, mean, sum } from '../statistics.ts';
import { type Contestant, type Evidence, SHOWN } from './measure.ts';
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
  /** What is shown, without its tail; no evidence for a tool that was asked for by its name. */
  readonly results: readonly { readonly isRelevant: boolean; readonly evidence: Evidence | undefined }[];
  /** What speaks for any of them. */
  readonly together?: Evidence | undefined;
}

/** Puts all trials of a set to a contestant. */
export async function judge(contestant: Contestant, { trials }: SetTrials): Promise<readonly Judgement[]> {
  const judgements: Judgement[] = [];
  for (const { kind, tools, queries } of trials) {
    const search = await contestant.build(tools);
    for (const { query, relevant } of queries) {
      const { found, likelihood, isWeak = false, rated = [], together } = await search(query);
      const fits = ({ name }: { readonly name: string }): boolean => kind === 'own' && relevant.includes(name);
      const isEmpty = found.length === 0;
      judgements.push({
        kind,
        isShown: found.slice(0, SHOWN).some(fits),
        likelihood: isEmpty ? 0 : likelihood,
        isWeak: isEmpty || isWeak,
        results: rated.map((result) => ({ isRelevant: fits(result), evidence: result.evidence })),
        together,
      });
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
 * what fits is gone from the catalog (`without`); queries of other sets (`foreign`); what nothing serves (`unserved`), though something is near (`near`).
 */
export type VerdictFigures = Readonly<Record<(typeof KINDS)[number], KindFigures>>;
const KINDS = ['shown', 'missed', 'without', 'foreign', 'unserved', 'near'] as const;

/** What one contestant said on one set. */
export interface VerdictEntry extends VerdictFigures {
  readonly set: string;
  readonly contestant: string;
}

const FALSE_ALARMS = 0.05;

export function verdictFigures(judgements: readonly Judgement[]): VerdictFigures {
  const says = judgements.every(({ isWeak, likelihood }) => isWeak || likelihood !== undefined);
  const likelihoodsOf = (some: readonly Judgement[]): number[] => some.map(({ likelihood = 1 }) => likelihood);
  const kindOf = ({ kind, isShown }: Judgement) => (kind === 'own' ? (isShown ? 'shown' : 'missed') : kind);
  const byKind = grouped(judgements, kindOf);
  const fitting = likelihoodsOf(byKind.get('shown') ?? []);
  const least = fitting.toSorted((one, other) => one - other)[Math.floor(FALSE_ALARMS * fitting.length)] ?? Number.NaN;
  return perKind((kind) => {
    const some = byKind.get(kind) ?? [];
    const likelihoods = likelihoodsOf(some);
    return {
      queries: some.length,
      warned: mean(some.map(({ isWeak }) => Number(isWeak))),
      auc: says ? areaUnderCurve(fitting, likelihoods) : Number.NaN,
      atFive: says ? mean(likelihoods.map((likelihood) => Number(likelihood < least))) : Number.NaN,
    };
  });
}

/** The mean of several sets, which all count the same; those without such queries do not count. */
export function meanVerdicts(all: readonly VerdictFigures[]): VerdictFigures {
  return perKind((kind) => {
    const of = (figure: keyof KindFigures): number =>
      mean(all.map((figures) => figures[kind][figure]).filter((value) => !Number.isNaN(value)));
    const queries = sum(all.map((figures) => figures[kind].queries));
    return { queries, warned: of('warned'), auc: of('auc'), atFive: of('atFive') };
  });
}

function perKind(figures: (kind: (typeof KINDS)[number]) => KindFigures): VerdictFigures {
  return Object.fromEntries(KINDS.map((kind) => [kind, figures(kind)])) as unknown as VerdictFigures;
}

/** The chance that one of the first list is higher than one of the second; equal ones count half. */
export function areaUnderCurve(higher: readonly number[], lower: readonly number[]): number {
  let wins = 0;
  for (const one of higher) for (const other of lower) wins += one > other ? 1 : one === other ? 0.5 : 0;
  return wins / (higher.length * lower.length);
}

const EXPLANATION = `"Nothing fits", said of a query (percent)
  shown: a tool that fits is among the first five, so a warning is a false alarm; missed: none of those that fit is
  removed: what fits is gone from the catalog, with everything like it; foreign: queries of other sets
  unserved: requests of people that nothing in the catalog serves; near: such ones of which something in it is near
  AUC: the chance that a shown one is rated higher; at 5 %: recognised with false alarms for 5 % of the shown ones`;

const NOTHING_FITS = ['warned', 'AUC', 'at 5 %'];
const HEADING = [
  ...['', 'shown', 'warned', 'missed', 'warned'],
  ...['removed', 'foreign', 'unserved', 'near'].flatMap((kind) => [kind, ...NOTHING_FITS]),
];

/** One table for each contestant, with all sets and their mean. */
export function verdictTables(entries: readonly VerdictEntry[]): readonly Section[] {
  const cells = ({ shown, missed, without, foreign, unserved, near }: VerdictFigures): string[] => [
    ...[shown, missed].flatMap(({ queries, warned }) => [`${queries}`, percent(warned)]),
    ...[without, foreign, unserved, near].flatMap(({ queries, ...shares }) => {
      return [`${queries}`, ...[shares.warned, shares.auc, shares.atFive].map(percent)];
    }),
  ];
  return [...grouped(entries, ({ contestant }) => contestant)].map(([name, own], at) => {
    const means = own.length > 1 ? [['mean', ...cells(meanVerdicts(own))]] : [];
    const rows = [HEADING, ...own.map((entry) => [entry.set, ...cells(entry)]), ...means];
    return { title: at === 0 ? `${EXPLANATION}\n\n${name}` : name, rows };
  });
}
