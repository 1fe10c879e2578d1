import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import type { ToolSearchFilter, ToolSource } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { KINDS } from '../native/rig/rig.ts';
import { CATALOG, memoryOf, recordingTool, type WorldOptions } from '../native/rig/world.ts';
import { fillerTools, tool, toolRecord } from '../support/agent.ts';
import { inTurn } from '../support/breadth.ts';
import { memorySource, TENANT } from '../support/memory-source.ts';
import { attemptsAt, modeRig, WAYS, type Way } from '../support/modes.ts';

// A search of the client is one, whatever definitions are sent.
const ways = WAYS.filter(({ execution }) => execution === 'client');
const names = Object.keys(CATALOG);

/** An agent over a source that has the catalog. */
async function over(way: Way, { options, ...world }: WorldOptions = {}) {
  const used: string[] = [];
  const source = await memorySource({
    ...toolRecord(...names.map((name) => recordingTool(used, name))),
    ...fillerTools(20),
  });
  const there = modeRig(way, { ...world, options: { ...options, tools: source } as never });
  const asked = () => source.asked.splice(0).map(({ operation, what }) => `${operation} ${what}`);
  return { ...there, asked, used };
}

it.each(inTurn({ way: ways, registered: KINDS }))(
  'no run over a source asks for more than it needs: $way.way, $registered',
  async ({ way, registered }) => {
    const { ask, asked, used } = await over(way, { registered });
    await ask('use get_weather');
    expect(used).toEqual(['get_weather']);
    expect(asked().sort()).toEqual(['get get_weather', expect.stringMatching(/^search /)]);
    await ask('say nothing');
    // What the thread has loaded is fetched at the beginning, at once.
    expect(asked()).toEqual(way.mode === 'call' || way.mode === 'code' ? [] : ['get get_weather']);
  },
);

it.each(ways)('no search shows what the filter does not permit of a source: $way', async (way) => {
  const secret = 'get_weather';
  const filter: ToolSearchFilter = ({ toolName, phase }) => toolName !== secret || phase !== 'search';
  const there = await over(way, { options: { filter } });
  await there.does(attemptsAt(way, secret));
  const found = there.sent.flatMap(({ results }) => results).filter((result) => result.includes(`"${way.search}"`));
  expect(found.filter((result) => result.includes(CATALOG[secret]!))).toEqual([]);
});

const TENANTS = ['acme', 'umbrella'] as const;

/** What one tenant's user asks for, one turn after the other. */
const TURNS = ['use get_weather', 'use send_email', 'use book_flight', 'use get_weather and send_email', 'hello'];
const turns = fc.array(
  fc.record({
    tenant: fc.constantFrom(...TENANTS),
    thread: fc.constantFrom('a', 'b'),
    text: fc.constantFrom(...TURNS),
  }),
  { minLength: 2, maxLength: 6 },
);

it.each(ways)(
  'nothing of one tenant shows in another, however their requests interleave over one source: $way',
  async (way) => {
    const interleaved = fc.asyncProperty(turns, fc.scheduler(), async (wanted, scheduler) => {
      const source = await memorySource();
      for (const tenant of TENANTS) {
        const of = (name: string) => tool(name, `${CATALOG[name]} Of ${tenant}.`);
        await source.fill(toolRecord(...names.map(of), tool(`wipe_${tenant}`, `Wipes all of ${tenant}.`)), tenant);
      }
      const slow: ToolSource = {
        search: scheduler.scheduleFunction(async (...args: Parameters<ToolSource['search']>) => source.search(...args)),
        get: scheduler.scheduleFunction(async (...args: Parameters<ToolSource['get']>) => source.get(...args)),
      };
      const there = modeRig(way, { options: { tools: slow } as never, memory: memoryOf() });
      const ran = wanted.map(({ tenant, thread, text }) =>
        there.ask(`${text} as ${tenant}`, {
          requestContext: new RequestContext([[TENANT, tenant]]),
          memory: { thread: `${tenant}-${thread}`, resource: tenant },
        }),
      );
      await scheduler.waitFor(Promise.all(ran));
      for (const { json } of there.sent) {
        const [own, other] = json.includes('as acme') ? TENANTS : [...TENANTS].reverse();
        expect(json).toContain(`as ${own}`);
        expect(json).not.toContain(other);
      }
      expect(there.refused()).toEqual([]);
    });
    await fc.assert(interleaved, { numRuns: 3 });
  },
);
