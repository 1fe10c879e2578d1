// A filter that takes its time, as one does that asks a service. core asks it for one tool after the other, for half a
// minute at 10,000 tools, so each is measured once.
import { setTimeout } from 'node:timers/promises';
import { timed } from '../clock.ts';
import { type Figure, MEASURES } from '../figures.ts';
import { inTurns } from '../in-turns.ts';
import { AgentRequest, type StepTools, search } from '../request.ts';
import { FIRST_QUERY, forEach, type Subject } from '../subject.ts';
import { mastraTools } from '../tools.ts';

/**
 * In the description of all tools here, and only here, so that one query matches them all: in a sentence that no other
 * tool has, as a repeated one is not searched here.
 */
export const COMMON_WORD = 'multipurpose';
const FILTER_MS = 2;

export async function filters(subject: Subject): Promise<readonly Figure[]> {
  const tools = mastraTools(
    subject.tools.map((tool) => ({ ...tool, description: `The ${COMMON_WORD} ${tool.id}. ${tool.description}` })),
  );
  const runs = forEach(subject, ({ create }) => async () => {
    let asked = 0;
    let filter = (): boolean | Promise<boolean> => true;
    const slow = async (answer: boolean): Promise<boolean> => {
      asked += 1;
      await setTimeout(FILTER_MS);
      return answer;
    };
    const processor = create({ tools, filter: () => filter() });
    // The index is there before the filter gets slow.
    await new AgentRequest(processor).search(FIRST_QUERY);
    // A request each, as its answers may be remembered over its steps.
    const first = await new AgentRequest(processor).step();
    const second = await new AgentRequest(processor).step();

    filter = () => slow(true);
    const allowed = await timed(() => find(first, true));
    asked = 0;
    filter = () => slow(false);
    const denied = await timed(() => find(second, false));
    const deniedCalls = asked;

    const injecting = create({ tools, injectCatalog: true, filter: () => slow(true) });
    const request = new AgentRequest(injecting);
    asked = 0;
    const injected = await timed(() => request.step());
    return {
      [MEASURES.allowed]: allowed,
      [MEASURES.denied]: denied,
      [MEASURES.deniedCalls]: deniedCalls,
      [MEASURES.injected]: injected,
      [MEASURES.injectedCalls]: asked,
    };
  });
  return inTurns(runs, { catalog: subject.catalog, rounds: 1 });
}

/** Searches for what all tools have, and makes sure of the answer. */
async function find(tools: StepTools, isAllowed: boolean): Promise<void> {
  const found = await search(tools, COMMON_WORD);
  if (found > 0 !== isAllowed)
    throw new Error(`${found} tools were found where all are ${isAllowed ? 'allowed' : 'denied'}.`);
}
