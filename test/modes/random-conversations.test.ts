import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import fc from 'fast-check';
import { createOpenAI as createOpenAI3First } from 'openai-v3-first';
import { expect, it } from 'vitest';
import { pick, randomFrom } from '../bench/speed/random.ts';
import { EXECUTIONS } from '../native/rig/rig.ts';
import type { Kind } from '../native/rig/services.ts';
import { CATALOG, fileMemory, loadedByEvents, type WorldOptions, world } from '../native/rig/world.ts';
import { anyText } from '../support/any-text.ts';
import { modeRig, WAYS } from '../support/modes.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai', 'chat', 'scripted'];
const NAMES = Object.keys(CATALOG);

/** Modes, with what models get that have no tool search. */
interface Setting extends Pick<WorldOptions, 'mode' | 'execution'> {
  readonly fallback?: 'load' | 'call';
}

const settings: readonly Setting[] = [
  { mode: 'load' },
  { mode: 'call' },
  { mode: 'code' },
  ...EXECUTIONS.flatMap((execution) =>
    (['load', 'call'] as const).map((fallback): Setting => ({ mode: 'native', execution, fallback })),
  ),
];

/** The mode in which a model of a kind is served. */
const modeFor = ({ mode, fallback = 'load' }: Setting, kind: Kind) =>
  mode === 'native' && (kind === 'chat' || kind === 'scripted') ? fallback : mode;

/**
 * Turns of any model, in any order, with switches in the middle of runs, unloads, rights that come and go, and histories
 * that are cut: each is answered with the tools that were asked for, in requests that its service takes.
 */
async function converse(seed: number, setting: Setting): Promise<void> {
  const next = randomFrom(seed);
  const { fallback, ...given } = setting;
  const memory = fileMemory({ lastMessages: pick([2, 5, 40], next) });
  const storage = pick(['in-memory', 'context'] as const, next);
  const store = next() < 0.7;
  const openai = pick([createOpenAI, createOpenAI3First], next);
  const anthropic = pick([createAnthropic, createAnthropic3], next);
  // With a provider's search, two tools in namespaces of OpenAI's, and one in none.
  const groups = ({ id = '' }) => (id === 'get_weather' ? undefined : `of ${id.split('_')[0]}`);
  const denied = new Set<string>();
  const filter = ({ toolName }: { toolName: string }): boolean => !denied.has(toolName);
  const native = fallback ? { native: { fallback } } : {};
  const options = { storage, filter, ...(next() < 0.5 ? { groups } : {}) };
  const there = world({ ...given, memory, openai, anthropic, ...native, options: options as never });
  for (let turn = 0; turn < 5; turn++) {
    denied.clear();
    if (next() < 0.3) denied.add(pick(NAMES, next));
    const goals = NAMES.filter((name) => next() < 0.6 && !denied.has(name)).sort(() => next() - 0.5);
    const [kind, other] = [pick(kinds, next), pick(kinds, next)];
    const at = next() < 0.4 ? Math.floor(next() * 3) : Number.POSITIVE_INFINITY;
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= at ? { model: there.models[other] } : undefined;
    if (given.execution !== 'server' && next() < 0.3)
      await there.processor.unload({ threadId: 'thread', resourceId: 'user' }, [pick(NAMES, next)]);
    const how = pick(['say', 'stream'] as const, next);
    const [before, ranBefore] = [there.sent.length, there.ran.length];
    const asked = { prepareStep, providerOptions: { openai: { store } } };
    const answer = await there[how](`use ${goals.join(' ')}`, kind, asked);
    const sent = there.sent.slice(before);

    const about = { seed, setting, turn, how, kind, switched: at < 3 && `to ${other} at ${at}`, denied: [...denied] };
    const named = sent.flatMap(({ eager, deferred, referenced }) => [...eager, ...deferred, ...referenced]);
    // The first version loses namespaces, which only the service tells: once.
    const lost = there.refused().filter(({ rule }) => rule === 'missing-namespace');
    expect(lost.length).toBeLessThanOrEqual(openai === createOpenAI3First ? 1 : 0);
    const ran = there.ran.slice(ranBefore);
    const forbidden = named.filter((name) => denied.has(name));
    const foreign = sent.flatMap((one) => one.foreign);
    const refused = there.refused().filter((one) => !lost.includes(one));
    expect({ about, answer, ran, forbidden, foreign, refused }).toEqual({
      ...{ about, answer: 'done', ran: goals },
      ...{ forbidden: [], foreign: [], refused: [] },
    });

    // Of what a provider found there may be no event.
    const found = there.sent.flatMap(({ referenced }) => referenced);
    const meta = ['own_tool', 'search_tools', 'load_tool'];
    const allowed = [...meta, ...loadedByEvents(there.events), ...there.ran, ...found];
    const sentIn = (mode: 'load' | 'call') => [
      ...new Set(sent.filter((one) => modeFor(setting, one.kind) === mode).flatMap(({ eager }) => eager)),
    ];
    const bridge = ['call_tool', 'own_tool', 'search_tools'];
    const bridged = sentIn('call').sort();
    expect({ about, loaded: sentIn('load').filter((name) => !allowed.includes(name)) }).toEqual({ about, loaded: [] });
    // A model that takes over within a step of native mode gets what that step has for others: a search and a load.
    if (setting.mode === 'native' && at < 3) expect([...bridge, ...allowed]).toEqual(expect.arrayContaining(bridged));
    else expect({ about, bridged }).toEqual({ about, bridged: bridged.length > 0 ? bridge : [] });
  }
}

it.each(settings.map((setting, seed) => ({ ...setting, seed })))(
  'a random conversation is answered with the tools that were asked for: $mode, $execution, fallback $fallback, seed $seed',
  ({ seed, ...setting }) => converse(seed, setting),
);

it.each(WAYS)(
  'with $way, tools described in any text are found and used in requests that are accepted',
  async (way) => {
    const property = fc.asyncProperty(anyText(), anyText(), async (one, other) => {
      const catalog = { get_weather: `get weather ${one}`, send_email: other };
      const { ask, ran, refused } = modeRig(way, { catalog, options: { injectCatalog: true } });
      expect((await ask('use get_weather')).text).toBe('done');
      expect(ran).toEqual(['get_weather']);
      expect(refused()).toEqual([]);
    });
    await fc.assert(property, { numRuns: 3, seed: 3 });
  },
);
