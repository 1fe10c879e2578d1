import { expect, it } from 'vitest';
import { withSearchesAsCalls } from '../../src/native/final-call.ts';

const search = { type: 'tool-call', toolName: 'tool_search', toolCallId: 'a' };

async function partsOf(...parts: readonly object[]): Promise<object[]> {
  const { stream } = await withSearchesAsCalls({ stream: ReadableStream.from(parts) }, 'tool_search');
  const given: object[] = [];
  for await (const part of stream as ReadableStream<object>) given.push(part);
  return given;
}

it.each([
  ['stop', 'tool-calls'],
  [
    { unified: 'stop', raw: 'completed' },
    { unified: 'tool-calls', raw: 'completed' },
  ],
  ['length', 'length'],
  [undefined, undefined],
])('a search that is answered here ends as a call does: %j', async (given, expected) => {
  const finish = { type: 'finish', finishReason: given };
  expect(await partsOf(search, finish)).toEqual([search, { ...finish, finishReason: expected }]);
});

it('everything else ends as the provider says', async () => {
  const finish = { type: 'finish', finishReason: 'stop' };
  for (const before of [[], [{ ...search, providerExecuted: true }], [{ ...search, toolName: 'other' }]]) {
    expect((await partsOf(...before, finish)).at(-1)).toEqual(finish);
  }
});
