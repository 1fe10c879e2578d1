// How often the right tool is there before the first model call: npm run bench:preselect -- --sets FOLDER
// The thresholds were chosen on the even messages of each set; the odd ones were only measured.
import type { ToolSearchEvent } from '../../src/index.ts';
import { recall } from '../../src/workbench/evaluate/metrics.ts';
import { AgentRequest, mastraTools, type Processor, type StepTools } from './agent-request.ts';
import { quietProcessor } from './processors.ts';
import { optionsOf, percent, table } from './report.ts';
import { type LabelledSet, needsOf, setsIn } from './retrieval/sets.ts';
import { mean, median, percentile } from './statistics.ts';

/** What a message has before the first model call. */
interface Judged {
  /** Whether a tool that serves it is sent. */
  readonly isRight: boolean;
  /** The share of its needs that are served. */
  readonly needs: number;
  /** Definitions that are sent for it. */
  readonly definitions: number;
}

const sets = setsIn(optionsOf('npm run bench:preselect -- [--sets FOLDER]', { sets: undefined }).sets);
const rows: string[][] = [];
for (const set of sets) rows.push([set.name, `${set.queries.length}`, ...(await preselected(set))]);
const columns = ['right %', 'needs %', 'definitions'];
const heads = ['', 'even: ', 'odd: '].flatMap((half) => columns.map((name) => half + name));
console.log('right: a tool that serves the message is sent; needs: the share of its needs that are served.\n');
console.log(table([['set', 'messages', ...heads, 'median ms', 'p99 ms'], ...rows]));
console.log(
  `\nMilliseconds by which it delays a run over 10,000 tools (those of ${sets[0]!.name}, again and again):\n`,
);
console.log(table([['', 'median', 'most'], ...(await delays(sets[0]!))]));

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
  for (const query of set.queries) {
    const { tools, milliseconds } = await firstStep(processor, query.task ?? query.query);
    times.push(milliseconds);
    // A name that providers refuse is sent in another form.
    const sent = names.map((name) => String(tools[name]?.id));
    const isRight = sent.some((name) => query.relevant.includes(name));
    judged.push({ isRight, needs: recall(sent, needsOf(query), sent.length), definitions: sent.length });
  }
  const halves = [0, 1].map((half) => judged.filter((_, position) => position % 2 === half));
  const cells = [judged, ...halves].flatMap((some) => [
    percent(mean(some.map(({ isRight }) => Number(isRight)))),
    percent(mean(some.map(({ needs }) => needs))),
    mean(some.map(({ definitions }) => definitions)).toFixed(2),
  ]);
  return [...cells, median(times).toFixed(1), percentile(times, 0.99).toFixed(1)];
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

  // Runs that come before the index is there, each in a processor of its own.
  const cold: number[] = [];
  let processor = plain;
  for (const message of messages.slice(0, 5)) {
    processor = quietProcessor({ tools, preselect: true });
    cold.push(...(await timesOf(processor, [message])));
    await processor.search('anything');
  }
  const warm = await timesOf(processor, messages);
  return Object.entries({ 'index cold': cold, 'index warm': warm }).map(([name, times]) => {
    return [name, ...[median(times), Math.max(...times)].map((time) => (time - without).toFixed(1))];
  });
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
