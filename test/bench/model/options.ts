import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ToolSearchProcessor } from '../../../src/index.ts';
import { isRecord } from '../../../src/util/record.ts';
import { type LabelledSet, readSet, readSets } from '../retrieval/sets.ts';
import { HALVES, type Half } from './tasks.ts';
import { optionsOf, WAYS, type WayName } from './ways.ts';

const NAMES = Object.keys(WAYS) as readonly WayName[];
/** The ways of `--first-search`: those that have a search, and nothing before it. */
const SEARCHING: readonly WayName[] = ['load', 'autoLoad', 'call'];

export const USAGE: string = `npm run bench:model -- --url http://localhost:11434/v1 --model NAME [options]
  --url URL            an OpenAI-compatible endpoint, as far as /v1
  --model NAME         as the endpoint calls it
  --key-env NAME       the environment variable that has the key
  --ways A,B           only these: ${NAMES.join(', ')}
  --tasks N            tasks in all, evenly over the sets (60)
  --half tune|report   one half of them: texts are tuned on the one, and reported on both
  --seed N             which tasks are drawn, and into which half (1)
  --sets FOLDER        all sets in this folder, instead of the one that comes with the project
  --only A,B           of these sets
  --max-calls N        model calls of a run (6)
  --max-tokens N       tokens that one model call may write; by default the endpoint's own limit
  --tool-choice MODE   auto, or required: the model has to call a tool in every step (auto)
  --options JSON       options for the processor in all ways of ours, as {"search":{"topK":5}}
  --first-search       one model call a task: what the model does first, and what its search finds. Of ${SEARCHING.join(', ')}; by
                       default load
  --out FILE           one line of JSON for each run (a new file in the folder for temporary files). A second start skips
                       what is there already
  --report FILE        only the tables of such a file; no model is asked`;

/** What decides how a run goes, besides its way, its task and the seed. */
export interface Setup {
  readonly model: string;
  readonly maxCalls: number;
  readonly maxTokens?: number;
  readonly toolChoice: 'auto' | 'required';
  readonly options: Readonly<Record<string, unknown>>;
  readonly firstSearch: boolean;
}

export interface ModelBenchOptions {
  readonly url: string;
  readonly key: string;
  readonly setup: Setup;
  /** Of the setup. */
  readonly hash: string;
  readonly ways: readonly WayName[];
  readonly sets: readonly LabelledSet[];
  readonly tasks: number;
  readonly half: Half | undefined;
  readonly seed: number;
  readonly out: string | undefined;
}

/** The text to print alone, or a report to make, or a bench. */
export type Command =
  | { readonly help: string }
  | { readonly report: string; readonly half: Half | undefined }
  | ModelBenchOptions;

/** @throws Error for what is no option, and for values that are none. */
export function commandOf(args: readonly string[]): Command {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{
        url: text,
        model: text,
        'key-env': text,
        ways: text,
        half: text,
        sets: text,
        only: text,
        out: text,
        report: text,
      },
      ...{ tasks: { ...text, default: '60' }, seed: { ...text, default: '1' }, 'max-calls': { ...text, default: '6' } },
      ...{ 'max-tokens': text, 'tool-choice': { ...text, default: 'auto' }, options: { ...text, default: '{}' } },
      ...{ 'first-search': { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    },
  });
  if (values.help) return { help: USAGE };
  const half = values.half === undefined ? undefined : one('half', values.half, HALVES);
  if (values.report !== undefined) return { report: values.report, half };

  const firstSearch = values['first-search'];
  const maxTokens = values['max-tokens'];
  const setup: Setup = {
    model: given('model', values.model),
    maxCalls: firstSearch ? 1 : whole('max-calls', values['max-calls']),
    ...(maxTokens === undefined ? {} : { maxTokens: whole('max-tokens', maxTokens) }),
    toolChoice: one('tool-choice', values['tool-choice'], ['auto', 'required']),
    options: processorOptions(values.options),
    firstSearch,
  };
  const possible = firstSearch ? SEARCHING : NAMES;
  const ways = (values.ways ?? (firstSearch ? 'load' : NAMES.join(','))).split(',');
  const chosen = ways.map((name) => one('ways', name.trim(), possible));
  // What the class refuses, it refuses before a model is asked.
  for (const name of chosen) new ToolSearchProcessor({ ...optionsOf(name, setup.options), tools: {} });
  return {
    url: urlOf(given('url', values.url)),
    key: keyOf(values['key-env']),
    setup,
    hash: createHash('sha256').update(JSON.stringify(setup)).digest('hex').slice(0, 12),
    ways: [...new Set(chosen)],
    sets: setsOf(values.sets, values.only),
    tasks: whole('tasks', values.tasks),
    half,
    seed: whole('seed', values.seed),
    out: values.out,
  };
}

function given(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new Error(`--${name} is missing.`);
  return value;
}

function one<Value extends string>(name: string, value: string, possible: readonly Value[]): Value {
  const found = possible.find((each) => each === value);
  if (found === undefined) throw new Error(`--${name} has "${value}"; there is only ${possible.join(', ')}.`);
  return found;
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number from 1 on, not "${text}".`);
  return value;
}

function urlOf(text: string): string {
  if (!/^https?:/.test(text) || !URL.canParse(text))
    throw new Error(`--url is an address with http or https, not "${text}".`);
  return text.replace(/\/+$/, '');
}

/** Servers without keys ignore the header; Mastra wants one. */
function keyOf(name: string | undefined): string {
  if (name === undefined) return 'none';
  const key = process.env[name];
  if (!key) throw new Error(`The environment variable "${name}" of --key-env is not set.`);
  return key;
}

function processorOptions(text: string): Readonly<Record<string, unknown>> {
  let options: unknown;
  try {
    options = JSON.parse(text);
  } catch {}
  if (!isRecord(options)) throw new Error(`--options is an object as JSON, not "${text}".`);
  return options;
}

function setsOf(folder: string | undefined, only: string | undefined): readonly LabelledSet[] {
  const own = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));
  const sets = folder === undefined ? [readSet(own)] : readSets(path.resolve(folder));
  const names = sets.map(({ name }) => name);
  const wanted = only?.split(',').map((name) => one('only', name.trim(), names)) ?? names;
  return sets.filter(({ name }) => wanted.includes(name));
}
