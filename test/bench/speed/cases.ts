// What is measured of a catalog: of core and of ours in turns, so that both meet the same machine.
import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  AgentRequest,
  type ListedTool,
  mastraTools,
  type Processor,
  type StepTools,
  search,
} from '../agent-request.ts';
import { create, type Side } from '../processors.ts';
import { collectGarbage, inTurns, median, timed } from '../statistics.ts';
import { FIRST_QUERY, longQueries } from './catalogs.ts';
import type { HeapOrder } from './heap-child.ts';

/** A catalog of one size, who is measured on it, and with what. */
export interface Subject {
  /** How figures name it: the number of tools, or `plain`. */
  readonly catalog: string;
  readonly tools: readonly ListedTool[];
  readonly sides: readonly Side[];
  readonly queries: readonly string[];
  /** Where the plain catalog is from. */
  readonly source: string;
}

/** One thing that was measured, in the unit that `measure` ends with. What was not run is absent. */
export interface Figure extends Partial<Readonly<Record<Side, number>>> {
  readonly measure: string;
  readonly catalog: string;
}

export type Case = (subject: Subject) => Promise<readonly Figure[]>;

export const MEASURES = {
  build: 'build: constructor and first search, ms',
  block: 'longest block while the first search is awaited, ms',
  step: 'step, nothing loaded, ms',
  loadedStep: 'step, 20 tools loaded, ms',
  later: "request's own tools: later step, ms",
  fresh: "request's own tools: first step and search of the next request, new objects, ms",
  search: 'search, first time: p50, ms',
  longSearch: 'search of 2,000 characters, first time: p50, ms',
  denied: 'async filter: search, all denied, ms',
  injected: 'async filter: step with injectCatalog, all allowed, ms',
  heap: 'heap beyond the tools, KB a tool',
} as const;

/** What one run measured. */
type Times = Partial<Record<keyof typeof MEASURES, number>>;

/**
 * Runs the sides in turns, for so many rounds, and after so many seconds no more than three. The figures are the median
 * of each measure, without the first tenth of runs.
 */
async function figuresOf(
  { catalog, sides }: Subject,
  prepare: (side: Side) => () => Promise<Times>,
  { rounds, seconds = Number.POSITIVE_INFINITY }: { readonly rounds: number; readonly seconds?: number },
): Promise<readonly Figure[]> {
  const runs = new Map(sides.map((side) => [side, prepare(side)]));
  const taken: [measure: string, side: Side, time: number][] = [];
  const end = performance.now() + seconds * 1_000;
  for (let round = 0; round < rounds && (round < 3 || performance.now() < end); round++) {
    await inTurns(runs, round, (side, times) => {
      for (const [measure, time] of Object.entries(times)) taken.push([measure, side, time]);
    });
  }
  const middle = (measure: string, side: Side): number => {
    const all = taken.filter((one) => one[0] === measure && one[1] === side).map(([, , time]) => time);
    return median(all.slice(Math.floor(all.length / 10)));
  };
  return [...new Set(taken.map(([measure]) => measure))].map((measure) => ({
    ...{ measure: MEASURES[measure as keyof typeof MEASURES], catalog },
    ...Object.fromEntries(sides.map((side) => [side, middle(measure, side)])),
  }));
}

/** Rounds of what takes a second and more at the larger sizes. */
function roundsFor({ tools }: Subject): number {
  return tools.length <= 1_000 ? 7 : tools.length <= 50_000 ? 3 : 1;
}

let editions = 0;

/** The tools with one that no other run has: processors share the indexes of equal tools. */
function unseen([first, ...others]: readonly ListedTool[]): readonly ListedTool[] {
  return first ? [{ ...first, description: `${first.description} Edition ${editions++}.` }, ...others] : [];
}

/** The constructor and the first search, over tools that nobody has seen before. */
export const build: Case = (subject) =>
  figuresOf(
    subject,
    (side) => async () => {
      const tools = mastraTools(unseen(subject.tools));
      collectGarbage();
      return { build: await timed(() => new AgentRequest(create[side]({ tools })).search(FIRST_QUERY)) };
    },
    { rounds: roundsFor(subject) },
  );

/** Of ours only: how long the process stands still while the first search is awaited. */
export const block: Case = (subject) =>
  figuresOf(
    { ...subject, sides: ['ours'] },
    () => async () => {
      const tools = mastraTools(unseen(subject.tools));
      collectGarbage();
      const request = new AgentRequest(create.ours({ tools }));
      return { block: await longestBlock(() => request.search(FIRST_QUERY)) };
    },
    { rounds: roundsFor(subject) },
  );

/** The longest time in which nothing else could run while `work` was awaited. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = performance.now();
  const note = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const turn = (): void => {
    note();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  note();
  isOver = true;
  return longest;
}

/** A run is a request of so many steps, as a step alone is too short for the clock. */
const STEPS = 5;
/** A longer name would get an alias here. */
const KEPT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A step with nothing loaded, then one with 20 tools loaded. */
export const steps: Case = async (subject) => {
  const tools = mastraTools(subject.tools);
  const processors = new Map(subject.sides.map((side) => [side, create[side]({ tools })]));
  const measured = (measure: 'step' | 'loadedStep'): Promise<readonly Figure[]> =>
    figuresOf(
      subject,
      (side) => async () => {
        const request = new AgentRequest(processors.get(side)!);
        const time = await timed(async () => {
          for (let step = 0; step < STEPS; step++) await request.step();
        });
        return { [measure]: time / STEPS };
      },
      { rounds: 600, seconds: 4 },
    );
  const plain = await measured('step');
  const names = subject.tools.map(({ id }) => id).filter((id) => KEPT_NAME.test(id));
  for (const processor of processors.values()) await load(processor, names.slice(0, 20));
  return [...plain, ...(await measured('loadedStep'))];
};

/** Loads tools and makes sure that the next step has them. */
async function load(processor: Processor, names: readonly string[]): Promise<void> {
  const request = new AgentRequest(processor);
  const { load_tool: loadTool } = await request.step();
  await loadTool?.execute?.({ toolNames: names }, {} as never);
  const next = await request.step();
  const missing = names.filter((name) => !Object.hasOwn(next, name));
  if (missing.length > 0) throw new Error(`Not loaded: ${missing.join(', ')}.`);
}

/** The tools that the agent resolved for a request (`includeResolvedTools`), which come again with each request. */
export const resolved: Case = (subject) => {
  const rounds = roundsFor(subject);
  return figuresOf(
    subject,
    (side) => async () => {
      const processor = create[side]({ tools: {}, includeResolvedTools: true });
      const catalog = unseen(subject.tools);
      const request = new AgentRequest(processor, { tools: mastraTools(catalog) });
      const next = new AgentRequest(processor, { tools: mastraTools(catalog) });
      collectGarbage();
      await request.search(FIRST_QUERY);
      const later: number[] = [];
      for (let step = 0; step < 2 * rounds - 1; step++) later.push(await timed(() => request.step()));
      return { later: median(later), fresh: await timed(() => next.search(FIRST_QUERY)) };
    },
    { rounds },
  );
};

/** Each query in a request of its own, and then long ones, of 2,000 characters: the first time that it is asked. */
export const searches: Case = async ({ catalog, sides, queries, tools: listed }) => {
  const tools = mastraTools(listed);
  const processors = new Map(sides.map((side) => [side, create[side]({ tools })]));
  for (const processor of processors.values()) await new AgentRequest(processor).search(FIRST_QUERY);
  collectGarbage();
  const figureOf = async (measure: string, asked: readonly string[]): Promise<Figure> => {
    const times: Record<Side, number[]> = { core: [], ours: [] };
    for (const [position, query] of asked.entries()) {
      const run = async (processor: Processor): Promise<number> => {
        const stepTools = await new AgentRequest(processor).step();
        return timed(() => search(stepTools, query));
      };
      const runs = new Map([...processors].map(([side, processor]) => [side, () => run(processor)]));
      await inTurns(runs, position, (side, time) => times[side].push(time));
    }
    return { measure, catalog, ...Object.fromEntries(sides.map((side) => [side, median(times[side])])) };
  };
  return [
    await figureOf(MEASURES.search, queries),
    await figureOf(MEASURES.longSearch, longQueries(queries, 31, 2_000)),
  ];
};

/**
 * In the description of all tools, and only here, so that one query matches them all: in a sentence that no other
 * tool has, as a repeated one is not searched here.
 */
export const COMMON_WORD = 'multipurpose';
const FILTER_MS = 2;

/**
 * A filter that takes its time, as one does that asks a service. core asks it for one tool after the other, for half a
 * minute at 10,000 tools, so each is measured once.
 */
export const filters: Case = (subject) => {
  const tools = mastraTools(
    subject.tools.map((tool) => ({ ...tool, description: `The ${COMMON_WORD} ${tool.id}. ${tool.description}` })),
  );
  const slow = async (answer: boolean): Promise<boolean> => setTimeout(FILTER_MS, answer);
  return figuresOf(
    subject,
    (side) => async () => {
      let filter = (): boolean | Promise<boolean> => true;
      const processor = create[side]({ tools, filter: () => filter() });
      // The index is there before the filter gets slow.
      await new AgentRequest(processor).search(FIRST_QUERY);
      const stepTools = await new AgentRequest(processor).step();
      filter = () => slow(false);
      const denied = await timed(() => findNothing(stepTools));
      const injecting = create[side]({ tools, injectCatalog: true, filter: () => slow(true) });
      return { denied, injected: await timed(() => new AgentRequest(injecting).step()) };
    },
    { rounds: 1 },
  );
};

async function findNothing(tools: StepTools): Promise<void> {
  const found = await search(tools, COMMON_WORD);
  if (found.length > 0) throw new Error(`${found.length} tools were found where all are denied.`);
}

const HEAP_CHILD = fileURLToPath(new URL('heap-child.ts', import.meta.url));

export const heap: Case = async ({ catalog, sides, tools, source }) => {
  const figure: Partial<Record<Side, number>> = {};
  for (const side of sides) {
    const order: HeapOrder = { side, size: tools.length, catalog: source };
    const child = await promisify(execFile)(process.execPath, ['--expose-gc', HEAP_CHILD, JSON.stringify(order)]);
    figure[side] = Number(child.stdout);
  }
  return [{ measure: MEASURES.heap, catalog, ...figure }];
};
