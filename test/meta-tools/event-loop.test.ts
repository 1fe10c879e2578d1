import { expect, it, vi } from 'vitest';
import { invocation, message, userSays } from '../loaded/conversation/messages.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { Session } from './session.ts';

const COUNT = 4_000;
const tools = toolRecord(...Array.from({ length: COUNT }, (_, n) => tool(`tool_number_${n}`)));
const unknown = (count: number, what = 'unknown') => Array.from({ length: count }, (_, n) => `${what}_nmber_${n}`);
/** One piece of work may end and the next begin between two turns. */
const A_FEW_SLICES = 60;

/** What a piece of work looks at the clock, which goes on by a millisecond each time, so that 10 looks are a slice. */
async function looksDuring(work: () => Promise<unknown>): Promise<number> {
  let [looks, last, most, isOn] = [0, 0, 0, true];
  vi.spyOn(performance, 'now').mockImplementation(() => ++looks);
  const turn = (): void => {
    most = Math.max(most, looks - last);
    last = looks;
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOn = false;
  vi.restoreAllMocks();
  // Between two turns of the event loop.
  expect(Math.max(most, looks - last)).toBeLessThan(A_FEW_SLICES);
  return looks;
}

const list = (n: number): string[] => unknown(100, `list_${n}`);
const eight = Array.from({ length: 8 }, (_, n) => n);
const patterns = (n: number): string => `select:${list(n).map((name) => `${name}*`)}`;

/** The looks of a call. */
async function looksOf(name: string, input: unknown): Promise<number> {
  const session = new Session({ tools });
  // The index is built in the background, and takes its turns as well.
  await session.search({ query: 'tool' });
  const { tools: sent } = await session.step();
  return looksDuring(async () => sent[name]?.execute?.(input as never, {} as never));
}

// Five names of a call get suggestions, and a hundred are looked up.
it.each<[what: string, name: string, input: unknown, as: unknown]>([
  [
    'eight lists of unknown names in one search',
    'search_tools',
    { query: eight.map((n) => `select:${list(n)}`) },
    { query: `select:${list(0).slice(0, 5)}` },
  ],
  ['a hundred unknown names to load', 'load_tool', { toolNames: list(0) }, { toolNames: list(0).slice(0, 5) }],
  ['eight lists of patterns in one search', 'search_tools', { query: eight.map(patterns) }, { query: patterns(0) }],
])('other requests are served during %s, and the work is bounded', async (_, name, input, as) => {
  const bound = await looksOf(name, as);
  expect(bound).toBeGreaterThan(COUNT / 100);
  expect(bound).toBeLessThan(2 * COUNT);
  expect(await looksOf(name, input)).toBeLessThan(bound * 1.3 + 100);
});

it('other requests are served during a step that looks for the tools that ten missed calls meant', async () => {
  const session = new Session({ tools });
  const parts = unknown(10).map((toolName) => {
    const errorText = `Tool "${toolName}" not found. Available tools: none`;
    return invocation({ state: 'output-error', toolName, errorText });
  });
  for (const said of [userSays('go'), message('assistant', parts)]) session.messageList.add(said as never, 'response');
  expect(await looksDuring(() => session.step())).toBeGreaterThan(COUNT / 10);
});
