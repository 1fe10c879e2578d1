// How often the right tool is there before the first model call: npm run bench:preselect -- --sets FOLDER
// The thresholds were chosen on the even messages of each set; the odd ones were only measured.
import { parseArgs } from 'node:util';
import type { ToolSearchEvent } from '../../../src/index.ts';
import { recall } from '../../../src/workbench/evaluate/metrics.ts';
import { AgentRequest, mastraTools, type Processor, type StepTools } from '../agent-request.ts';
import { quietProcessor } from '../processors.ts';
import { type LabelledSet, setsIn } from '../retrieval/sets.ts';
import { mean, median, percentile } from '../statistics.ts';
import { textTable } from '../table.ts';

/** What a message has before the first model call. */
interface Judged {
  /** Whether a tool that serves it is sent. */
  readonly isRight: boolean;
  /** The share of its needs that are served. */
  readonly needs: number;
  /** Definitions that are sent for it. */
  readonly definitions: number;
}

const { values } = parseArgs({ options: { sets: { type: 'string' } } });
const sets = setsIn(values.sets);
const rows: string[][] = [];
for (const set of sets) rows.push([set.name, `${set.queries.length}`, ...(await preselected(set))]);
const columns = ['right %', 'needs %', 'definitions'];
console.log('right: a tool that serves the message is sent; needs: the share of its needs that are served.\n');
const heads = [...columns, ...columns.map((name) => `even: ${name}`), ...columns.map((name) => `odd: ${name}`)];
console.log(textTable([['set', 'messages', ...heads, 'median ms', 'p99 ms'], ...rows]));

const [first] = sets;
if (first) {
  console.log(`\nMilliseconds by which it delays a run over 10,000 tools (those of ${first.name}, again and again):\n`);
  console.log(textTable([['', 'median', 'most'], ...(await delays(first))]));
}

/** Begins a run with each message of a set. */
async function preselected(set: LabelledSet): Promise<readonly string[]> {
  let names: readonly string[] = [];
  const onEvent = (event: ToolSearchEvent): void => {
    if (event.type === 'preselect') names = event.tools;
  };
  const timeouts = { preselect: Number.POSITIVE_INFINITY };
  const processor = quietProcessor({ tools: mastraTools(set.tools), preselect: true, onEvent, timeouts });
  await firstStep(processor, 'anything to build the index');
  const judged: Judged[] = [];
  const times: number[] = [];
  for (const { query, task = query, relevant, groups = relevant.map((name) => [name]) } of set.queries) {
    const { tools, milliseconds } = await firstStep(processor, task);
    times.push(milliseconds);
    // A name that providers refuse is sent in another form.
    const sent = names.map((name) => String(tools[name]?.id));
    const isRight = sent.some((name) => relevant.includes(name));
    judged.push({ isRight, needs: recall(sent, groups, sent.length), definitions: sent.length });
  }
  const halves = [0, 1].map((half) => judged.filter((_, position) => position % 2 === half));
  return [...[judged, ...halves].flatMap(cells), median(times).toFixed(1), percentile(times, 0.99).toFixed(1)];
}

function cells(judged: readonly Judged[]): readonly string[] {
  return [
    (100 * mean(judged.map(({ isRight }) => Number(isRight)))).toFixed(1),
    (100 * mean(judged.map(({ needs }) => needs))).toFixed(1),
    mean(judged.map(({ definitions }) => definitions)).toFixed(2),
  ];
}

/** Measures runs with the messages of a set over 10,000 tools: its own, again and again, under other names. */
async function delays(set: LabelledSet): Promise<readonly (readonly string[])[]> {
  const listed = Array.from({ length: 10_000 }, (_, place) => {
    const tool = set.tools[place % set.tools.length]!;
    const round = Math.floor(place / set.tools.length);
    return round === 0 ? tool : { ...tool, id: `${tool.id}_${round}` };
  });
  const tools = mastraTools(listed);
  const messages = set.queries.map(({ query, task = query }) => task);
  const plain = quietProcessor({ tools });
  await firstStep(plain, 'anything');
  const without = median(await timesOf(plain, messages.slice(0, 50)));

  const cold: number[] = [];
  let warm: readonly number[] = [];
  // Runs that come before the index is there, each in a processor of its own.
  for (let run = 0; run < 5; run++) {
    const processor = quietProcessor({ tools, preselect: true });
    cold.push(...(await timesOf(processor, messages.slice(run, run + 1))));
    await processor.search('anything');
    if (run === 4) warm = await timesOf(processor, messages);
  }
  return [
    ['index cold', (median(cold) - without).toFixed(1), (Math.max(...cold) - without).toFixed(1)],
    ['index warm', (median(warm) - without).toFixed(1), (Math.max(...warm) - without).toFixed(1)],
  ];
}

async function timesOf(processor: Processor, messages: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const message of messages) times.push((await firstStep(processor, message)).milliseconds);
  return times;
}

/** Begins a run with a message, through the hook that Mastra calls. */
async function firstStep(
  processor: Processor,
  text: string,
): Promise<{ readonly tools: StepTools; readonly milliseconds: number }> {
  const request = new AgentRequest(processor, { text, thread: text });
  const start = performance.now();
  const tools = await request.step();
  return { tools, milliseconds: performance.now() - start };
}
