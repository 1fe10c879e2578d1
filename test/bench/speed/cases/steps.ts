import { timed } from '../clock.ts';
import type { Processor } from '../contestants.ts';
import { type Figure, MEASURES, type Measure } from '../figures.ts';
import { inTurns } from '../in-turns.ts';
import { AgentRequest, load } from '../request.ts';
import { forEach, type Subject } from '../subject.ts';
import { mastraTools } from '../tools.ts';

const ROUNDS = 600;
const SECONDS = 4;
/** A run is a request of so many steps, as a step alone is too short for the clock. */
const STEPS = 5;
const LOADED = 20;
/** A longer name would get an alias here. */
const KEPT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A step with nothing loaded, then one with tools loaded. */
export async function steps(subject: Subject): Promise<readonly Figure[]> {
  const tools = mastraTools(subject.tools);
  const processors = forEach(subject, ({ create }) => create({ tools }));
  const names = subject.tools
    .map(({ id }) => id)
    .filter((id) => KEPT_NAME.test(id))
    .slice(0, LOADED);
  const plain = await measured(MEASURES.step, processors, subject);
  for (const processor of processors.values()) await load(new AgentRequest(processor), names);
  return [...plain, ...(await measured(MEASURES.loadedStep, processors, subject))];
}

function measured(
  measure: Measure,
  processors: ReturnType<typeof forEach<Processor>>,
  { catalog }: Subject,
): Promise<readonly Figure[]> {
  const runs = [...processors].map(([side, processor]) => {
    const run = async () => {
      const request = new AgentRequest(processor);
      const time = await timed(async () => {
        for (let step = 0; step < STEPS; step++) await request.step();
      });
      return { [measure]: time / STEPS };
    };
    return [side, run] as const;
  });
  return inTurns(new Map(runs), { catalog, rounds: ROUNDS, seconds: SECONDS });
}
