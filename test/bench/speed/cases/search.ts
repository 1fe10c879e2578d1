import { collectGarbage, percentile, timed } from '../clock.ts';
import { type Figure, MEASURES, type Measure } from '../figures.ts';
import { longQueries } from '../queries.ts';
import { AgentRequest, search } from '../request.ts';
import { FIRST_QUERY, forEach, type Subject } from '../subject.ts';
import { mastraTools } from '../tools.ts';

const ROUNDS = 3;
/** Long queries, and the characters of each. */
const LONG = { count: 31, length: 2_000 };

/** Each query of the run by `search_tools`, in a request of its own: the first time it is asked, and again. Then long ones. */
export async function searches(subject: Subject): Promise<readonly Figure[]> {
  const { catalog, queries } = subject;
  const tools = mastraTools(subject.tools);
  const processors = forEach(subject, ({ create }) => create({ tools }));
  for (const processor of processors.values()) await new AgentRequest(processor).search(FIRST_QUERY);
  collectGarbage();

  const times = forEach(subject, () => Array.from({ length: ROUNDS + 1 }, (): number[] => []));
  const rounds = [...Array.from({ length: ROUNDS }, () => queries), longQueries(queries, LONG.count, LONG.length)];
  for (const [round, asked] of rounds.entries()) {
    for (const [position, query] of asked.entries()) {
      const order = position % 2 === 0 ? [...processors] : [...processors].reverse();
      for (const [side, processor] of order) {
        const stepTools = await new AgentRequest(processor).step();
        times.get(side)?.[round]?.push(await timed(() => search(stepTools, query)));
      }
    }
  }

  const figure = (measure: Measure, rounds: readonly number[], share: number): Figure => {
    const sides = [...times].map(([side, all]) => {
      const chosen = all.filter((_, round) => rounds.includes(round)).flat();
      return [side, percentile(chosen, share)];
    });
    return { measure, catalog, ...Object.fromEntries(sides) } as Figure;
  };
  return [
    figure(MEASURES.searchFirst50, [0], 0.5),
    figure(MEASURES.searchFirst99, [0], 0.99),
    figure(MEASURES.searchRepeated50, [1, 2], 0.5),
    figure(MEASURES.searchRepeated99, [1, 2], 0.99),
    figure(MEASURES.searchLong50, [ROUNDS], 0.5),
    figure(MEASURES.searchAll50, [0, 1, 2], 0.5),
    figure(MEASURES.searchAll99, [0, 1, 2], 0.99),
  ];
}
