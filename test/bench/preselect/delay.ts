import { ToolSearchProcessor } from '../../../src/index.ts';
import type { LabelledSet, LabelledTool } from '../retrieval/sets.ts';
import { mastraTools } from '../retrieval/through-search-tools.ts';
import { firstStep, type Message, quietly, textOf, timeAt } from './measure.ts';

/** Milliseconds by which preselect delays the first step of a run. */
export interface Delay {
  readonly state: 'cold' | 'warm';
  readonly median: number;
  readonly most: number;
}

const TOOLS = 10_000;
/** Runs that come before the index is there, each in a processor of its own. */
const COLD_RUNS = 5;

/** Measures runs with the messages of a set over 10,000 tools: its own, again and again, under other names. */
export async function measureDelay(set: LabelledSet): Promise<readonly Delay[]> {
  const tools = mastraTools(Array.from({ length: TOOLS }, (_, place) => again(set.tools, place)));
  const messages = (set.queries as readonly Message[]).map(textOf);
  const begin = firstStep(quietly(new ToolSearchProcessor({ tools })));
  await begin('anything');
  const without = median(await inTurn(messages.slice(0, 50), begin));

  const cold: number[] = [];
  let warm: number[] = [];
  for (let run = 0; run < COLD_RUNS; run++) {
    const processor = quietly(new ToolSearchProcessor({ tools, preselect: true }));
    const beginWith = firstStep(processor);
    cold.push(await beginWith(messages[run] ?? ''));
    await processor.search('anything');
    if (run === COLD_RUNS - 1) warm = await inTurn(messages, beginWith);
  }
  const delays: readonly [Delay['state'], number[]][] = [
    ['cold', cold],
    ['warm', warm],
  ];
  return delays.map(([state, times]) => ({ state, median: median(times) - without, most: timeAt(times, 1) - without }));
}

function again(tools: readonly LabelledTool[], place: number): LabelledTool {
  const tool = tools[place % tools.length] as LabelledTool;
  return place < tools.length ? tool : { ...tool, id: `${tool.id}_${Math.floor(place / tools.length)}` };
}

async function inTurn(messages: readonly string[], begin: (text: string) => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (const message of messages) times.push(await begin(message));
  return times;
}

const median = (times: readonly number[]): number => timeAt(times, 0.5);
