// What a real model does with each way to send the tools of a catalog: npm run bench:model -- --url URL --model NAME
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { optionsOf } from '../report.ts';
import { setsIn } from '../retrieval/sets.ts';
import { type RunRecord, reportOf } from './report.ts';
import { type Endpoint, type Setup, WAYS, type Way, type WayName, wayOver } from './run.ts';
import { drawTasks, HALVES } from './tasks.ts';

const NAMES = Object.keys(WAYS);
/** The ways of `--first-search`: those that have a search, and nothing before it. */
const SEARCHING = ['load', 'autoLoad', 'call'];
const MAX_CALLS = 6;

const USAGE = `npm run bench:model -- --url http://localhost:11434/v1 --model NAME [options]
  --url URL            an OpenAI-compatible endpoint, as far as /v1
  --model NAME         as the endpoint calls it
  --key-env NAME       the environment variable that has the key
  --ways A,B           only these: ${NAMES.join(', ')}
  --tasks N            tasks in all, evenly over the sets (60)
  --half tune|report   one half of them: texts are tuned on the one, and reported on both
  --seed N             which tasks are drawn, and into which half (1)
  --sets FOLDER        all sets in this folder, instead of the one that comes with the project
  --tool-choice MODE   auto, or required: the model has to call a tool in every step (auto)
  --options JSON       options for the processor in all ways of ours, as {"search":{"topK":5}}
  --first-search       one model call a task: what the model does first, and what its search finds. Of ${SEARCHING.join(', ')}; by
                       default load
  --out FILE           one line of JSON for each run (a new file in the folder for temporary files). A second start skips
                       what is there already
  --report FILE        only the tables of such a file; no model is asked`;

const options = optionsOf(USAGE, {
  ...{ url: undefined, model: undefined, 'key-env': undefined, ways: undefined, half: undefined, sets: undefined },
  ...{ out: undefined, report: undefined, tasks: '60', seed: '1', 'tool-choice': 'auto', options: '{}' },
  'first-search': false,
});
const half = options.half === undefined ? undefined : one('half', options.half, HALVES);
const isWanted = (each: { readonly half: string }): boolean => half === undefined || each.half === half;
console.log(reportOf(options.report ? [...readRecords(options.report).values()].filter(isWanted) : await bench()));

async function bench(): Promise<readonly RunRecord[]> {
  const { url = '', model = '' } = options;
  if (!url.startsWith('http') || model === '') throw new Error(`--url and --model are needed.\n${USAGE}`);
  const seed = Number(options.seed);
  const firstSearch = options['first-search'];
  const setup: Setup = {
    model,
    maxCalls: firstSearch ? 1 : MAX_CALLS,
    toolChoice: one('tool-choice', options['tool-choice'], ['auto', 'required']),
    options: JSON.parse(options.options) as Setup['options'],
    firstSearch,
  };
  const hash = createHash('sha256').update(JSON.stringify(setup)).digest('hex').slice(0, 12);
  const possible = firstSearch ? SEARCHING : NAMES;
  const named = (options.ways ?? (firstSearch ? 'load' : NAMES.join())).split(',');
  const ways = named.map((name) => one('ways', name.trim(), possible) as WayName);
  const tasks = drawTasks(setsIn(options.sets), Number(options.tasks), seed).filter(isWanted);
  const runs = tasks.flatMap((task) =>
    ways.map((way) => ({ way, task, key: keyOf({ way, task: task.id, seed, hash }) })),
  );
  const out = options.out ?? path.join(tmpdir(), `bench-model-${Date.now()}.jsonl`);
  const records = new Map(readRecords(out));
  // A run that ended in an error is made again.
  const missing = runs.filter(({ key }) => (records.get(key)?.outcome ?? 'error') === 'error');
  // Servers without keys ignore the header; Mastra wants one.
  const endpoint = { url: url.replace(/\/+$/, ''), key: process.env[options['key-env'] ?? ''] ?? 'none' };
  if (missing.length > 0) await checkEndpoint(endpoint);
  console.error(`${missing.length} runs are written to ${out}`);
  const made = new Map<string, Way>();
  for (const [n, { way: name, task, key }] of missing.entries()) {
    const place = `${name} ${task.set.name}`;
    const way = made.get(place) ?? wayOver(name, task.set, endpoint, setup, seed);
    made.set(place, way);
    const record: RunRecord = { way: name, task: task.id, half: task.half, seed, ...(await way(task)), setup, hash };
    // The line break comes first, so that a line that was cut short spoils none but itself.
    appendFileSync(out, `\n${JSON.stringify(record)}`);
    records.set(key, record);
    const { first, error, calls, outcome } = record;
    const said = error ?? first?.queries.join(' | ') ?? calls.map(({ tool }) => tool).join(' → ');
    console.error(`${n + 1}/${missing.length} ${task.id}, ${name}: ${first?.kind ?? outcome} ${said}`);
  }
  return runs.flatMap(({ key }) => records.get(key) ?? []);
}

function one<Value extends string>(name: string, value: string, possible: readonly Value[]): Value {
  const found = possible.find((each) => each === value);
  if (found === undefined) throw new Error(`--${name} has "${value}"; there is only ${possible.join(', ')}.`);
  return found;
}

function keyOf({ way, task, seed, hash }: Pick<RunRecord, 'way' | 'task' | 'seed' | 'hash'>): string {
  return [way, task, seed, hash].join(' ');
}

/** The last line of each run, by its key; a line that was cut off when the bench was ended is none. */
function readRecords(file: string): ReadonlyMap<string, RunRecord> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const records = lines.flatMap((line): readonly RunRecord[] => {
    try {
      return [JSON.parse(line) as RunRecord];
    } catch {
      return [];
    }
  });
  return new Map(records.map((record) => [keyOf(record), record]));
}

/** Any answer will do, as some endpoints list no models, but for one that refuses the key. */
async function checkEndpoint({ url, key }: Endpoint): Promise<void> {
  const { status } = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } });
  if (status === 401 || status === 403)
    throw new Error(`${url} refuses the key (${status}). --key-env names the variable that has it.`);
}
