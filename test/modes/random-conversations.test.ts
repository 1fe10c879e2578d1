import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import { createOpenAI as createOpenAI3First } from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../bench/speed/random.ts';
import { EXECUTIONS } from '../native/rig/rig.ts';
import type { Kind } from '../native/rig/services.ts';
import { CATALOG, fileMemory, loadedByEvents, type WorldOptions, world } from '../native/rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai', 'chat', 'scripted'];

/** Modes, with what models get that have no tool search. */
interface Setting extends Pick<WorldOptions, 'mode' | 'execution'> {
  readonly title: string;
  readonly fallback?: 'load' | 'call';
}

const settings: readonly Setting[] = [
  { title: "mode: 'load'", mode: 'load' },
  { title: "mode: 'call'", mode: 'call' },
  ...EXECUTIONS.flatMap((execution) =>
    (['load', 'call'] as const).map((fallback): Setting => {
      return { title: `mode: 'native', ${execution}, fallback: '${fallback}'`, mode: 'native', execution, fallback };
    }),
  ),
];

/** The mode in which a model of a kind is served. */
const modeFor = ({ mode = 'native', fallback = 'load' }: Setting, kind: Kind): 'load' | 'call' | 'native' =>
  mode === 'native' && (kind === 'chat' || kind === 'scripted') ? fallback : mode;

const NAMES = Object.keys(CATALOG);

/**
 * Turns of any model, in any order, with switches in the middle of runs, unloads, rights that come and go, and histories
 * that are cut.
 */
async function converse(seed: number, setting: Setting): Promise<void> {
  const next = randomFrom(seed);
  const { title, fallback, ...given } = setting;
  const isServer = given.execution === 'server';
  const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!;
  const memory = fileMemory({ lastMessages: oneOf([2, 5, 40]) });
  const storage = oneOf(['in-memory', 'context'] as const);
  const store = next() < 0.7;
  const openai = oneOf([createOpenAI, createOpenAI3First]);
  const anthropic = oneOf([createAnthropic, createAnthropic3]);
  const isFirst = openai === createOpenAI3First;
  // Two tools in namespaces of OpenAI's, and one in none.
  const namespace = ({ id = '' }) => (id === 'get_weather' ? undefined : `of ${id.split('_')[0]}`);
  const denied = new Set<string>();
  const filter = ({ toolName }: { toolName: string }): boolean => !denied.has(toolName);
  const native = fallback ? { native: { fallback, ...(next() < 0.5 ? { namespace } : {}) } } : {};
  const there = world({ ...given, memory, openai, anthropic, ...native, options: { storage, filter } as never });
  const log: string[] = [`storage ${storage}, store ${store}, ${isFirst ? '3.0.46' : 4}`];
  for (let turn = 0; turn < 5; turn++) {
    denied.clear();
    if (next() < 0.3) denied.add(oneOf(NAMES));
    const goals = NAMES.filter((name) => next() < 0.6 && !denied.has(name)).sort(() => next() - 0.5);
    const kind = oneOf(kinds);
    const other = oneOf(kinds);
    const at = next() < 0.4 ? Math.floor(next() * 3) : Number.POSITIVE_INFINITY;
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= at ? { model: there.models[other] } : undefined;
    if (!isServer && next() < 0.3) {
      const { processor } = there;
      await processor.unload({ threadId: 'thread', resourceId: 'user' }, [oneOf(NAMES)]);
    }
    const text = `use ${goals.join(' ')}`;
    const { length: before } = there.sent;
    const { length: ranBefore } = there.ran;
    const mode = oneOf(['say', 'stream'] as const);
    log.push(`${mode} ${kind}${at < 3 ? ` → ${other} at ${at}` : ''}: ${text}; denied: ${[...denied]}`);
    const about = `seed ${seed}, ${title}\n${log.join('\n')}`;
    const answer = await there[mode](text, kind, { prepareStep, providerOptions: { openai: { store } } });
    const sent = there.sent.slice(before);
    // The first version loses namespaces, which only the service tells: once.
    const lost = there.refused().filter(({ rule }) => rule === 'missing-namespace');
    expect(lost.length, about).toBeLessThanOrEqual(isFirst ? 1 : 0);
    expect(there.refused(), about).toEqual(lost);
    expect(
      sent.flatMap(({ foreign }) => foreign),
      about,
    ).toEqual([]);
    expect(answer, about).toBe('done');
    expect(there.ran.slice(ranBefore), about).toEqual(goals);
    const named = sent.flatMap(({ eager, deferred, referenced }) => [...eager, ...deferred, ...referenced]);
    expect(
      named.filter((name) => denied.has(name)),
      about,
    ).toEqual([]);
    // Of what a provider found there may be no event.
    const found = there.sent.flatMap(({ referenced }) => referenced);
    const allowed = new Set(['own_tool', 'search_tools', 'load_tool', ...loadedByEvents(there.events), ...there.ran]);
    for (const name of found) allowed.add(name);
    const notNative = (mode: 'load' | 'call') =>
      sent.filter(({ kind: of }) => modeFor(setting, of) === mode).flatMap(({ eager }) => eager);
    expect(
      notNative('load').filter((name) => !allowed.has(name)),
      about,
    ).toEqual([]);
    const bridge = ['call_tool', 'own_tool', 'search_tools'];
    const bridged = new Set(notNative('call'));
    // A model that takes over within a step of native mode gets what that step has for others: a search and a load.
    const isTakenOver = setting.mode === 'native' && at < 3;
    if (isTakenOver) for (const name of bridged) expect([...bridge, ...allowed], about).toContain(name);
    else expect([...bridged].sort(), about).toEqual(bridged.size > 0 ? bridge : []);
  }
}

describe.each(settings)('random conversations, $title,', (setting) => {
  it.each([0, 3, 6])('are answered with the tools that were asked for: seeds from %i on', async (first) => {
    for (let seed = first; seed < first + 3; seed++) await converse(seed, setting);
  });
});
