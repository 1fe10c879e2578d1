import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askNewProcess } from '../support/new-process.ts';
import { type App, CALL_MODE, createApp, type Settings, type StoreName } from './app.ts';
import { type Case, cases, type Kind, type Outcome, type Phase } from './cases.ts';
import type { Job } from './child.ts';
import { goOnAll, suspendAll } from './drive.ts';

export const COLUMNS = ['approve', 'decline', 'resume', 'withdrawn right', 'still loaded'] as const;
export type Column = (typeof COLUMNS)[number];
export type Where = 'the same' | 'a new one';

/** One line of the table: the cases of one store and kind of agent that go on in the same process, or in a new one. */
export interface Row {
  readonly store: StoreName;
  readonly kind: Kind;
  readonly process: Where;
}

const CHILD = new URL('./child.ts', import.meta.url);

/** Milliseconds that each operation of the storage takes longer. */
const LATENCY: Readonly<Record<Kind, number>> = { Agent: 0, DurableAgent: 20 };

/** From when the calls wait on. */
const withdrawn: Readonly<Record<string, Phase>> = Object.fromEntries(
  cases.flatMap((one) => (one.withdrawn ? [[one.tool, one.withdrawn]] : [])),
);

/** Runs all cases of a row, and says what went wrong, by column. */
export async function measure(row: Row, redisUrl?: string): Promise<ReadonlyMap<Column, readonly string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'restart-'));
  const url = redisUrl === undefined ? {} : { redisUrl };
  const settings: Settings = { ...row, latency: LATENCY[row.kind], folder, ...url };
  let app: App | undefined;
  const closed = async (): Promise<void> => {
    await app?.close();
    app = undefined;
  };
  try {
    app = await createApp(settings);
    const job: Job = { settings, suspended: await suspendAll(app, settings), withdrawn };
    if (row.process === 'the same') return problemsOf(row, await goOnIn(app, job));
    await closed();
    return problemsOf(row, (await askNewProcess<Outcome[][]>(CHILD, [job])).flat());
  } finally {
    await closed();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Withdraws the rights, and goes on with everything, in whichever process this is. */
export function goOnIn(app: App, { settings, suspended, withdrawn: rights }: Job): Promise<Outcome[]> {
  app.withdraw(rights);
  return goOnAll(app, settings, suspended);
}

function problemsOf({ store }: Row, outcomes: readonly Outcome[]): ReadonlyMap<Column, readonly string[]> {
  const problems = new Map<Column, string[]>(COLUMNS.map((column) => [column, []]));
  const byId = new Map(cases.map((one) => [one.id, one]));
  for (const outcome of outcomes) {
    const one = byId.get(outcome.id) as Case;
    const expected = expectedOf(one);
    const found = { runs: outcome.runs, result: outcome.result, text: outcome.text };
    if (!isEqual(found, { ...expected, text: 'done' }))
      problems.get(expected.column)?.push(`${one.id}: ${JSON.stringify(found)}`);
    const isRefused = outcome.denied.length > 0;
    if (isRefused !== (one.withdrawn !== undefined))
      problems.get(expected.column)?.push(`${one.id}: call-denied ${isRefused}`);

    // Without the right to load, what a conversation shows counts no longer, from the next request on. Elsewhere a load
    // stays a load.
    const isFree = one.withdrawn === 'load' && store === 'context';
    const sends = [...outcome.sent, ...(outcome.nextTurn ? [outcome.nextTurn] : [])].map((names) =>
      names.includes(one.tool),
    );
    // In call mode the tools stay the same, and the tool is never one of them.
    const isSent = one.withdrawn !== 'active' && store !== CALL_MODE;
    if (!isFree && (sends.length === 0 || sends.some((sent) => sent !== isSent))) {
      problems
        .get('still loaded')
        ?.push(`${one.id}: ${JSON.stringify({ sent: outcome.sent, next: outcome.nextTurn ?? [] })}`);
    }
  }
  return problems;
}

function expectedOf(one: Case): { column: Column; runs: number; result: unknown } {
  if (one.withdrawn) {
    const result = `Tool "${one.tool}" is not available to this request. Do not call it again; search for another tool or go on without.`;
    return { column: 'withdrawn right', runs: 0, result };
  }
  const whole = { thread: one.id, agent: `${one.catalog}-agent` };
  if (one.action === 'approve') return { column: 'approve', runs: 1, result: { paid: 7, ...whole } };
  if (one.action === 'resume') return { column: 'resume', runs: 1, result: { answer: 'yes', ...whole } };
  return { column: 'decline', runs: 0, result: 'Too much.' };
}

/** Without the column, which stands on one side only. */
function isEqual(
  found: object,
  { column: _, ...expected }: { column: Column; runs: number; result: unknown; text: string },
): boolean {
  return JSON.stringify(found) === JSON.stringify(expected);
}
