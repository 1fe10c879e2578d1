import { type IncrementalIndex, nextTurn, stem, type ToolDocument, unlessAborted, words } from '../../kit.ts';
import type { ReadCase } from '../evaluate/cases.ts';
import { searchCase } from '../evaluate/measure.ts';
import { meanOf } from '../evaluate/metrics.ts';
import type { KeywordSettings } from './options.ts';
import type { DropReason } from './validation.ts';

export interface Judgement {
  readonly kept: readonly string[];
  readonly why?: DropReason;
  /** The mean gain of the cases that want the tool; undefined where none wants it, or nothing is kept. */
  readonly gain?: number;
}

/** All judgements, and the mean nDCG@10 of the cases before and after. */
export interface Judged {
  readonly judgements: ReadonlyMap<string, Judgement>;
  readonly ndcg10?: { readonly before: number; readonly after: number };
}

type Keywords = ReadonlyMap<string, readonly string[]>;

interface Outcome {
  /** The nDCG@10; undefined where nothing is relevant. */
  readonly ndcg10: number | undefined;
  /** Whether the verdict that nothing fits is wrong. */
  readonly isWrong: boolean;
  readonly found: readonly string[];
}

/** A catalog with some keywords, and how the cases go there. */
interface Trial {
  readonly documents: ReadonlyMap<string, ToolDocument>;
  readonly index: IncrementalIndex;
  readonly outcomes: readonly Outcome[];
}

/** Results that a model is shown. */
const SHOWN = 5;
/** Sums of gains have their rounding. */
const ROUNDING = 1e-9;
/** Searches between which others have their turn. */
const SLICE = 32;

/**
 * Lets cases decide which keywords stay. The keywords of each tool that cases want are tried beside what is kept so far,
 * those of all other tools together. Where a case loses, the keywords that share a word with its query are dropped, and
 * the rest is tried again; a tool that cases want keeps its keywords only if these cases gain.
 *
 * When the signal ends the work, what is judged by then counts.
 */
export async function judge(
  suggested: Keywords,
  documents: readonly ToolDocument[],
  cases: readonly ReadCase[],
  { scorer, signal, progress }: Pick<KeywordSettings, 'scorer' | 'signal' | 'progress'>,
): Promise<Judged> {
  const all = new Map([...suggested].filter(([, keywords]) => keywords.length > 0));
  const judgements = new Map(
    [...all.keys()].map((name): [string, Judgement] => [name, { kept: [], why: 'not-judged' }]),
  );
  let before: readonly Outcome[] = [];
  let now: Trial | undefined;
  let searches = 0;
  let done = 0;

  const search = async (documents: Trial['documents'], index: IncrementalIndex): Promise<Trial> => {
    // Without explanations: why a case is missed is not asked for.
    const { search, confidence } = index;
    const silent = { search: search.bind(index), ...(confidence && { confidence: confidence.bind(index) }) };
    const outcomes: Outcome[] = [];
    for (const one of cases) {
      if (++searches % SLICE === 0) await nextTurn();
      const { result, isShown } = await searchCase(one, silent, scorer, SHOWN);
      signal?.throwIfAborted();
      const isWrong = one.relevant.length > 0 ? isShown && result.isWeak === true : result.isWeak === false;
      outcomes.push({ ndcg10: result.figures?.ndcg10, isWrong, found: result.found });
    }
    return { documents, index, outcomes };
  };

  /** The catalog with these keywords as well. */
  const tryOut = async (from: Trial, keywords: Keywords): Promise<Trial> => {
    const documents = new Map(from.documents);
    for (const [name, added] of keywords) {
      const document = documents.get(name);
      if (document) documents.set(name, { ...document, keywords: [...document.keywords, ...added] });
    }
    const names = [...keywords.keys()];
    const changed = names.flatMap((name) => documents.get(name) ?? []);
    const updated = await from.index.update?.(changed, names);
    return search(documents, updated ?? (await scorer.index([...documents.values()])));
  };

  /** The keywords of these tools with which no case loses, and the trial of them. */
  const harmless = async (from: Trial, tools: Keywords): Promise<{ kept: Keywords; trial: Trial }> => {
    let kept = tools;
    while (kept.size > 0) {
      const trial = await tryOut(from, kept);
      const lost = cases.flatMap(({ query }, at) =>
        loses(from.outcomes[at], trial.outcomes[at]) ? [{ query, found: trial.outcomes[at]?.found ?? [] }] : [],
      );
      if (lost.length === 0) return { kept, trial };
      kept = withoutHarmful(kept, lost);
    }
    return { kept, trial: from };
  };

  const keep = (name: string, judgement: Judgement): void => {
    judgements.set(name, judgement);
    progress({ stage: 'judging', done: ++done, total: all.size });
  };

  const judgeAll = async (): Promise<void> => {
    now = await search(new Map(documents.map((one) => [one.name, one])), await scorer.index(documents));
    before = now.outcomes;
    const wanted = new Set(cases.flatMap(({ relevant }) => relevant));
    for (const [name, keywords] of all) {
      if (!wanted.has(name)) continue;
      const { outcomes } = now;
      const { kept, trial } = await harmless(now, new Map([[name, keywords]]));
      const gains = cases.flatMap(({ relevant }, at) =>
        relevant.includes(name) ? (trial.outcomes[at]?.ndcg10 ?? 0) - (outcomes[at]?.ndcg10 ?? 0) : [],
      );
      const gain = meanOf(gains);
      const isGain = gain > ROUNDING;
      if (isGain) now = trial;
      if (isGain) keep(name, { kept: kept.get(name) ?? [], why: 'loses-case', gain });
      else keep(name, { kept: [], why: kept.size === 0 ? 'loses-case' : 'no-gain' });
    }
    const others = new Map([...all].filter(([name]) => !wanted.has(name)));
    const { kept, trial } = await harmless(now, others);
    now = trial;
    for (const name of others.keys()) keep(name, { kept: kept.get(name) ?? [], why: 'loses-case' });
  };

  if (!signal?.aborted) await unlessAborted(judgeAll(), signal);
  const figures = (outcomes: readonly Outcome[]): number[] => outcomes.flatMap(({ ndcg10 }) => ndcg10 ?? []);
  const first = figures(before);
  if (first.length === 0) return { judgements };
  return { judgements, ndcg10: { before: meanOf(first), after: meanOf(figures(now?.outcomes ?? [])) } };
}

/** Whether a case loses: relevant tools stand further down, or the verdict that nothing fits gets wrong. */
function loses(before: Outcome | undefined, after: Outcome | undefined): boolean {
  if (!before || !after) return false;
  return (after.ndcg10 ?? 0) < (before.ndcg10 ?? 0) - ROUNDING || (after.isWrong && !before.isWrong);
}

/**
 * Drops the keywords that share a word with a case that loses. Where none does, as for a scorer that ranks by meaning,
 * those of the tools that the case finds; all where that drops none either.
 */
function withoutHarmful(
  keywords: Keywords,
  lost: readonly { readonly query: string; readonly found: readonly string[] }[],
): Keywords {
  const stemsOf = (text: string): readonly string[] => words(text).map(stem);
  const asked = new Set(lost.flatMap(({ query }) => stemsOf(query)));
  const found = new Set(lost.flatMap((one) => one.found));
  const all = [...keywords].flatMap(([name, list]) => list.map((keyword) => ({ name, keyword })));
  const byWords = all.filter(({ keyword }) => !stemsOf(keyword).some((one) => asked.has(one)));
  const byTools = all.filter(({ name }) => !found.has(name));
  const kept = [byWords, byTools].find(({ length }) => length < all.length) ?? [];
  const names = [...new Set(kept.map(({ name }) => name))];
  return new Map(names.map((name) => [name, kept.flatMap((one) => (one.name === name ? [one.keyword] : []))]));
}
