import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAI3 } from 'openai-v3';
import { createOpenAI as createOpenAI3First } from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { runsAll } from '../support/breadth.ts';
import type { Kind } from './rig/services.ts';
import { CATALOG, type Execution, fileMemory, loadedByEvents, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai', 'chat', 'scripted'];
const executions: readonly Execution[] = ['client', 'server'];
const NAMES = Object.keys(CATALOG);

/** Numbers from 0 up to 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/**
 * Turns of any model, in any order, with switches in the middle of runs, unloads, rights that come and go, and histories
 * that are cut.
 */
async function converse(seed: number, execution: Execution): Promise<void> {
  const next = random(seed);
  const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!;
  const memory = fileMemory({ lastMessages: oneOf([2, 5, 40]) });
  const storage = oneOf(['in-memory', 'context'] as const);
  const store = next() < 0.7;
  const openai = oneOf([createOpenAI, createOpenAI3, createOpenAI3First]);
  const isFirst = openai === createOpenAI3First;
  const denied = new Set<string>();
  const filter = ({ toolName }: { toolName: string }): boolean => !denied.has(toolName);
  const there = world({ execution, memory, openai, options: { storage, filter } });
  const log: string[] = [`storage ${storage}, store ${store}, ${openai === createOpenAI ? 4 : isFirst ? '3.0.46' : 3}`];
  for (let turn = 0; turn < 5; turn++) {
    denied.clear();
    if (next() < 0.3) denied.add(oneOf(NAMES));
    const goals = NAMES.filter((name) => next() < 0.6 && !denied.has(name)).sort(() => next() - 0.5);
    const kind = oneOf(kinds);
    const other = oneOf(kinds);
    const at = next() < 0.4 ? Math.floor(next() * 3) : Number.POSITIVE_INFINITY;
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= at ? { model: there.models[other] } : undefined;
    if (execution === 'client' && next() < 0.3) {
      const { processor } = there;
      await processor.unload({ threadId: 'thread', resourceId: 'user' }, [oneOf(NAMES)]);
    }
    const text = `use ${goals.join(' ')}`;
    const { length: before } = there.sent;
    const { length: ranBefore } = there.ran;
    const mode = oneOf(['say', 'stream'] as const);
    log.push(`${mode} ${kind}${at < 3 ? ` → ${other} at ${at}` : ''}: ${text}; denied: ${[...denied]}`);
    const about = `seed ${seed}, ${execution}\n${log.join('\n')}`;
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
    const inLoadMode = sent.filter((one) => one.kind === 'chat' || one.kind === 'scripted');
    expect(
      inLoadMode.flatMap(({ eager }) => eager).filter((name) => !allowed.has(name)),
      about,
    ).toEqual([]);
  }
}

describe.each(executions)('random conversations, execution %s,', (execution) => {
  const groups = runsAll ? 12 : 3;
  it.each(Array.from({ length: groups }, (_, group) => group * 3))(
    'are answered with the tools that were asked for: seeds from %i on',
    async (first) => {
      for (let seed = first; seed < first + 3; seed++) await converse(seed, execution);
    },
  );
});
