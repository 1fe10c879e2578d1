import type { IncrementalIndex, ToolDocument } from '../../kit.ts';
import { clean, echo } from '../../util/text.ts';
import { nextTurn } from '../../util/time-slices.ts';
import { unlessAborted } from '../../util/timeout.ts';
import { isStopWord, Spellings, splitIdentifier, stem, words } from '../../util/words.ts';
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
  /** The keyword is no text, or has no letter or digit. */
  | 'no-words'
  /** The keyword has markup, an address, or invisible characters. */
  | 'unclean'
  /** The keyword has more than five words, or more than a hundred characters. */
  | 'too-long'
  /** The keyword is the name of another tool. */
  | 'tool-name'
  /** The tool, or an earlier keyword, already has all words of the keyword. */
  | 'known'
  /** Half of the catalog has the words of the keyword, or would get them. */
  | 'common'
  /** The tool already has the maximum number of keywords. */
  | 'surplus'
  /** The cases that want the tool do not gain from its keywords. */
  | 'no-gain'
  /** A case loses because of the keyword. */
  | 'loses-case'
  /** The work was aborted before the keyword's cases were searched. */
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
/** Minimum number of tools that makes a word common, which matters in small catalogs. */
const MIN_COMMON = 3;
/** Matches what no keyword may contain: markup, templates, addresses. */
const MARKUP = /[<>{}[\]`\\|]|:\/\/|www\.|@/;

/** Validates keywords by their text alone, before any search; returns the kept and the dropped keywords of each tool. */
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
    // Counts the stems of the tool and, by now, those that its keywords add.
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
  /** The stems that the keyword adds to the tool. */
  readonly adds: readonly string[];
  readonly why?: DropReason;
}

/**
 * @param id - the index of the tool.
 * @param known - stems of the tool; `readKeyword` adds those of the keyword.
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

/** The stems of a tool's own words, which a keyword need not repeat. Descriptions of parameters weigh too little to count. */
function stemsOf({ name, title, description, keywords, hints = [], parameters }: ToolDocument): Set<string> {
  const texts = [title, description, ...keywords, ...hints, ...parameters.flatMap(({ values }) => values)];
  const identifiers = [name, ...parameters.map((parameter) => parameter.name)];
  return new Set([...identifiers.flatMap(splitIdentifier), ...texts.flatMap(words)].map(stem));
}

export interface Judgement {
  readonly kept: readonly string[];
  readonly why?: DropReason;
  /** The mean gain of the cases that want the tool; undefined if no case wants it, or no keyword is kept. */
  readonly gain?: number;
}

/** All judgements, and the mean nDCG@10 of the cases before and after. */
export interface Judged {
  readonly judgements: ReadonlyMap<string, Judgement>;
  readonly ndcg10?: { readonly before: number; readonly after: number };
}

type Keywords = ReadonlyMap<string, readonly string[]>;

interface Outcome {
  /** The nDCG@10; undefined if no tool is relevant. */
  readonly ndcg10: number | undefined;
  /** Whether the verdict "nothing fits" is wrong. */
  readonly isWrong: boolean;
  readonly found: readonly string[];
}

/** A catalog with some keywords, and the results of the cases in it. */
interface Trial {
  readonly documents: ReadonlyMap<string, ToolDocument>;
  readonly index: IncrementalIndex;
  readonly outcomes: readonly Outcome[];
}

/** Number of results that a model is shown. */
const SHOWN = 5;
/** Tolerance for rounding errors in sums of gains. */
const ROUNDING = 1e-9;
/** Number of searches between two yields to the event loop. */
const SLICE = 32;

/**
 * Lets cases decide which keywords stay. The keywords of each tool that cases want are tried on top of the keywords kept so
 * far; the keywords of all other tools are tried together. If a case loses, the keywords that share a word with its query are
 * dropped, and the rest is tried again. A tool that cases want keeps its keywords only if these cases gain.
 *
 * If the signal aborts, the judgements so far count.
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
    // Without `explain`, because the reason of a miss is not needed here.
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

  /** The keywords with which no case loses, and their trial. */
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

/** Whether a case loses: its relevant tools rank lower, or its verdict becomes wrong. */
function loses(before: Outcome | undefined, after: Outcome | undefined): boolean {
  if (!before || !after) return false;
  return (after.ndcg10 ?? 0) < (before.ndcg10 ?? 0) - ROUNDING || (after.isWrong && !before.isWrong);
}

/**
 * Drops the keywords that share a word with a losing case. If there are none, as with a scorer that ranks by meaning, drops the
 * keywords of the tools that the case finds; if there are none either, drops all.
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
