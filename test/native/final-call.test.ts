import { describe, expect, it } from 'vitest';
import { type FinalCall, type ModelCall, nativeModel } from '../../src/native/final-call.ts';

const HIDDEN = Symbol('hidden');

/** Keeps what it needs in a private field, as models do, and hangs something on its answers. */
class Model {
  readonly modelId = 'gpt-5.4';
  readonly called: ModelCall[] = [];
  #parts: readonly object[];

  constructor(parts: readonly object[]) {
    this.#parts = parts;
  }

  get partCount(): number {
    return this.#parts.length;
  }

  async doStream(call: ModelCall): Promise<{ stream: ReadableStream<object> }> {
    this.called.push(call);
    const answer = { stream: ReadableStream.from(this.#parts) };
    return Object.defineProperty(answer, HIDDEN, { value: 'kept' });
  }
}

const search = { type: 'tool-call', toolName: 'tool_search', toolCallId: 'a' };
const plan = { searchName: 'tool_search', answersSearch: true, dialect: { name: 'openai' } };
const same: FinalCall = {
  plan,
  first: (call) => ({ call }),
  again: () => undefined,
  mended: () => {},
};
/** Searches run at the provider. */
const hosted: FinalCall = { ...same, plan: { ...plan, answersSearch: false } };

async function partsOf(model: Model): Promise<object[]> {
  const parts: object[] = [];
  for await (const part of (await model.doStream({ prompt: [] })).stream) parts.push(part);
  return parts;
}

it('the model of a native step is the given one in all but its calls', () => {
  const model = new Model([{}]);
  const native = nativeModel(model, same);
  expect([native.modelId, native.partCount, native instanceof Model]).toEqual(['gpt-5.4', 1, true]);
});

it('the model is called with the final call', async () => {
  const model = new Model([]);
  await nativeModel(model, { ...hosted, first: (call) => ({ call: { ...call, tools: [] } }) }).doStream({
    prompt: [],
  });
  expect(model.called).toEqual([{ prompt: [], tools: [] }]);
});

describe('a call that fails', () => {
  const failing = (errors: unknown[]): Model => {
    const model = new Model([]);
    const { doStream } = model;
    return Object.assign(model, {
      doStream: (call: ModelCall) => {
        const answer = doStream.call(model, call);
        return errors.length > 0 ? Promise.reject(errors.shift()) : answer;
      },
    });
  };
  const second: ModelCall = { prompt: [], tools: [] };

  it('is made once more where there is another final call', async () => {
    const model = failing(['first']);
    const again = (call: ModelCall, error: unknown) =>
      error === 'first' ? { call: { ...call, tools: [] } } : undefined;
    await nativeModel(model, { ...hosted, again }).doStream({ prompt: [] });
    expect(model.called).toEqual([{ prompt: [] }, second]);
  });

  it('fails where there is none, or where that fails as well', async () => {
    await expect(nativeModel(failing(['only']), same).doStream({ prompt: [] })).rejects.toBe('only');
    const twice = failing(['first', 'second']);
    const native = nativeModel(twice, { ...same, again: () => ({ call: second }) });
    await expect(native.doStream({ prompt: [] })).rejects.toBe('second');
    expect(twice.called).toHaveLength(2);
  });
});

it.each([
  ['stop', 'tool-calls'],
  [
    { unified: 'stop', raw: 'completed' },
    { unified: 'tool-calls', raw: 'completed' },
  ],
  ['length', 'length'],
  [undefined, undefined],
])('a search that is answered here ends as a call does: %j', async (told, expected) => {
  const finish = { type: 'finish', finishReason: told };
  expect(await partsOf(nativeModel(new Model([search, finish]), same))).toEqual([
    search,
    { ...finish, finishReason: expected },
  ]);
});

it('everything else ends as the provider says', async () => {
  const finish = { type: 'finish', finishReason: 'stop' };
  for (const before of [[], [{ ...search, providerExecuted: true }], [{ ...search, toolName: 'other' }]]) {
    expect((await partsOf(nativeModel(new Model([...before, finish]), same))).at(-1)).toEqual(finish);
  }
  expect(await partsOf(nativeModel(new Model([search, finish]), hosted))).toEqual([search, finish]);
});

it('an answer keeps what hangs on it', async () => {
  const answer = await nativeModel(new Model([]), same).doStream({ prompt: [] });
  expect(Reflect.get(answer, HIDDEN)).toBe('kept');
});

it.each([undefined, null, 'anthropic/claude-sonnet-4-5'])('%s is no model, and stays as it is', (model) => {
  expect(nativeModel(model, same)).toBe(model);
});
