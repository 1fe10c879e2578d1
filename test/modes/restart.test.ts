import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../native/fakes/fake-provider.ts';
import { isCallable, type Sent } from '../native/rig/goals.ts';
import { KINDS } from '../native/rig/rig.ts';
import { anthropicService, openaiService, type Service } from '../native/rig/services.ts';
import { atMost } from '../support/at-most.ts';
import { part } from '../support/breadth.ts';
import { WAYS } from '../support/modes.ts';
import { askNewProcess } from '../support/new-process.ts';
import { type Action, begin, CASES, type Outcomes, type Settings, STORES } from './rig/restart-app.ts';

/** Goes on in a new process with what waited in this one. */
interface Row extends Omit<Settings, 'folder' | 'url'> {
  readonly name: string;
}

// Load and call mode: test/restart.
const rows: readonly Row[] = part(
  WAYS.filter(({ mode }) => mode === 'native').flatMap((way) =>
    STORES.flatMap((store) => KINDS.map((kind) => ({ way, store, kind }))),
  ),
  'pairs',
).map((row) => ({ ...row, name: `${row.way.way}, ${row.store}, ${row.kind}` }));

interface Result {
  readonly outcomes: Outcomes;
  readonly service: Service;
  /** Requests before the restart. */
  readonly before: number;
}

const results = new Map<Row, Result>();
const folder = mkdtempSync(join(tmpdir(), 'restart-'));
const servers: Listening[] = [];

beforeAll(async () => {
  const begun = await atMost(8, rows, async (row, at) => {
    const service = row.way.model === 'anthropic' ? anthropicService() : openaiService();
    const server = await listen(service.fake);
    servers.push(server);
    const own = mkdtempSync(join(folder, `${at}-`));
    const { name: _, ...settings } = row;
    const job = await begin({ ...settings, folder: own, url: server.url });
    return { row, service, job, before: service.views().length };
  });
  const child = new URL('./rig/restart-child.ts', import.meta.url);
  const outcomes = await askNewProcess<Outcomes[]>(
    child,
    begun.map(({ job }) => job),
  );
  for (const [at, { row, service, before }] of begun.entries()) {
    results.set(row, { outcomes: outcomes[at] as Outcomes, service, before });
  }
}, 600_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** The requests of one case in the new process: the rest of the turn that waited, and the next turn. */
function viewsOf(row: Row, action: Action): { readonly rest: readonly Sent[]; readonly next: readonly Sent[] } {
  const { service, before } = results.get(row) as Result;
  const own = service.views().slice(before);
  const all = own.filter(({ asked }) => asked === `use ${CASES[action].tool}`);
  // One answer goes on with what waited.
  return { rest: all.slice(0, 1), next: all.slice(1) };
}

/** Whether the model still has the tool after a restart: where the service searches, the conversation tells it. */
const isKept = ({ store, way }: Row): boolean => store !== 'in-memory' || way.execution === 'server';

describe.each(rows.map((row) => ({ row, name: row.name })))('after a restart: $name', ({ row }) => {
  it.each(['approve', 'resume', 'decline'] as const)('the waiting call goes on: %s', (action) => {
    const { outcomes, service } = results.get(row) as Result;
    expect(outcomes[action].gone.text).toBe('done');
    const { rest } = viewsOf(row, action);
    const expected = { approve: 'done and paid', resume: 'yes', decline: 'Too much.' }[action];
    expect(rest[0]?.results.at(-1)).toContain(expected);
    expect(service.fake.refused).toEqual([]);
  });

  it('the call does not run where its right was withdrawn meanwhile', () => {
    const { rest } = viewsOf(row, 'withdrawn');
    expect(rest[0]?.results.at(-1)).toContain('not available');
    expect([rest[0]?.eager, rest[0]?.deferred].flat()).not.toContain('wipe_disk');
    const isFound = rest[0]?.referenced.includes('wipe_disk');
    // The service keeps what it found itself; an answer for it cannot be changed.
    if (row.way.model !== 'openai' || row.way.execution === 'client') expect(isFound).toBe(false);
  });

  it.each(['approve', 'resume', 'decline'] as const)(
    'the tool is known, or found again, as docs/restarts.md says: %s',
    (action) => {
      const { outcomes } = results.get(row) as Result;
      const { tool } = CASES[action];
      const { rest, next } = viewsOf(row, action);
      expect(rest).toHaveLength(1);
      const [first] = rest as [Sent];
      expect(first.isNative).toBe(true);
      const isSentWhole = row.way.model === 'anthropic' || row.way.execution === 'server';
      expect(first.deferred.includes(tool)).toBe(isSentWhole);
      expect(isCallable(first, tool)).toBe(isKept(row));
      // The next turn has it, or finds it again.
      expect(outcomes[action].next.waitingTool).toBe(tool);
      expect(next).toHaveLength(isKept(row) ? 1 : 2);
      expect(isCallable(next.at(-1) as Sent, tool)).toBe(true);
    },
  );
});
