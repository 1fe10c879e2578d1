import { MessageList } from '@mastra/core/agent/message-list';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CHUNK } from '../../src/util/time-slices.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { Session } from './session.ts';

const COUNT = 4_000;
const tools = toolRecord(...Array.from({ length: COUNT }, (_, n) => tool(`tool_number_${n}`)));
const unknown = (count: number, what = 'unknown') => Array.from({ length: count }, (_, n) => `${what}_nmber_${n}`);
/** Looks at the clock for one look at all names: work looks at it after each chunk. */
const LOOKS = Math.floor(COUNT / CHUNK);
/** Looks after each of a hundred patterns, after each tool whose group is read, and for the suggestions. */
const OF_PATTERNS = 100 + COUNT + 5 * LOOKS;

/** One piece of work may end and the next begin between two turns. */
const A_FEW_SLICES = 60;

/** A clock that goes on by a millisecond whenever it is looked at, so that 10 looks are a slice of work. */
function countLooks(): { readonly all: () => number; readonly most: () => number; stop: () => void } {
  let looks = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => ++looks);
  const start = looks;
  let last = looks;
  let most = 0;
  let isOn = true;
  const turn = (): void => {
    most = Math.max(most, looks - last);
    last = looks;
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    all: () => looks - start,
    /** Between two turns of the event loop. */
    most: () => Math.max(most, looks - last),
    stop: () => {
      isOn = false;
    },
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('other requests are served', () => {
  it.each([
    {
      what: 'eight lists of unknown names in one search',
      name: 'search_tools',
      input: { query: Array.from({ length: 8 }, (_, n) => `select:${unknown(100, `list_${n}`)}`) },
      // Five of all names get suggestions, however many lists there are.
      expected: 5 * LOOKS,
    },
    {
      what: 'a hundred unknown names to load',
      name: 'load_tool',
      input: { toolNames: unknown(100) },
      expected: 5 * LOOKS,
    },
    {
      what: 'a hundred patterns',
      name: 'load_tool',
      input: { toolNames: unknown(100).map((name) => `${name}_*`) },
      expected: OF_PATTERNS,
    },
    {
      what: 'eight lists of patterns in one search',
      name: 'search_tools',
      input: {
        query: Array.from({ length: 8 }, (_, n) => `select:${unknown(100, `list_${n}`).map((one) => `${one}*`)}`),
      },
      expected: OF_PATTERNS,
    },
  ])('during $what, and the work is bounded', async ({ name, input, expected }) => {
    const session = new Session({ tools });
    // The index is built in the background, and takes its turns as well.
    await session.search({ query: 'tool' });
    const { tools: sent } = await session.step();
    const looks = countLooks();
    await sent[name]?.execute?.(input as never, {} as never);
    looks.stop();
    expect(looks.most()).toBeLessThan(A_FEW_SLICES);
    expect(looks.all()).toBeGreaterThan(expected);
    expect(looks.all()).toBeLessThan(expected * 1.3 + 100);
  });

  it('during a step that looks for the tools that ten missed calls meant', async () => {
    const messageList = new MessageList();
    messageList.add({ role: 'user', content: 'go' }, 'input');
    messageList.add(
      {
        id: 'message',
        role: 'assistant',
        createdAt: new Date(),
        content: {
          format: 2,
          parts: unknown(10).map((toolName, n) => ({
            type: 'tool-invocation',
            toolInvocation: {
              ...{ state: 'output-error', toolCallId: `call-${n}`, toolName, args: {} },
              errorText: `Tool "${toolName}" not found. Available tools: none`,
            },
          })),
        },
      } as never,
      'response',
    );
    const session = new Session({ tools }, { messageList });
    const looks = countLooks();
    await session.step();
    looks.stop();
    expect(looks.most()).toBeLessThan(A_FEW_SLICES);
    expect(looks.all()).toBeGreaterThan(10 * LOOKS);
  });
});
