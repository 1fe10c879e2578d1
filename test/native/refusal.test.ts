import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refuses } from '../../src/native/refusal.ts';

const isRefusal = (error: unknown): boolean => refuses(error, 'toolSearch');

const refusal = { statusCode: 400, message: 'tool search is not supported' };

function throwing(...names: readonly string[]): object {
  const thing = {};
  for (const name of names) {
    Object.defineProperty(thing, name, {
      get() {
        throw new Error('no');
      },
    });
  }
  return thing;
}

function cycle(extra: object = {}): object {
  const error: Record<string, unknown> = { ...extra };
  error['cause'] = error;
  error['lastError'] = error;
  return error;
}

const deep = (depth: number, innermost: object): object =>
  depth === 0 ? innermost : { message: 'wrapped', cause: deep(depth - 1, innermost) };

describe('a refusal of tool search', () => {
  it.each([
    ['by its message', refusal],
    ['by the body of the answer', { statusCode: 400, message: 'Bad Request', responseBody: '{"m":"defer_loading"}' }],
    ['as an Error', Object.assign(new Error('Unsupported tool type: tool_search'), { statusCode: 400 })],
    ['as the cause', new Error('failed', { cause: refusal })],
    ['as the last of several tries', { message: 'Failed after 3 attempts', lastError: refusal }],
    ['within others', deep(3, refusal)],
    ['with tool_reference', { statusCode: 400, message: "tool_reference 'x' not found" }],
    ['with tool reference', { statusCode: 400, message: "Tool reference 'x' not found in available tools" }],
    [
      'with the name of the search tool',
      { statusCode: 400, message: 'tools.0: tool_search_tool_bm25_20251119 unknown' },
    ],
  ])('%s', (_, error) => {
    expect(isRefusal(error)).toBe(true);
  });
});

describe('no refusal of tool search', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'tool search is not supported'],
    ['a number', 400],
    ['a symbol', Symbol('tool search')],
    ['a function', () => refusal],
    ['an array', [refusal]],
    ['another status', { ...refusal, statusCode: 404 }],
    ['a status as a text', { ...refusal, statusCode: '400' }],
    ['another complaint', { statusCode: 400, message: 'prompt is too long' }],
    ['nothing to read', { statusCode: 400 }],
    ['a cycle', cycle()],
    ['a cycle with another status', cycle({ statusCode: 500 })],
    ['too deep', deep(50, refusal)],
  ])('%s', (_, error) => {
    expect(isRefusal(error)).toBe(false);
  });
});

const SYMBOL = 'a symbol as message';

describe('reading an error never throws', () => {
  const odd = {
    'a message without prototype': { statusCode: 400, message: Object.create(null) as unknown },
    'a message whose text throws': {
      statusCode: 400,
      message: {
        toString() {
          throw new Error('no');
        },
      },
    },
    [SYMBOL]: { statusCode: 400, message: Symbol('x') },
    'a getter for the status that throws': throwing('statusCode'),
    'a getter for the message that throws': Object.assign(throwing('message'), { statusCode: 400 }),
    'a getter for the cause that throws': throwing('cause', 'lastError'),
    'a proxy that throws': new Proxy(
      {},
      {
        get() {
          throw new Error('no');
        },
      },
    ),
  };

  it.each(Object.entries(odd).filter(([name]) => name !== SYMBOL))('%s', (_, error) => {
    expect(isRefusal(error)).toBe(false);
  });

  it('a symbol as message', () => {
    expect(isRefusal(odd[SYMBOL])).toBe(false);
  });

  it('whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), (value) => {
        expect(isRefusal(value)).toBe(false);
        const within = { statusCode: 400, message: value, responseBody: value, cause: value, lastError: value };
        expect(typeof isRefusal(within)).toBe('boolean');
      }),
      { numRuns: 1000 },
    );
  });
});
