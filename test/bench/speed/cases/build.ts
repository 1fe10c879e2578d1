import { collectGarbage, longestBlock, timed } from '../clock.ts';
import { ours } from '../contestants.ts';
import { type Figure, MEASURES } from '../figures.ts';
import { inTurns } from '../in-turns.ts';
import { AgentRequest } from '../request.ts';
import { FIRST_QUERY, forEach, roundsFor, type Subject } from '../subject.ts';
import { mastraTools, unseen } from '../tools.ts';

/** The constructor and the first search, over tools that nobody has seen before. */
export function build(subject: Subject): Promise<readonly Figure[]> {
  const runs = forEach(subject, ({ create }) => async () => {
    const tools = mastraTools(unseen(subject.tools));
    collectGarbage();
    return { [MEASURES.build]: await timed(() => new AgentRequest(create({ tools })).search(FIRST_QUERY)) };
  });
  return inTurns(runs, { catalog: subject.catalog, rounds: roundsFor(subject) });
}

/** Here only: how long the process stands still while the first search is awaited. */
export function block(subject: Subject): Promise<readonly Figure[]> {
  const run = async () => {
    const tools = mastraTools(unseen(subject.tools));
    collectGarbage();
    const request = new AgentRequest(ours.create({ tools }));
    return { [MEASURES.block]: await longestBlock(() => request.search(FIRST_QUERY)) };
  };
  return inTurns(new Map([['ours', run]]), { catalog: subject.catalog, rounds: roundsFor(subject) });
}
