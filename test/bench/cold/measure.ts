import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type PlainCatalog, toolsOf } from '../speed/catalogs.ts';
import { median } from '../speed/clock.ts';
import { FIRST_QUERY } from '../speed/subject.ts';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));

/** Node 22.13 runs TypeScript only when it is told to. */
const NODE = ['--expose-gc', '--experimental-strip-types', '--no-warnings'];

/** What a child process measures, as its only argument in JSON. */
export interface ColdOrder {
  /** A file with the tools of the catalog. */
  readonly tools: string;
  /** The main entry of a built package; without it, @mastra/core's class is measured. */
  readonly build?: string;
  /** The first is the first search. */
  readonly queries: readonly string[];
}

/** What one process took, in milliseconds. */
export interface ColdTimes {
  /** Importing the package, where @mastra/core and zod are there. Nothing for core. */
  readonly import: number;
  readonly importCpu: number;
  readonly constructor: number;
  readonly step: number;
  readonly search: number;
  /** The constructor, the first step and the first search. */
  readonly cold: number;
  /** The same in time of the processor, other threads included. */
  readonly coldCpu: number;
  /** The searches behind the first, each for a query that is new. */
  readonly p50: number;
  readonly p99: number;
}

/** The medians of several processes, by who was measured. */
export interface ColdFigure {
  readonly size: number;
  readonly times: ReadonlyMap<string, ColdTimes>;
}

export interface ColdWork {
  readonly catalog: PlainCatalog;
  readonly size: number;
  readonly queries: readonly string[];
  /** The main entry of each build, by the name under which it is shown; `core` has none. */
  readonly contestants: ReadonlyMap<string, string | undefined>;
  readonly rounds: number;
}

/** Measures each in processes of its own, in turns. */
export async function coldSearches({ catalog, size, queries, contestants, rounds }: ColdWork): Promise<ColdFigure> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cold-'));
  const tools = path.join(folder, 'tools.json');
  writeFileSync(tools, JSON.stringify(toolsOf(catalog, size)));
  const taken = new Map<string, ColdTimes[]>([...contestants].map(([name]) => [name, []]));
  const run = async (build: string | undefined): Promise<ColdTimes> => {
    const asked: ColdOrder = { tools, queries: [FIRST_QUERY, ...queries], ...(build ? { build } : {}) };
    const child = await promisify(execFile)(process.execPath, [...NODE, CHILD, JSON.stringify(asked)]);
    return JSON.parse(child.stdout) as ColdTimes;
  };
  try {
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [...contestants] : [...contestants].reverse();
      for (const [name, build] of order) taken.get(name)?.push(await run(build));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { size, times: new Map([...taken].map(([name, all]) => [name, medians(all)])) };
}

function medians(all: readonly ColdTimes[]): ColdTimes {
  const keys = Object.keys(all[0] ?? {}) as (keyof ColdTimes)[];
  return Object.fromEntries(keys.map((key) => [key, median(all.map((times) => times[key]))])) as unknown as ColdTimes;
}
