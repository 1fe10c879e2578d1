// The tools that the agent resolved for a request (`includeResolvedTools`), which come again with each request.
import { collectGarbage, longestBlock, median, timed } from '../clock.ts';
import { ours } from '../contestants.ts';
import { type Figure, MEASURES } from '../figures.ts';
import { inTurns } from '../in-turns.ts';
import { AgentRequest } from '../request.ts';
import { FIRST_QUERY, forEach, roundsFor, type Subject } from '../subject.ts';
import { mastraTools, unseen } from '../tools.ts';

const OPTIONS = { tools: {}, includeResolvedTools: true };

export async function resolved(subject: Subject): Promise<readonly Figure[]> {
  const rounds = roundsFor(subject);
  const runs = forEach(subject, ({ create }) => async () => {
    const processor = create(OPTIONS);
    const catalog = unseen(subject.tools);
    const tools = mastraTools(catalog);
    const request = new AgentRequest(processor, tools);
    const next = new AgentRequest(processor, { ...tools });
    const fresh = new AgentRequest(processor, mastraTools(catalog));
    collectGarbage();
    const first = await timed(() => request.search(FIRST_QUERY));
    const later: number[] = [];
    for (let step = 0; step < 2 * rounds - 1; step++) later.push(await timed(() => request.step()));
    return {
      [MEASURES.resolvedFirst]: first,
      [MEASURES.resolvedLater]: median(later),
      [MEASURES.resolvedAgain]: await timed(() => next.step()),
      [MEASURES.resolvedFresh]: await timed(() => fresh.search(FIRST_QUERY)),
    };
  });
  return inTurns(runs, { catalog: subject.catalog, rounds });
}

/** Here only: how long the process stands still while the first search of the first request is awaited. */
export function resolvedBlock(subject: Subject): Promise<readonly Figure[]> {
  const run = async () => {
    const request = new AgentRequest(ours.create(OPTIONS), mastraTools(unseen(subject.tools)));
    collectGarbage();
    return { [MEASURES.resolvedBlock]: await longestBlock(() => request.search(FIRST_QUERY)) };
  };
  return inTurns(new Map([['ours', run]]), { catalog: subject.catalog, rounds: roundsFor(subject) });
}
