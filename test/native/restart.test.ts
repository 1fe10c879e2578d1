import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import { askNewProcess } from '../support/new-process.ts';
import { type Listening, listen } from './fakes/fake-provider.ts';
import type { Sent } from './rig/goals.ts';
import { type Action, begin, CASES, type Outcomes, type Settings, STORES } from './rig/restart-app.ts';
import { FORMS, KINDS } from './rig/rig.ts';
import { anthropicService, openaiService, type Service } from './rig/services.ts';

/** Goes on in a new process with what waited in this one. */
interface Row extends Omit<Settings, 'folder' | 'url'> {
  readonly name: string;
}

const rows: readonly Row[] = part(
  KINDS.flatMap((kind) => FORMS.flatMap((form) => STORES.map((store) => ({ kind, form, store })))),
  'pairs',
).map(({ kind, form, store }) => ({ kind, form, store, name: `${kind}, ${form.dialect} ${form.execution}, ${store}` }));

interface Result {
  readonly outcomes: Outcomes;
  readonly service: Service;
  /** Requests before the restart. */
  readonly before: number;
}

const results = new Map<Row, Result>();
const folder = mkdtempSync(join(tmpdir(), 'native-restart-'));
const servers: Listening[] = [];

beforeAll(async () => {
  const begun = await Promise.all(
    rows.map(async (row, at) => {
      const service = row.form.dialect === 'anthropic' ? anthropicService() : openaiService();
      const server = await listen(service.fake);
      servers.push(server);
      const own = mkdtempSync(join(folder, `${at}-`));
      const { name: _, ...settings } = row;
      const job = await begin({ ...settings, folder: own, url: server.url });
      return { row, service, job, before: service.views().length };
    }),
  );
  const child = new URL('./rig/restart-child.ts', import.meta.url);
  const outcomes = await askNewProcess<Outcomes[]>(
    child,
    begun.map(({ job }) => job),
  );
  for (const [at, { row, service, before }] of begun.entries()) {
    results.set(row, { outcomes: outcomes[at] as Outcomes, service, before });
  }
}, 120_000);

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

/** Whether the model still knows the tool after a restart: where the service searches, the conversation tells it. */
const isKept = ({ store, form }: Row): boolean => store !== 'in-memory' || form.execution === 'server';

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
    expect(rest[0]?.deferred).not.toContain('wipe_disk');
    const isFound = rest[0]?.referenced.includes('wipe_disk');
    // The service keeps what it found itself; an answer for it cannot be changed.
    if (row.form.dialect === 'anthropic' || row.form.execution === 'client') expect(isFound).toBe(false);
  });

  it.each(['approve', 'resume', 'decline'] as const)(
    'the tool is known, or found again, as docs/restarts.md says: %s',
    (action) => {
      const { outcomes } = results.get(row) as Result;
      const { tool } = CASES[action];
      const { rest, next } = viewsOf(row, action);
      expect(rest).toHaveLength(1);
      expect(rest[0]?.isNative).toBe(true);
      expect(rest[0]?.referenced.includes(tool)).toBe(isKept(row));
      const isSentWhole = row.form.dialect === 'anthropic' || row.form.execution === 'server';
      expect(rest[0]?.deferred.includes(tool)).toBe(isSentWhole);
      // The next turn has it, or finds it again.
      expect(outcomes[action].next.waitingTool).toBe(tool);
      expect(next).toHaveLength(isKept(row) ? 1 : 2);
      expect(next.at(-1)?.referenced).toContain(tool);
    },
  );
});
