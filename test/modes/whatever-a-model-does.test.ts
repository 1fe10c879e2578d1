import fc from 'fast-check';
import type { ToolSearchFilterPhase } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { pick, type Random, randomFrom } from '../bench/speed/random.ts';
import type { Action } from '../native/rig/goals.ts';
import { anyText } from '../support/any-text.ts';
import { modeRig, WAYS, WAYS_AND_MISSES, type Way } from '../support/modes.ts';
import { realTools } from '../support/real-tools.ts';

const ROUNDS = 3;
const real = realTools();

/** Neighbours of real catalogs, with what they are for. */
function someTools(random: Random): Readonly<Record<string, string>> {
  const start = Math.floor(random() * (real.length - 20));
  return Object.fromEntries(real.slice(start, start + 20).map(({ id, description = '' }) => [id, description]));
}

/** A name as it is, in another spelling, with a letter missing, or as a pattern. */
function written(name: string, random: Random): string {
  const at = Math.floor(random() * name.length);
  const camel = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const lacking = name.slice(0, at) + name.slice(at + 1);
  return pick([name, name, camel, `functions.${name}`, `${name} `, lacking, `${name.split('_')[0]}_*`], random);
}

/** What a model may do that knows the names of all tools, and makes mistakes. */
function randomAction({ mode, search, execution }: Way, names: readonly string[], random: Random): Action {
  const wanted = pick(names, random);
  const name = written(wanted, random);
  const words = wanted.replaceAll('_', ' ');
  const queries = execution === 'server' ? [words] : [words, words, `select:${name}`, [words, name]];
  const searching: Action = { type: 'search', query: pick(queries, random), wanted: [wanted], tool: search };
  const own: readonly Action[] = mode === 'native' ? [] : [{ type: mode === 'load' ? 'load' : 'bridge', name }];
  return pick([searching, { type: 'call', name }, ...own, ...own], random);
}

describe.each(WAYS_AND_MISSES)('with $way, a model that does what it likes', (way) => {
  it('runs nothing that is forbidden to load or to use', async () => {
    const random = randomFrom(7);
    for (let round = 0; round < ROUNDS; round++) {
      const catalog = someTools(random);
      const names = Object.keys(catalog);
      const forbidden = new Set(names.filter(() => random() < 0.5));
      const denied = pick<ToolSearchFilterPhase>(['load', 'active'], random);
      const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
        phase !== denied || !forbidden.has(toolName);
      const { ask, does, ran } = modeRig(way, { catalog, options: { filter } });
      await does(Array.from({ length: 12 }, () => randomAction(way, names, random)));
      const permitted = names.find((name) => /^[a-z]+(_[a-z]+)+$/.test(name) && !forbidden.has(name));
      if (permitted) {
        await ask(`use ${permitted}`);
        expect(ran).toContain(permitted);
      }
      expect(ran.filter((id) => forbidden.has(id))).toEqual([]);
    }
  });

  it('reads of a catalog with forbidden tools, byte for byte, what it reads of one without them', async () => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = randomFrom(seed);
      const catalog = someTools(random);
      const names = Object.keys(catalog);
      const forbidden = new Set(names.filter(() => random() < 0.5));
      const actions = Array.from({ length: 6 }, () => randomAction(way, names, random));
      const filter = async ({ toolName }: { toolName: string }) => !forbidden.has(toolName);
      const read = async (tools: readonly (readonly [string, string])[]): Promise<unknown> => {
        const options = { filter, injectCatalog: seed % 2 === 0 };
        const there = modeRig(way, { catalog: Object.fromEntries(tools), options });
        await there.does(actions);
        return { sent: there.sent.map(({ json }) => json), ran: there.ran };
      };
      const all = Object.entries(catalog);
      expect(await read(all), `seed ${seed}`).toEqual(await read(all.filter(([name]) => !forbidden.has(name))));
    }
  });
});

describe.each(WAYS)('with $way, tools described in any text', (way) => {
  it('are found and used in requests that a provider accepts', async () => {
    const property = fc.asyncProperty(anyText(), anyText(), async (one, other) => {
      const catalog = { get_weather: `get weather ${one}`, send_email: other };
      const { ask, ran, refused } = modeRig(way, { catalog, options: { injectCatalog: true } });
      expect((await ask('use get_weather')).text).toBe('done');
      expect(ran).toEqual(['get_weather']);
      expect(refused()).toEqual([]);
    });
    await fc.assert(property, { numRuns: ROUNDS, seed: 3 });
  });
});
