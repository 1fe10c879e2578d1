import { wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Prompt } from '../../src/loaded/conversation/prompt.ts';
import {
  append,
  changesNoted,
  Definitions,
  noted,
  sendsDefinitions,
  type ToolChanges,
} from '../../src/native/append.ts';
import type { Change, Definition, Dialect } from '../../src/native/dialect.ts';
import { anthropic } from '../../src/native/dialects/anthropic/dialect.ts';
import { openai } from '../../src/native/dialects/openai/dialect.ts';

const NAMES = ['a', 'b', 'c', '__proto__'];
const definitions = new Definitions();
const digestOf = (definition: Definition): string => definitions.digestOf(definition);
const known = new Map<string, Definition>(
  NAMES.flatMap((name) => ['1', '2'].map((description): Definition => ({ type: 'function', name, description }))).map(
    (definition) => [digestOf(definition), definition],
  ),
);
for (const definition of known.values()) definitions.note('c', definition);
const message = (changes: readonly Change[]): Prompt[number] => ({ role: 'system', content: changes });
const isChange = ({ role, content }: Prompt[number]): boolean => role === 'system' && Array.isArray(content);

/** @param conversation - only that of `known` was sent definitions. */
function replayed(prompt: Prompt, wanted: readonly Definition[], { canRemove = true, conversation = 'c' } = {}) {
  const dialect = { name: 'anthropic', changes: { canRemove, message } } as unknown as Dialect;
  const { call, ...rest } = append(
    { prompt, tools: wanted },
    {
      ...{ dialect, definitions, conversation, earlier: new Map() },
      isAppendable: () => true,
      isReadable: () => false,
    },
  );
  return { ...rest, prompt: call.prompt };
}

/** What the model has in the end. Throws where a change makes no sense. */
function walk(prompt: Prompt): Map<string, string> {
  const there = new Map<string, string>();
  for (const [at, each] of prompt.entries()) {
    if (!isChange(each)) continue;
    expect(['user', 'tool']).toContain(prompt[at - 1]?.role);
    expect(['assistant', undefined]).toContain(prompt[at + 1]?.role);
    for (const change of each.content as readonly Change[]) {
      if (change.type === 'removal') expect(there.delete(change.name)).toBe(true);
      else {
        expect(there.get(change.tool.name)).not.toBe(digestOf(change.tool));
        there.set(change.tool.name, digestOf(change.tool));
      }
    }
  }
  return there;
}

const name = fc.constantFrom(...NAMES);
const changes: fc.Arbitrary<ToolChanges> = fc.record({
  added: fc.array(fc.tuple(name, fc.constantFrom(...known.keys(), 'forged'))).map((added) => new Map(added)),
  removed: fc.array(name),
});
const noteOf = ({ added, removed }: ToolChanges) => ({
  'mastra-tool-search.anthropic': { added: Object.fromEntries(added), removed },
});
const text = (said: string, note?: ToolChanges) => ({
  ...{ type: 'text', text: said },
  ...(note ? { providerOptions: noteOf(note) } : {}),
});
const said: fc.Arbitrary<Prompt[number]> = fc.oneof(
  fc.constant({ role: 'user', content: [text('x')] }),
  fc.constant({ role: 'tool', content: [] }),
  fc.array(fc.option(changes, { nil: undefined }), { minLength: 1, maxLength: 3 }).map((notes) => ({
    role: 'assistant',
    content: notes.map((note) => text('y', note)),
  })),
);
const prompts = fc.array(said, { maxLength: 12 }).map((all) => [{ role: 'system', content: 'Help.' }, ...all]);
const wanted = fc.uniqueArray(fc.constantFrom(...known.values()), { selector: (tool) => tool.name });

describe('any conversation, whatever is noted in it,', () => {
  it('ends with what is wanted, each definition once and in a place that providers take', () => {
    fc.assert(
      fc.property(prompts, wanted, (prompt, tools) => {
        const { prompt: sent, there } = replayed(prompt, tools);
        const hasPlace = prompt.some(({ role }) => role === 'user' || role === 'tool');
        const expected = hasPlace ? tools.map((tool) => [tool.name, digestOf(tool)] as const) : [];
        expect(new Map([...walk(sent)].sort())).toEqual(new Map([...expected].sort()));
        expect([...there].sort()).toEqual(expected.map(([own]) => own).sort());
        expect(sent.filter((each) => !isChange(each))).toEqual(prompt);
      }),
    );
  });

  it('is sent no definition that it must not be sent', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        expect(replayed(prompt, [], { conversation: 'another' }).prompt).toEqual(prompt);
      }),
    );
  });

  it('keeps its beginning when an answer has noted the changes and the next message comes', () => {
    fc.assert(
      fc.property(prompts, wanted, wanted, (prompt, first, second) => {
        const asked = [...prompt, { role: 'user', content: [text('go')] }];
        const { prompt: sent, changes: made } = replayed(asked, first);
        const next = [...asked, { role: 'assistant', content: [text('ok', made)] }, { role: 'tool', content: [] }];
        const { prompt: later } = replayed(next, second);
        expect(later.slice(0, sent.length)).toEqual(sent);
      }),
    );
  });

  it('has no removal for a provider that takes none, and no definition twice', () => {
    fc.assert(
      fc.property(prompts, wanted, (prompt, tools) => {
        const { prompt: sent } = replayed(prompt, tools, { canRemove: false });
        const all = sent.filter(isChange).flatMap(({ content }) => content as readonly Change[]);
        expect(all.filter(({ type }) => type === 'removal')).toEqual([]);
        const names = all.map((change) => (change.type === 'addition' ? change.tool.name : ''));
        expect(new Set(names).size).toBe(names.length);
        walk(sent);
      }),
    );
  });
});

describe('the note of an answer', () => {
  const made: ToolChanges = { added: new Map([['__proto__', 'd1']]), removed: ['b'] };
  const read = (parts: readonly unknown[]) => parts.map((part) => changesNoted(part, 'anthropic'));
  const streamed = async (parts: readonly object[]) => {
    const all: unknown[] = [];
    const { stream } = await noted({ stream: ReadableStream.from(parts) }, made, 'anthropic');
    for await (const part of stream as AsyncIterable<unknown>) all.push(part);
    return all;
  };

  it('stands on each text and call', async () => {
    const content = [{ type: 'reasoning' }, { type: 'tool-call', providerMetadata: { x: { y: 1 } } }, { type: 'text' }];
    const { content: noting } = await noted({ content }, made, 'anthropic');
    const parts = noting as { readonly providerMetadata?: object }[];
    expect(read(JSON.parse(JSON.stringify(parts)))).toEqual([undefined, made, made]);
    expect(parts[1]?.providerMetadata).toMatchObject({ x: { y: 1 } });
  });

  it('stands in a stream wherever Mastra may read it', async () => {
    const texts = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'x' },
      { type: 'text-end', id: '1', providerMetadata: { x: {} } },
      { type: 'text-start', id: '2' },
    ];
    expect(read(await streamed(texts))).toEqual([made, undefined, made, made]);
    const call = [
      { type: 'tool-input-start', id: 'c' },
      { type: 'tool-input-start', id: 'd', providerMetadata: { x: {} } },
      { type: 'tool-call', toolCallId: 'c' },
      { type: 'tool-call', toolCallId: 'd' },
    ];
    expect(read(await streamed(call))).toEqual([undefined, made, made, made]);
  });

  it.each([
    [undefined],
    ['x'],
    [{ providerOptions: { 'mastra-tool-search.anthropic': 'x' } }],
    [{ providerOptions: { 'mastra-tool-search.anthropic': { added: 'x', removed: [1, {}] } } }],
    [{ providerOptions: null, providerMetadata: 7 }],
  ])('may be anything: %j', (part) => {
    const { added, removed } = changesNoted(part, 'anthropic') ?? { added: new Map(), removed: [] };
    expect([[...added], removed]).toEqual([[], []]);
  });
});

const PACKAGES = {
  '@ai-sdk/anthropic': true,
  'anthropic-v4-before-changes': false,
  'anthropic-v3': false,
  '@ai-sdk/openai': true,
  'openai-v4-results': false,
  'openai-v3-first': false,
};

describe('a package', () => {
  it.each(Object.entries(PACKAGES))(
    '%s sends definitions in mid-conversation: %s, and no request to learn it',
    async (name, sends) => {
      let requests = 0;
      const fetch = async (): Promise<Response> => {
        requests += 1;
        return new Response('{}');
      };
      const { createAnthropic, createOpenAI } = await import(name);
      const model = createAnthropic
        ? createAnthropic({ apiKey: 'x', fetch })('claude-opus-5')
        : createOpenAI({ apiKey: 'x', fetch }).responses('gpt-6');
      expect(await sendsDefinitions(model, createAnthropic ? anthropic : openai)).toBe(sends);
      expect(requests).toBe(0);
    },
  );
});

it('a package is not believed to send them where a middleware alone reads the options', async () => {
  const { createAnthropic } = await import('anthropic-v4-before-changes' as string);
  const model = wrapLanguageModel({
    model: createAnthropic({ apiKey: 'x', fetch: async () => new Response('{}') })('claude-opus-5'),
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }: { params: object }) => structuredClone({ ...params, abortSignal: undefined }),
    } as never,
  });
  expect(await sendsDefinitions(model, anthropic)).toBe(false);
});

describe('a model that is no package of a provider', () => {
  it.each([undefined, null, 'anthropic/claude-opus-5', {}])('%s sends none', async (model) => {
    expect(await sendsDefinitions(model, anthropic)).toBe(false);
  });

  it('and answers sends none, and is asked once', async () => {
    const model = new MockLanguageModelV3({ doGenerate: async () => ({ content: [] }) as never });
    expect(await sendsDefinitions(model, openai)).toBe(false);
    expect(await sendsDefinitions(model, openai)).toBe(false);
    expect(model.doGenerateCalls).toHaveLength(1);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
    ['never answers', () => new Promise(() => {})],
  ])('and %s sends none', async (_, doGenerate) => {
    expect(await sendsDefinitions({ doGenerate }, anthropic)).toBe(false);
  });
});
