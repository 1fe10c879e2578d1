import type { InspectSearch } from '../../data.ts';
import type { Ranking } from '../engine/ranking.ts';
import { askServer } from '../shell/ask-server.ts';

/** Milliseconds without a key press after which a scorer of the server is asked. */
const PAUSE = 200;

/** The ranking of a scorer of the server, when nothing was typed for a moment. */
export async function remoteRanking(
  query: string,
  scorer: string,
  topK: number,
  signal: AbortSignal,
): Promise<Ranking> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
  signal.throwIfAborted();
  return rankingOfAnswer(query, scorer, topK, await askServer({ ask: 'search', query, scorer }, signal));
}

function rankingOfAnswer(query: string, scorer: string, topK: number, { matches, isWeak }: InspectSearch): Ranking {
  return {
    ...{ query, scorer, count: matches.length },
    names: matches.map(({ name }) => name),
    tools: matches.map(({ name, score, confidence, explanation }, place) => ({
      ...{ name, score, fate: place < topK ? 'shown' : 'below' },
      ...(confidence === undefined ? {} : { confidence }),
      ...(explanation ? { explanation } : {}),
    })),
    ...(isWeak === undefined ? {} : { isWeak }),
  };
}
