// Measures each in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { toolDocument } from '../../../src/catalog/document.ts';
import type { ToolQuery } from '../../../src/scorers/words/query.ts';
import type { LabelledTool } from '../retrieval/sets.ts';
import { percentile } from '../speed/clock.ts';
import type { Percentiles, ProcessFigures, SearchFigures } from './figures.ts';

export interface Queries {
  /** So that what is read once is read. */
  readonly warmUp: readonly ToolQuery[];
  /** Others than those. */
  readonly queries: readonly ToolQuery[];
}

/** Two dozen MB of what a search holds are in use. Without a bound, Node lets ten times as much garbage lie. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4'];

/** What a search asks a source for: the processor's first window, four times what it shows by default. */
export const LIMIT = 20;

/** Searches a table of a database. */
export async function searchTable(
  place: { readonly url: string; readonly table: string; readonly tenant: string },
  queries: Queries,
): Promise<Omit<SearchFigures, 'documents'>> {
  const answer = await ask<{
    readonly first: number;
    readonly alone: readonly number[];
    readonly together: readonly number[];
    readonly seconds: number;
    readonly cpuHere: number;
    readonly cpuThere: number;
    readonly megabytes: number;
  }>('search-child.mjs', { ...place, ...queries, limit: LIMIT });
  const { alone, together, seconds, ...rest } = answer;
  const perSecond = together.length / seconds;
  return { ...rest, alone: percentiles(alone), together: percentiles(together), perSecond };
}

/** Holds tools and their index, and searches that. */
export async function searchInProcess(tools: Iterable<LabelledTool>, queries: Queries): Promise<ProcessFigures> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-source-'));
  try {
    const file = path.join(folder, 'tools.jsonl');
    await write(file, tools);
    const {
      alone,
      tools: documents,
      ...rest
    } = await ask<{
      readonly build: number;
      readonly alone: readonly number[];
      readonly cpu: number;
      readonly megabytes: number;
      readonly tools: number;
    }>('process-child.mjs', { file, ...queries });
    return { documents, alone: percentiles(alone), ...rest };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(file: string, tools: Iterable<LabelledTool>): Promise<void> {
  const stream = createWriteStream(file);
  for (const tool of tools) {
    const { document } = toolDocument(tool.id, tool);
    if (!stream.write(`${JSON.stringify({ tool, document })}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

async function ask<Answer>(program: string, order: object): Promise<Answer> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
    execArgv: program === 'search-child.mjs' ? SMALL_HEAP : [],
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Answer));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}, without an answer.`)));
  });
  child.send(order);
  return answer;
}

function percentiles(times: readonly number[]): Percentiles {
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}
