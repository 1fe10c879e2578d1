import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../native/fakes/fake-provider.ts';
import { isCallable, type Sent } from '../native/rig/goals.ts';
import { KINDS, MODES } from '../native/rig/rig.ts';
import { anthropicService, openaiService } from '../native/rig/services.ts';
import { pairwise } from '../support/breadth.ts';
import { WAYS } from '../support/modes.ts';
import { askNewProcess } from '../support/new-process.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { type App, openApp } from './app.ts';
import { ACTIONS, CATALOGS, type Case, type Outcome, toolOf } from './cases.ts';

const page = readFileSync(new URL('../../docs/restarts.md', import.meta.url), 'utf8');
const [, table = ''] = /<!-- restarts:start -->\n([\s\S]*?)<!-- restarts:end -->/.exec(page) ?? [];
const cells = [...table.matchAll(/^\| (.*) \|$/gm)].map(([, line = '']) => line.split(' | '));
/** The lines of the table: what works with a store, in the same process and in a new one. */
const lines = cells.slice(1).map(([store = '', process = '', ...works]) => ({
  store,
  process: (process === 'the same' ? process : 'a new one') as Case['process'],
  works: Object.fromEntries(works.map((cell, at) => [cells[0]?.[at + 2] ?? '', cell === 'yes'])),
}));
const callLine = lines.find(({ store }) => store.includes("mode: 'call'"))!;

const cases: readonly Case[] = pairwise(
  {
    action: ACTIONS,
    line: lines.filter((line) => line !== callLine && !(noRedis && line.store === 'redisStore')),
    // What a program calls does not wait.
    way: WAYS.filter(({ execution, mode }) => execution !== 'append' && mode !== 'code'),
    catalog: CATALOGS,
    kind: KINDS,
  },
  ({ way, catalog }) => way.execution !== 'server' || catalog !== 'source',
).map(({ line: { store, process }, ...one }, at) => ({
  ...one,
  ...{ store: store as Case['store'], process, mode: MODES[at % 2]!, id: `case-${at}x` },
}));

const services = { anthropic: anthropicService(), openai: openaiService() };
/** All that the services were sent so far. */
const allSent = (): readonly Sent[] => Object.values(services).flatMap((service) => service.views());
const ofCase = (sent: readonly Sent[], { id }: Case) => sent.filter(({ asked }) => asked.endsWith(` ${id}`));
const results = new Map<Case, Outcome>();
const folder = mkdtempSync(join(tmpdir(), 'restart-'));
const servers: Listening[] = [];
let redis: RedisServer | undefined;
let app: App;

beforeAll(async () => {
  redis = noRedis ? undefined : await startRedis();
  for (const { fake } of Object.values(services)) servers.push(await listen(fake));
  const [anthropic, openai] = servers.map(({ url }) => url) as [string, string];
  const place = { folder, urls: { anthropic, openai }, redisUrl: redis?.url };
  app = await openApp(place, cases);
  const all = await app.begin();
  const before = allSent();
  const [same, anew] = (['the same', 'a new one'] as const).map((process) =>
    all.filter(({ one }) => one.process === process),
  );
  const child = new URL('./child.ts', import.meta.url);
  const outcomes = [...(await app.goOn(same!)), ...(await askNewProcess<Outcome[]>(child, { place, jobs: anew! }))];
  const after = allSent();
  for (const [at, { one }] of [...same!, ...anew!].entries()) {
    const outcome = outcomes[at]!;
    const sent = one.way.mode === 'native' ? ofCase(after, one).slice(ofCase(before, one).length) : outcome.sent;
    results.set(one, { ...outcome, sent });
  }
}, 600_000);

afterAll(async () => {
  await app.close();
  await Promise.all(servers.map((server) => server.close()));
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the model reads of the call, and how often the tool ran. */
function expectedOf({ action, id }: Case): { column: string; answer: string; runs: number } {
  if (action === 'decline') return { column: 'decline', answer: 'Too much.', runs: 0 };
  // What resumes gets the input as it was written.
  if (action === 'approve' || action === 'resume')
    return { column: action, answer: `did ${action === 'approve' ? 7 : 'undefined'} in ${id} by ${id}`, runs: 1 };
  return { column: 'withdrawn right', answer: 'is not available to this request. Do not call it again', runs: 0 };
}

describe.each(cases.map((one) => ({ ...one, one, name: one.way.way })))(
  'a call that waits: $action, $name, $store, process $process, $catalog, $kind, $mode',
  ({ one, way, store, process, action, catalog }) => {
    const tool = toolOf(one);
    const isWithdrawn = action === 'active' || action === 'load';
    const line =
      way.mode === 'call' ? callLine : lines.find((each) => each.store === store && each.process === process)!;

    it('goes on as docs/restarts.md says', () => {
      const { gone, sent, runs, denied } = results.get(one)!;
      const expected = expectedOf(one);
      expect(line.works[expected.column]).toBe(true);
      expect(sent[0]?.results.at(-1)).toContain(expected.answer);
      expect({ text: gone.text, runs, denied: [...new Set(denied)] }).toEqual({
        text: 'done',
        runs: expected.runs,
        denied: isWithdrawn ? [tool] : [],
      });
      expect([...services.anthropic.fake.refused, ...services.openai.fake.refused]).toEqual([]);
    });

    it('has its tool loaded still, or found again, as docs/restarts.md says', () => {
      const { next, sent } = results.get(one)!;
      const [first, ...others] = sent as [Sent, ...Sent[]];
      const isSentWhole = way.execution === 'server' || (way.model === 'anthropic' && /small|large/.test(catalog));
      if (way.mode === 'native' && !isWithdrawn) expect(first.isNative).toBe(true);
      if (action === 'active') {
        expect([...first.eager, ...first.deferred]).not.toContain(tool);
        return;
      }
      if (way.mode === 'native' && isSentWhole && !isWithdrawn) expect(first.deferred).toContain(tool);
      // Where a provider searches, the conversation keeps what it found. In call mode nothing is loaded.
      const isKept = line.works['still loaded'] || way.execution === 'server';
      // Without the right to load, what a conversation shows counts no longer; elsewhere a load stays a load.
      if (action !== 'load' || (way.mode !== 'native' && store !== 'context'))
        expect(isCallable(first, tool)).toBe(isKept && way.mode !== 'call');
      if (isWithdrawn) return;
      // The next turn has it, or finds it again.
      expect(next.waitingTool).toBe(tool);
      expect(others.length === 1).toBe(isKept);
      expect(isCallable(others.at(-1)!, tool)).toBe(way.mode !== 'call');
    });
  },
);
