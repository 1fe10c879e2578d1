// What is measured of a catalog: of core and of ours in turns, so that both meet the same machine.
import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AgentRequest, type ListedTool, mastraTools, type Processor, search } from '../agent-request.ts';
import { create, type Side } from '../processors.ts';
import { collectGarbage, inTurns, median, timed } from '../statistics.ts';
import { FIRST_QUERY, longQueries } from './catalogs.ts';

/** A catalog of one size, who is measured on it, and with what. */
export interface Subject {
  /** How figures name it: the number of tools, or `plain`. */
  readonly catalog: string;
  readonly tools: readonly ListedTool[];
  readonly sides: readonly Side[];
  readonly queries: readonly string[];
  /** Where the plain catalog is from. */
  readonly folder: string | undefined;
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

/** The median of each measure over the rounds, without the first tenth. */
async function figuresOf(
  { catalog, sides }: Subject,
  runOf: (side: Side) => (round: number) => Promise<Times>,
  rounds: { readonly rounds: number; readonly seconds?: number },
): Promise<readonly Figure[]> {
  const taken = await inTurns(sides.map(runOf), rounds);
  return (Object.keys(MEASURES) as (keyof Times)[]).flatMap((name) => {
    if (taken[0]?.[0]?.[name] === undefined) return [];
    const middles = sides.map((side, at) => {
      const times = taken[at]!.map((one) => one[name]!);
      return [side, median(times.slice(Math.floor(times.length / 10)))];
    });
    return [{ measure: MEASURES[name], catalog, ...Object.fromEntries(middles) }];
  });
}

/** Rounds of what takes a second and more at the larger sizes. */
function roundsFor({ tools }: Subject): { readonly rounds: number } {
  return { rounds: tools.length <= 1_000 ? 7 : tools.length <= 50_000 ? 3 : 1 };
}

let editions = 0;

/** The tools with one that no other run has: processors share the indexes of equal tools. */
function unseen([first, ...others]: readonly ListedTool[]): readonly ListedTool[] {
  return first ? [{ ...first, description: `${first.description} Edition ${editions++}.` }, ...others] : [];
}

/** The constructor and the first search, over tools that nobody has seen before; and how long ours blocks the process. */
export const build: Case = async (subject) => {
  const runOf = (side: Side, measured: (work: () => Promise<unknown>) => Promise<Times>) => async () => {
    const tools = mastraTools(unseen(subject.tools));
    collectGarbage();
    return measured(() => new AgentRequest(create[side]({ tools })).search(FIRST_QUERY));
  };
  const whole = (side: Side) => runOf(side, async (work) => ({ build: await timed(work) }));
  const blocked = (side: Side) => runOf(side, async (work) => ({ block: await longestBlock(work) }));
  return [
    ...(await figuresOf(subject, whole, roundsFor(subject))),
    ...(await figuresOf({ ...subject, sides: ['ours'] }, blocked, roundsFor(subject))),
  ];
};

/** The longest time in which nothing else could run while `work` was awaited. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = performance.now();
  const note = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(note);
  };
  setImmediate(note);
  await work();
  isOver = true;
  note();
  return longest;
}

/** A run is a request of so many steps, as a step alone is too short for the clock. */
const STEPS = 5;
/** Another name would be repaired here. */
const KEPT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A step with nothing loaded, then one with 20 tools loaded. */
export const steps: Case = async (subject) => {
  const tools = mastraTools(subject.tools);
  const processors = { core: create.core({ tools }), ours: create.ours({ tools }) };
  const measured = (measure: 'step' | 'loadedStep'): Promise<readonly Figure[]> => {
    const runOf = (side: Side) => async () => {
      const request = new AgentRequest(processors[side]);
      const time = await timed(async () => {
        for (let step = 0; step < STEPS; step++) await request.step();
      });
      return { [measure]: time / STEPS };
    };
    return figuresOf(subject, runOf, { rounds: 600, seconds: 4 });
  };
  const plain = await measured('step');
  const toolNames = Object.keys(tools)
    .filter((id) => KEPT_NAME.test(id))
    .slice(0, 20);
  for (const side of subject.sides) {
    const request = new AgentRequest(processors[side]);
    await (await request.step())['load_tool']?.execute?.({ toolNames }, {} as never);
    const next = await request.step();
    if (!toolNames.every((name) => Object.hasOwn(next, name))) throw new Error(`${side} has not loaded the tools.`);
  }
  return [...plain, ...(await measured('loadedStep'))];
};

/** The tools that the agent resolved for a request (`includeResolvedTools`), which come again with each request. */
export const resolved: Case = (subject) => {
  const runOf = (side: Side) => async () => {
    const processor = create[side]({ tools: {}, includeResolvedTools: true });
    const catalog = unseen(subject.tools);
    const request = new AgentRequest(processor, { tools: mastraTools(catalog) });
    const next = new AgentRequest(processor, { tools: mastraTools(catalog) });
    collectGarbage();
    await request.search(FIRST_QUERY);
    const later: number[] = [];
    for (let step = 0; step < 5; step++) later.push(await timed(() => request.step()));
    return { later: median(later), fresh: await timed(() => next.search(FIRST_QUERY)) };
  };
  return figuresOf(subject, runOf, roundsFor(subject));
};

/** Each query in a request of its own, and then long ones, of 2,000 characters: the first time that it is asked. */
export const searches: Case = async (subject) => {
  const tools = mastraTools(subject.tools);
  const processors = new Map<Side, Processor>(subject.sides.map((side) => [side, create[side]({ tools })]));
  for (const processor of processors.values()) await new AgentRequest(processor).search(FIRST_QUERY);
  collectGarbage();
  const measured = (measure: 'search' | 'longSearch', asked: readonly string[]): Promise<readonly Figure[]> => {
    const runOf = (side: Side) => async (round: number) => {
      const stepTools = await new AgentRequest(processors.get(side)!).step();
      return { [measure]: await timed(() => search(stepTools, asked[round]!)) };
    };
    return figuresOf(subject, runOf, { rounds: asked.length });
  };
  const long = longQueries(subject.queries, 31, 2_000);
  return [...(await measured('search', subject.queries)), ...(await measured('longSearch', long))];
};

/**
 * In the description of all tools, and only here, so that one query matches them all: in a sentence that no other
 * tool has, as a repeated one is not searched here.
 */
const COMMON_WORD = 'multipurpose';
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
  const runOf = (side: Side) => async () => {
    let filter = (): boolean | Promise<boolean> => true;
    const processor = create[side]({ tools, filter: () => filter() });
    // The index is there before the filter gets slow.
    await new AgentRequest(processor).search(FIRST_QUERY);
    const stepTools = await new AgentRequest(processor).step();
    filter = () => slow(false);
    const denied = await timed(async () => {
      const found = await search(stepTools, COMMON_WORD);
      if (found.length > 0) throw new Error(`${found.length} tools were found where all are denied.`);
    });
    const injecting = create[side]({ tools, injectCatalog: true, filter: () => slow(true) });
    return { denied, injected: await timed(() => new AgentRequest(injecting).step()) };
  };
  return figuresOf(subject, runOf, { rounds: 1 });
};

const HEAP_CHILD = fileURLToPath(new URL('heap-child.ts', import.meta.url));

export const heap: Case = (subject) => {
  const runOf = (side: Side) => async () => {
    const args = [side, String(subject.tools.length), ...(subject.folder ? [subject.folder] : [])];
    const child = await promisify(execFile)(process.execPath, ['--expose-gc', HEAP_CHILD, ...args]);
    return { heap: Number(child.stdout) };
  };
  return figuresOf(subject, runOf, { rounds: 1 });
};
