import {
  clean,
  echo,
  type IncrementalIndex,
  isStopWord,
  nextTurn,
  Spellings,
  splitIdentifier,
  stem,
  type ToolDocument,
  unlessAborted,
  words,
} from '../../kit.ts';
import type { ReadCase } from '../evaluate/cases.ts';
import { searchCase } from '../evaluate/measure.ts';
import { meanOf } from '../evaluate/metrics.ts';
import type { KeywordSettings } from './options.ts';

/**
 * The reason why a keyword is not kept.
 *
 * @example
 * ```ts
 * const isOfCases = (why: DropReason) => why === 'no-gain' || why === 'loses-case';
 * ```
 */
export type DropReason =
  /** It is no text, or has no letter or digit. */
  | 'no-words'
  /** It has markup, an address, or characters that are not seen. */
  | 'unclean'
  /** It has more than five words, or a hundred characters. */
  | 'too-long'
  /** It is the name of another tool. */
  | 'tool-name'
  /** The tool, or an earlier keyword, has its words already. */
  | 'known'
  /** Half of the catalog has, or would get, its words. */
  | 'common'
  /** The tool has as many keywords as it may. */
  | 'surplus'
  /** The cases that want the tool do not gain. */
  | 'no-gain'
  /** A case loses by it. */
  | 'loses-case'
  /** The work was ended before its cases were asked. */
  | 'not-judged';

/**
 * A keyword that is not kept.
 *
 * @example
 * ```ts
 * const say = ({ keyword, why }: DroppedKeyword) => `${keyword} (${why})`;
 * ```
 */
export interface DroppedKeyword {
  /** The keyword as it was written, cut at 64 characters. */
  readonly keyword: string;
  readonly why: DropReason;
}

const MAX_WORDS = 5;
const MAX_CHARACTERS = 100;
const MAX_READ = 100;
const MAX_KEYWORDS = 50;
/** Tools that make a word common, in the smallest catalogs. */
const MIN_COMMON = 3;
/** What no word has: markup, templates, addresses. */
const MARKUP = /[<>{}[\]`\\|]|:\/\/|www\.|@/;

/** What stays of the keywords of each tool by what stands in them alone, and what goes. */
export function validate(
  written: ReadonlyMap<string, readonly unknown[]>,
  documents: readonly ToolDocument[],
  most: number,
): ReadonlyMap<string, { readonly keywords: readonly string[]; readonly dropped: readonly DroppedKeyword[] }> {
  const names = new Spellings(documents.map(({ name }) => name));
  const counts = new Map<string, number>();
  const read = documents.map((document, id) => {
    const known = stemsOf(document);
    const keywords = (written.get(document.name) ?? [])
      .slice(0, MAX_READ)
      .map((one) => readKeyword(one, id, names, known));
    // What the tool has, and by now what its keywords add.
    for (const one of known) counts.set(one, (counts.get(one) ?? 0) + 1);
    return { document, keywords };
  });
  const isCommon = (one: string): boolean => {
    const count = counts.get(one) ?? 0;
    return count >= MIN_COMMON && count * 2 >= documents.length;
  };
  return new Map(
    read.map(({ document, keywords }) => {
      const room = Math.max(0, Math.min(most, MAX_KEYWORDS - document.keywords.length));
      const kept: string[] = [];
      const dropped: DroppedKeyword[] = [];
      for (const { asWritten, text, adds, why } of keywords) {
        const reason = why ?? (adds.every(isCommon) ? 'common' : kept.length >= room ? 'surplus' : undefined);
        if (reason) dropped.push({ keyword: asWritten, why: reason });
        else kept.push(text);
      }
      return [document.name, { keywords: kept, dropped }];
    }),
  );
}

interface ReadKeyword {
  readonly asWritten: string;
  readonly text: string;
  /** The stems that the tool does not have. */
  readonly adds: readonly string[];
  readonly why?: DropReason;
}

/**
 * @param id - the number of the tool.
 * @param known - stems that the tool has; those of the keyword are added.
 */
function readKeyword(written: unknown, id: number, names: Spellings, known: Set<string>): ReadKeyword {
  const asWritten = echo(typeof written === 'string' ? written : String(typeof written));
  const not = (why: DropReason): ReadKeyword => ({ asWritten, text: '', adds: [], why });
  if (typeof written !== 'string') return not('no-words');
  if (written.length > MAX_CHARACTERS) return not('too-long');
  if (MARKUP.test(written) || clean(written, MAX_CHARACTERS) !== written.trim()) return not('unclean');
  const list = words(written);
  const content = list.filter((word) => !isStopWord(word));
  if (content.length === 0) return not('no-words');
  if (list.length > MAX_WORDS) return not('too-long');
  if (names.of(list).some((other) => other !== id)) return not('tool-name');
  const adds = [...new Set(content.map(stem))].filter((one) => !known.has(one));
  if (adds.length === 0) return not('known');
  for (const one of adds) known.add(one);
  return { asWritten, text: list.join(' '), adds };
}

/** The stems of a tool's own words: what a keyword can add nothing to. Descriptions of parameters weigh too little for it. */
function stemsOf({ name, title, description, keywords, hints = [], parameters }: ToolDocument): Set<string> {
  const texts = [title, description, ...keywords, ...hints, ...parameters.flatMap(({ values }) => values)];
  const identifiers = [name, ...parameters.map((parameter) => parameter.name)];
  return new Set([...identifiers.flatMap(splitIdentifier), ...texts.flatMap(words)].map(stem));
}

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
  const judgements = new Map<string, Judgement>();
  for (const name of all.keys()) judgements.set(name, { kept: [], why: 'not-judged' });
  const keep = (name: string, judgement: Judgement): void => {
    judgements.set(name, judgement);
    progress({ stage: 'judging', done: ++done, total: all.size });
  };
  let before: Trial | undefined;
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

  /** The keywords of these tools with which no case loses, and the trial of them. */
  const harmless = async (from: Trial, tools: Keywords): Promise<{ kept: Keywords; trial: Trial }> => {
    let kept = tools;
    while (kept.size > 0) {
      const documents = new Map(from.documents);
      for (const [name, added] of kept) {
        const document = documents.get(name);
        if (document) documents.set(name, { ...document, keywords: [...document.keywords, ...added] });
      }
      const names = [...kept.keys()];
      const changed = names.flatMap((name) => documents.get(name) ?? []);
      const updated = await from.index.update?.(changed, names);
      const trial = await search(documents, updated ?? (await scorer.index([...documents.values()])));
      const lost = cases.flatMap(({ query }, at) => {
        const after = trial.outcomes[at];
        return loses(from.outcomes[at], after) ? [{ query, found: after?.found ?? [] }] : [];
      });
      if (lost.length === 0) return { kept, trial };
      kept = withoutHarmful(kept, lost);
    }
    return { kept, trial: from };
  };

  const judgeAll = async (): Promise<void> => {
    before = await search(new Map(documents.map((one) => [one.name, one])), await scorer.index(documents));
    now = before;
    const wanted = new Set(cases.flatMap(({ relevant }) => relevant));
    const others = new Map(all);
    for (const [name, keywords] of all) {
      if (!wanted.has(name)) continue;
      others.delete(name);
      const { outcomes }: Trial = now;
      const { kept, trial } = await harmless(now, new Map([[name, keywords]]));
      const gain = meanOf(
        cases.flatMap(({ relevant }, at) =>
          relevant.includes(name) ? (trial.outcomes[at]?.ndcg10 ?? 0) - (outcomes[at]?.ndcg10 ?? 0) : [],
        ),
      );
      if (gain > ROUNDING) {
        now = trial;
        keep(name, { kept: kept.get(name) ?? [], why: 'loses-case', gain });
      } else keep(name, { kept: [], why: kept.size === 0 ? 'loses-case' : 'no-gain' });
    }
    const { kept, trial } = await harmless(now, others);
    now = trial;
    for (const name of others.keys()) keep(name, { kept: kept.get(name) ?? [], why: 'loses-case' });
  };

  if (!signal?.aborted) await unlessAborted(judgeAll(), signal);
  const figures = (trial: Trial | undefined): number[] => trial?.outcomes.flatMap(({ ndcg10 }) => ndcg10 ?? []) ?? [];
  const first = figures(before);
  if (first.length === 0) return { judgements };
  return { judgements, ndcg10: { before: meanOf(first), after: meanOf(figures(now)) } };
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
