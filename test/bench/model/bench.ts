import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command, ModelBenchOptions } from './options.ts';
import { type RunRecord, reportOf } from './report.ts';
import { runTask } from './run.ts';
import { type DrawnTask, drawTasks } from './tasks.ts';
import { type Way, type WayName, wayOver } from './ways.ts';

/** @throws Error where the endpoint cannot be asked. */
export async function modelBench(command: Command, progress: (line: string) => void): Promise<string> {
  if ('help' in command) return command.help;
  if ('report' in command) {
    const all = [...readRecords(command.report).values()];
    const records = all.filter(({ half }) => command.half === undefined || half === command.half);
    if (records.length === 0) throw new Error(`"${command.report}" has no runs.`);
    return reportOf(records);
  }
  const { ways, half, seed, setup, hash } = command;
  const out = command.out ?? path.join(tmpdir(), `bench-model-${Date.now()}.jsonl`);
  const tasks = drawTasks(command.sets, command.tasks, seed).filter((task) => half === undefined || task.half === half);
  const runs = tasks.flatMap((task) => ways.map((way) => ({ way, task, key: keyOf(way, task.id, seed, hash) })));
  const records = new Map(readRecords(out));
  // A run that ended in an error is made again.
  const missing = runs.filter(({ key }) => (records.get(key)?.outcome ?? 'error') === 'error');
  if (missing.length > 0) {
    await checkEndpoint(command);
    endLastLine(out);
    progress(`${missing.length} runs are written to ${out}`);
  }
  const versions = versionsOf();
  const waysOf = new Map<string, Way>();
  for (const [n, { way, task, key }] of missing.entries()) {
    const outcome = await runTask(wayOf(way, task, command, waysOf), task, setup);
    const record: RunRecord = { way, task: task.id, half: task.half, seed, ...outcome, setup, hash, versions };
    appendFileSync(out, `${JSON.stringify(record)}\n`);
    records.set(key, record);
    progress(`${n + 1}/${missing.length} ${task.id}, ${way}: ${inShort(record)}`);
  }
  return reportOf(runs.flatMap(({ key }) => records.get(key) ?? []));
}

function inShort({ outcome, first, calls, error }: RunRecord): string {
  const said = error ?? first?.queries.join(' | ') ?? calls.map(({ tool }) => tool).join(' → ');
  return `${first?.kind ?? outcome} ${said}`.trimEnd();
}

function wayOf(name: WayName, { set }: DrawnTask, options: ModelBenchOptions, made: Map<string, Way>): Way {
  const key = `${name} ${set.name}`;
  const way = made.get(key) ?? wayOver(name, set, options);
  made.set(key, way);
  return way;
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
async function checkEndpoint({ url, key }: ModelBenchOptions): Promise<void> {
  let status: number;
  try {
    ({ status } = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } }));
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Error(
      `Nothing answers at ${url}: ${cause instanceof Error ? cause.message || String(Object(cause)['code']) : message}`,
    );
  }
  if (status === 401 || status === 403)
    throw new Error(`${url} refuses the key (${status}). --key-env names the variable that has it.`);
}

function versionsOf(): string {
  const require = createRequire(import.meta.url);
  const versionOf = (file: string): string => (require(file) as { version: string }).version;
  return `@mastra/core ${versionOf('@mastra/core/package.json')}, mastra-tool-search ${versionOf('../../../package.json')}`;
}
