import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import type { ToolSearchFilter, ToolSource } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { CATALOG, memoryOf, recordingTool, type WorldOptions } from '../native/rig/world.ts';
import { fillerTools, tool, toolRecord } from '../support/harness.ts';
import { type MemorySource, memorySource, TENANT } from '../support/memory-source.ts';
import { attemptsAt, type ModeRig, modeRig, WAYS_AND_MISSES, type Way } from '../support/modes.ts';

const ways = WAYS_AND_MISSES.filter(({ execution }) => execution !== 'server');
const kinds = ['Agent', 'DurableAgent'] as const;
const names = Object.keys(CATALOG);

interface There extends ModeRig {
  readonly source: MemorySource;
  readonly used: readonly string[];
}

/** An agent over a source that has the catalog. */
async function over(way: Way, { options, ...world }: WorldOptions = {}): Promise<There> {
  const used: string[] = [];
  const source = await memorySource({
    ...toolRecord(...names.map((name) => recordingTool(used, name))),
    ...fillerTools(20),
  });
  const there = modeRig(way, { ...world, options: { ...options, tools: source } as never });
  return { ...there, source, used };
}

const asked = ({ source }: There): readonly string[] =>
  source.asked.splice(0).map(({ operation, what }) => `${operation} ${what}`);

describe.each(ways.flatMap((way) => kinds.map((registered) => ({ ...way, registered }))))(
  'over a source, with $way, $registered',
  ({ registered, ...way }) => {
    it('no run asks for more than it needs', async () => {
      const there = await over(way, { registered });
      await there.ask('use get_weather');
      expect(there.used).toEqual(['get_weather']);
      const first = asked(there);
      expect(first.filter((one) => one.startsWith('search'))).toHaveLength(1);
      expect(first.filter((one) => one.startsWith('get'))).toEqual(['get get_weather']);
      await there.ask('say nothing');
      // What the thread has loaded is fetched at the beginning, at once.
      expect(asked(there)).toEqual(way.mode === 'call' ? [] : ['get get_weather']);
    });

    it('a tool that the filter does not permit does not run, and leaves no trace', async () => {
      const secret = 'get_weather';
      for (const phase of ['search', 'load', 'active'] as const) {
        const filter: ToolSearchFilter = (args) => args.toolName !== secret || args.phase !== phase;
        const there = await over(way, { registered, options: { filter } });
        await there.does(attemptsAt(way, secret));
        // Who writes the exact name knows of the tool: what may be loaded and used runs.
        if (phase !== 'search') expect(there.used).toEqual([]);
        const found = there.sent
          .flatMap(({ results }) => results)
          .filter((result) => result.includes(`"${way.search}"`));
        if (phase === 'search') expect(found.filter((result) => result.includes(CATALOG[secret]!))).toEqual([]);
      }
    });
  },
);

const TENANTS = ['acme', 'umbrella'] as const;

/** What one tenant's user asks for, one turn after the other. */
const TURNS = ['use get_weather', 'use send_email', 'use book_flight', 'use get_weather and send_email', 'hello'];

describe.each(ways.filter(({ onMiss }) => onMiss !== 'load'))('over a source of two tenants, with $way', (way) => {
  it('nothing of one shows in the other, however their requests interleave', async () => {
    const turns = fc.array(
      fc.record({
        tenant: fc.constantFrom(...TENANTS),
        thread: fc.constantFrom('a', 'b'),
        text: fc.constantFrom(...TURNS),
      }),
      { minLength: 2, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(turns, fc.scheduler(), async (wanted, scheduler) => {
        const used: string[] = [];
        const source = await memorySource();
        const toolsOf = (tenant: string) =>
          toolRecord(
            ...names.map((name) =>
              tool(name, `${CATALOG[name]} Of ${tenant}.`, { execute: async () => void used.push(tenant) }),
            ),
            tool(`wipe_${tenant}`, `Wipes all of ${tenant}.`),
          );
        for (const tenant of TENANTS) await source.fill(toolsOf(tenant), tenant);
        const slow: ToolSource = {
          search: scheduler.scheduleFunction(async (...args: Parameters<ToolSource['search']>) =>
            source.search(...args),
          ),
          get: scheduler.scheduleFunction(async (...args: Parameters<ToolSource['get']>) => source.get(...args)),
        };
        const there = modeRig(way, { options: { tools: slow } as never, memory: memoryOf() });
        const ran = Promise.all(
          wanted.map(({ tenant, thread, text }) =>
            there.ask(`${text} as ${tenant}`, {
              requestContext: new RequestContext([[TENANT, tenant]]),
              memory: { thread: `${tenant}-${thread}`, resource: tenant },
            }),
          ),
        );
        await scheduler.waitFor(ran);
        for (const { json } of there.sent) {
          const [own, other] = json.includes('as acme') ? TENANTS : [...TENANTS].reverse();
          expect(json).toContain(`as ${own}`);
          expect(json).not.toContain(other);
        }
        expect(there.refused()).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });
});
