// What is there before the first model call, and how often in vain: npm run bench:preselect -- --sets FOLDER
import type { ToolSearchEvent } from '../../src/index.ts';
import { AgentRequest, mastraTools, type Processor, type StepTools } from './agent-request.ts';
import { quietProcessor } from './processors.ts';
import { optionsOf, percent, table } from './report.ts';
import { type LabelledSet, noToolMessages, setsIn, unservedBy } from './retrieval/sets.ts';
import { mean, median, percentile } from './statistics.ts';

const sets = setsIn(optionsOf('npm run bench:preselect -- [--sets FOLDER]', { sets: undefined }).sets);
const rows: string[][] = [];
for (const set of sets) rows.push([set.name, `${set.queries.length}`, ...(await preselected(set))]);
const heads = [
  'right %',
  'only wrong %',
  'definitions',
  'in vain: unserved %',
  'in vain: no need %',
  'median ms',
  'p99 ms',
];
console.log(`right: a tool that serves the message is sent; only wrong: others alone are. In vain: messages for which something is
sent, of those that nothing in the catalog serves, and of those that need no tool.\n`);
console.log(table([['set', 'messages', ...heads], ...rows]));
console.log(
  `\nMilliseconds by which it delays a run over 10,000 tools (those of ${sets[0]!.name}, again and again):\n`,
);
console.log(table([['', 'median', 'most'], ...(await delays(sets[0]!))]));

/** Begins a run with each message of a set, and with those for which the catalog has nothing. */
async function preselected(set: LabelledSet): Promise<readonly string[]> {
  let names: readonly string[] = [];
  const onEvent = (event: ToolSearchEvent): void => {
    if (event.type === 'preselect') names = event.tools;
  };
  const timeouts = { preselect: Number.POSITIVE_INFINITY };
  const processor = quietProcessor({ tools: mastraTools(set.tools), preselect: true, onEvent, timeouts });
  await firstStep(processor, 'anything to build the index');
  const times: number[] = [];
  /** The tools that are sent for a message. A name that providers refuse is sent in another form. */
  const sentFor = async (message: string): Promise<readonly string[]> => {
    const { tools, milliseconds } = await firstStep(processor, message);
    times.push(milliseconds);
    return names.map((name) => String(tools[name]?.id));
  };
  const judged: { readonly isRight: boolean; readonly definitions: number }[] = [];
  for (const { query, task = query, relevant } of set.queries) {
    const sent = await sentFor(task);
    judged.push({ isRight: sent.some((name) => relevant.includes(name)), definitions: sent.length });
  }
  const inVain = async (messages: readonly string[]): Promise<string> => {
    const counts: number[] = [];
    for (const message of messages) counts.push((await sentFor(message)).length);
    return counts.length > 0 ? percent(mean(counts.map((count) => Number(count > 0)))) : '';
  };
  return [
    percent(mean(judged.map(({ isRight }) => Number(isRight)))),
    percent(mean(judged.map(({ isRight, definitions }) => Number(!isRight && definitions > 0)))),
    mean(judged.map(({ definitions }) => definitions)).toFixed(2),
    await inVain(unservedBy(set.name).map(({ query }) => query)),
    await inVain(noToolMessages()),
    median(times).toFixed(1),
    percentile(times, 0.99).toFixed(1),
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
