// What a real model does with each way to send the tools of a catalog: npm run bench:model -- --url URL --model NAME
// All options: npm run bench:model -- --help
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isRecord } from '../../../src/util/record.ts';
import { setsIn } from '../retrieval/sets.ts';
import { type RunRecord, reportOf } from './report.ts';
import { type Endpoint, type Setup, WAYS, type Way, type WayName, wayOver } from './run.ts';
import { drawTasks, HALVES } from './tasks.ts';

const NAMES = Object.keys(WAYS) as readonly WayName[];
/** The ways of `--first-search`: those that have a search, and nothing before it. */
const SEARCHING: readonly WayName[] = ['load', 'autoLoad', 'call'];
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

/** What the command line cannot mean. */
class UsageError extends Error {}

try {
  console.log(await bench(optionsOf(process.argv.slice(2))));
} catch (error) {
  const isUsage = error instanceof UsageError || /^ERR_PARSE_ARGS/.test(String(Object(error)['code']));
  const message = error instanceof Error ? error.message : String(error);
  console.error(isUsage ? `${message} All options: npm run bench:model -- --help` : message);
  process.exitCode = isUsage ? 2 : 1;
}

type Options = ReturnType<typeof optionsOf>;

function optionsOf(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  return parseArgs({
    args,
    options: {
      ...{ url: text, model: text, 'key-env': text, ways: text, half: text, sets: text, out: text, report: text },
      ...{ tasks: { ...text, default: '60' }, seed: { ...text, default: '1' } },
      ...{ 'tool-choice': { ...text, default: 'auto' }, options: { ...text, default: '{}' } },
      ...{ 'first-search': flag, help: flag },
    },
  }).values;
}

async function bench(options: Options): Promise<string> {
  if (options.help) return USAGE;
  const half = options.half === undefined ? undefined : one('half', options.half, HALVES);
  if (options.report !== undefined) {
    const records = [...readRecords(options.report).values()].filter(
      (each) => half === undefined || each.half === half,
    );
    if (records.length === 0) throw new Error(`"${options.report}" has no runs.`);
    return reportOf(records);
  }
  const endpoint = endpointOf(options);
  const setup = setupOf(options);
  const hash = createHash('sha256').update(JSON.stringify(setup)).digest('hex').slice(0, 12);
  const seed = whole('seed', options.seed);
  const ways = waysOf(options, setup);
  const out = options.out ?? path.join(tmpdir(), `bench-model-${Date.now()}.jsonl`);
  const drawn = drawTasks(setsIn(options.sets), whole('tasks', options.tasks), seed);
  const tasks = drawn.filter((task) => half === undefined || task.half === half);
  const runs = tasks.flatMap((task) => ways.map((way) => ({ way, task, key: keyOf(way, task.id, seed, hash) })));
  const records = new Map(readRecords(out));
  // A run that ended in an error is made again.
  const missing = runs.filter(({ key }) => (records.get(key)?.outcome ?? 'error') === 'error');
  if (missing.length > 0) {
    await checkEndpoint(endpoint);
    endLastLine(out);
    console.error(`${missing.length} runs are written to ${out}`);
  }
  const versions = versionsOf();
  const made = new Map<string, Way>();
  for (const [n, { way: name, task, key }] of missing.entries()) {
    const place = `${name} ${task.set.name}`;
    const way = made.get(place) ?? wayOver(name, task.set, endpoint, setup, seed);
    made.set(place, way);
    const outcome = await way.run(task);
    const record: RunRecord = { way: name, task: task.id, half: task.half, seed, ...outcome, setup, hash, versions };
    appendFileSync(out, `${JSON.stringify(record)}\n`);
    records.set(key, record);
    const { first, error, calls } = record;
    const said = error ?? first?.queries.join(' | ') ?? calls.map(({ tool }) => tool).join(' → ');
    console.error(`${n + 1}/${missing.length} ${task.id}, ${name}: ${first?.kind ?? record.outcome} ${said}`.trimEnd());
  }
  return reportOf(runs.flatMap(({ key }) => records.get(key) ?? []));
}

/** Servers without keys ignore the header; Mastra wants one. */
function endpointOf({ url: given, 'key-env': name }: Options): Endpoint {
  const url = required('url', given);
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`--url is an address with http or https, not "${url}".`);
  const key = name === undefined ? 'none' : process.env[name];
  if (!key) throw new UsageError(`The environment variable "${name}" of --key-env is not set.`);
  return { url: url.replace(/\/+$/, ''), key };
}

function setupOf({ model, options: text, ...options }: Options): Setup {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {}
  if (!isRecord(parsed)) throw new UsageError(`--options is an object as JSON, not "${text}".`);
  const firstSearch = options['first-search'];
  return {
    model: required('model', model),
    maxCalls: firstSearch ? 1 : MAX_CALLS,
    toolChoice: one('tool-choice', options['tool-choice'], ['auto', 'required']),
    options: parsed,
    firstSearch,
  };
}

function waysOf({ ways }: Options, { firstSearch }: Setup): readonly WayName[] {
  const list = ways ?? (firstSearch ? 'load' : NAMES.join());
  return [...new Set(list.split(',').map((name) => one('ways', name.trim(), firstSearch ? SEARCHING : NAMES)))];
}

function required(name: string, value: string | undefined): string {
  if (!value) throw new UsageError(`--${name} is missing.`);
  return value;
}

function one<Value extends string>(name: string, value: string, possible: readonly Value[]): Value {
  const found = possible.find((each) => each === value);
  if (found === undefined) throw new UsageError(`--${name} has "${value}"; there is only ${possible.join(', ')}.`);
  return found;
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new UsageError(`--${name} is a whole number from 1 on, not "${text}".`);
}

function keyOf(way: string, task: string, seed: number, hash: string): string {
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
  return new Map(records.map((record) => [keyOf(record.way, record.task, record.seed, record.hash), record]));
}

/** @throws Error where the file cannot be written. */
function endLastLine(file: string): void {
  const isCut = existsSync(file) && /[^\n]$/.test(readFileSync(file, 'utf8'));
  appendFileSync(file, isCut ? '\n' : '');
}

/** Any answer will do, as some endpoints list no models, but for one that refuses the key. */
async function checkEndpoint({ url, key }: Endpoint): Promise<void> {
  const { status } = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } }).catch((error) => {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message || String(Object(cause)['code']) : message;
    throw new Error(`Nothing answers at ${url}: ${reason}`);
  });
  if (status === 401 || status === 403)
    throw new Error(`${url} refuses the key (${status}). --key-env names the variable that has it.`);
}

function versionsOf(): string {
  const require = createRequire(import.meta.url);
  const versionOf = (file: string): string => (require(file) as { version: string }).version;
  return `@mastra/core ${versionOf('@mastra/core/package.json')}, mastra-tool-search ${versionOf('../../../package.json')}`;
}
