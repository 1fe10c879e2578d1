import { useMemo } from 'preact/hooks';
import type { Ranking } from '../engine/ranking.ts';
import type { ViewProps } from '../shell/view.ts';
import { type Answered, useAnswer } from '../ui/use-answer.ts';
import { latestOnly } from './latest.ts';
import { remoteRanking } from './remote-ranking.ts';

/** The rankings of a query by two scorers. An empty name stands for none. */
export function useRankings(
  { data, engine, edits }: ViewProps,
  query: string,
  scorers: readonly [first: string, second: string],
  depth: number,
): readonly [first: Answered<Ranking>, second: Answered<Ranking>] {
  const isLocal = (scorer: string): boolean =>
    scorer === '' || data.scorers.some(({ name, isLocal: isOfPage }) => name === scorer && isOfPage);
  // Who types is faster than thousands of tools can be ranked.
  const rankLatest = useMemo(() => latestOnly(rankAll), [engine]);
  // Both at once, so that the lists are drawn once.
  const local = useAnswer(
    () => rankLatest(engine, query, scorers.filter(isLocal), depth),
    [query, ...scorers, depth, edits, engine],
  );
  // Edits are not the server's: what it ranks, it ranks without them.
  const remote = scorers.map((scorer) =>
    useAnswer(
      async (signal) => (isLocal(scorer) ? NOTHING : remoteRanking(query, scorer, data.topK, signal)),
      [isLocal(scorer) ? '' : query, scorer],
    ),
  );
  const answered = scorers.map((scorer, place): Answered<Ranking> => {
    if (!isLocal(scorer)) return remote[place] ?? { isPending: true };
    const { value, ...rest } = local;
    const ranking = value?.find((each) => each.scorer === scorer);
    return ranking ? { ...rest, value: ranking } : rest;
  });
  return [answered[0] ?? NONE, answered[1] ?? NONE];
}

const NOTHING: Ranking = { scorer: '', query: '', tools: [], names: [], count: 0 };
const NONE: Answered<Ranking> = { isPending: false };

function rankAll(
  engine: ViewProps['engine'],
  query: string,
  scorers: readonly string[],
  depth: number,
): Promise<readonly Ranking[]> {
  const isEmpty = query.trim() === '';
  return Promise.all(
    scorers.map(async (scorer) =>
      scorer === '' || isEmpty ? { ...NOTHING, scorer, query } : engine.rank(query, scorer, depth),
    ),
  );
}
