import type { InspectProblem, InspectQuestion, InspectQuestions, InspectSearch } from '../../data.ts';
import type { Ranking } from '../engine/ranking.ts';

/** Asks the server of the page. */
export async function askServer<Name extends keyof InspectQuestions>(
  question: InspectQuestion & { readonly ask: Name },
  signal?: AbortSignal,
): Promise<InspectQuestions[Name]['answer']> {
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
    ...(signal ? { signal } : {}),
  });
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer as InspectQuestions[Name]['answer'];
  throw new Error((answer as InspectProblem).error ?? `The server answered ${response.status}.`);
}

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
