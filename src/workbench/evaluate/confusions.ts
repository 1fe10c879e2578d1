import type { ToolIndex, ToolQuery, WordExplanation } from '../../kit.ts';

/**
 * A tool that came first where another was wanted.
 *
 * @example
 * ```ts
 * const say = ({ wanted, instead, words }: Confusion) => `${instead} for ${wanted}, by ${words.join(', ')}`;
 * ```
 */
export interface Confusion {
  /** The relevant tool that ranked highest, or the first one where none matched. */
  readonly wanted: string;
  /** The tool that came first; left out where nothing matched. */
  readonly instead?: string;
  /** Count of the cases. */
  readonly count: number;
  /** The words of the queries that spoke most for the tool that came first, the most frequent first; none where the scorer explains nothing. */
  readonly words: readonly string[];
}

/** A case in which another tool came first. */
export interface Miss {
  readonly wanted: string;
  readonly instead?: string;
  readonly word?: string;
}

/** What came first in place of the relevant tools, and the word that did it. */
export async function missOf(
  query: ToolQuery,
  ranked: readonly string[],
  relevant: readonly string[],
  index: ToolIndex,
): Promise<Miss> {
  const [instead] = ranked;
  const wanted = ranked.find((name) => relevant.includes(name)) ?? relevant[0] ?? '';
  if (instead === undefined) return { wanted };
  const [won, lost] = await Promise.all([index.explain?.(query, instead), index.explain?.(query, wanted)]);
  const word = won && strongest(won.words, lost?.words ?? []);
  return { wanted, instead, ...(word === undefined ? {} : { word }) };
}

/** The word that adds most to one tool beyond what it adds to the other; undefined where no word does. */
function strongest(won: readonly WordExplanation[], lost: readonly WordExplanation[]): string | undefined {
  const scoreOf = new Map(lost.map(({ word, score }) => [word, score]));
  let most = 0;
  let strongestWord: string | undefined;
  for (const { word, score } of won) {
    const lead = score - (scoreOf.get(word) ?? 0);
    if (lead > most) [most, strongestWord] = [lead, word];
  }
  return strongestWord;
}

/** Counts the misses of each pair of tools, the most frequent pair first, then by the alphabet. */
export function confusionsOf(misses: readonly Miss[]): readonly Confusion[] {
  const byPair = new Map<string, { miss: Miss; count: number; words: Map<string, number> }>();
  for (const miss of misses) {
    const key = JSON.stringify([miss.wanted, miss.instead]);
    const known = byPair.get(key) ?? { miss, count: 0, words: new Map<string, number>() };
    byPair.set(key, known);
    known.count++;
    if (miss.word !== undefined) known.words.set(miss.word, (known.words.get(miss.word) ?? 0) + 1);
  }
  return [...byPair]
    .sort(([key, one], [otherKey, other]) => other.count - one.count || (key < otherKey ? -1 : 1))
    .map(([, { miss, count, words }]) => ({
      wanted: miss.wanted,
      ...(miss.instead === undefined ? {} : { instead: miss.instead }),
      ...{ count, words: mostFrequent(words) },
    }));
}

function mostFrequent(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].sort(([, one], [, other]) => other - one).map(([word]) => word);
}
