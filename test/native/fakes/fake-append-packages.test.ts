// What the provider packages make of tools in mid-conversation, version by version, and that the fakes take it.
import { describe, expect, it } from 'vitest';
import { fakeAnthropic, fakeOpenAI, message, text, withRouter } from './fake-provider.ts';

type Fetch = typeof globalThis.fetch;
type Model = Readonly<Record<'doGenerate' | 'doStream', (call: object) => Promise<{ readonly stream?: unknown }>>>;

/** By a name that the type checker does not follow: the packages differ in their types, and not in what is used here. */
async function anthropicModel(name: string, fetch: Fetch): Promise<Model> {
  const { createAnthropic } = await import(name);
  return createAnthropic({ apiKey: 'x', fetch })('claude-opus-5');
}

async function openaiModel(name: string, fetch: Fetch): Promise<Model> {
  const { createOpenAI } = await import(name);
  return createOpenAI({ apiKey: 'x', fetch }).responses('gpt-5.6-sol');
}

const head = { role: 'system', content: 'Help.' };
const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
const call = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'own', input: {} }] };
const result = (options?: object) => ({
  role: 'tool',
  content: [
    {
      ...{ type: 'tool-result', toolCallId: 'call_1', toolName: 'own', output: { type: 'text', value: 'ok' } },
      ...(options && { providerOptions: { openai: options } }),
    },
  ],
});
const inputSchema = { type: 'object', properties: {} };
const own = { type: 'function', name: 'own', description: 'Own.', inputSchema };
const other = { type: 'function', name: 'other', description: 'Other.', inputSchema };

async function ask(model: Model, mode: 'generate' | 'stream', given: object): Promise<void> {
  if (mode === 'generate') return void (await model.doGenerate(given));
  const { stream } = await model.doStream(given);
  for await (const part of stream as AsyncIterable<{ readonly type: string; readonly error?: unknown }>) {
    if (part.type === 'error') throw part.error;
  }
}

const modes = ['generate', 'stream'] as const;
const inModes = <Case extends object>(cases: readonly Case[]) =>
  cases.flatMap((one) => modes.map((mode) => ({ ...one, mode })));

describe('Anthropic', () => {
  const changes = (...toolChanges: object[]) => ({
    role: 'system',
    content: '',
    providerOptions: { anthropic: { toolChanges } },
  });
  const deferred = { ...other, providerOptions: { anthropic: { deferLoading: true } } };
  const reference = (type: string, name: string) => ({ type, tool: { type: 'tool_reference', name } });
  const prompt = (...toolChanges: object[]) => [head, user, call, result(), changes(...toolChanges)];
  const byName = {
    prompt: prompt({ type: 'tool_addition', toolName: 'other' }, { type: 'tool_removal', toolName: 'own' }),
    tools: [own, deferred],
  };
  const byValue = {
    prompt: prompt({ type: 'tool_addition', tool: other }, { type: 'tool_removal', toolName: 'own' }),
    tools: [own],
  };
  const say = () => ({ content: [text('Hello.')] });

  const packages = [
    { name: 'anthropic-v4-before-changes', takes: [] },
    { name: 'anthropic-v3', takes: ['name'] },
    { name: '@ai-sdk/anthropic', takes: ['name', 'value'] },
  ];
  const takes = (kind: string) => inModes(packages.filter((one) => one.takes.includes(kind)));
  const lacks = (kind: string) => inModes(packages.filter((one) => !one.takes.includes(kind)));

  it.each(takes('name'))('$name, $mode: changes by name', async ({ name, mode }) => {
    const fake = fakeAnthropic(say);
    await ask(await anthropicModel(name, fake.fetch), mode, byName);
    expect(fake.refused).toEqual([]);
    const [{ body, headers }] = fake.requests as [(typeof fake.requests)[number]];
    expect(body.messages.at(-1)).toEqual({
      role: 'system',
      content: [reference('tool_addition', 'other'), reference('tool_removal', 'own')],
    });
    expect(headers['anthropic-beta']).toContain('mid-conversation-tool-changes-2026-07-01');
    expect(body.tools?.map((tool) => [tool.name, tool.defer_loading])).toEqual([
      ['own', undefined],
      ['other', true],
    ]);
  });

  it.each(takes('value'))('$name, $mode: changes by value', async ({ name, mode }) => {
    const fake = fakeAnthropic(say);
    await ask(await anthropicModel(name, fake.fetch), mode, byValue);
    expect(fake.refused).toEqual([]);
    const [{ body, headers }] = fake.requests as [(typeof fake.requests)[number]];
    const definition = { name: 'other', description: 'Other.', input_schema: inputSchema };
    expect(body.messages.at(-1)).toEqual({
      role: 'system',
      content: [
        { type: 'tool_addition', tool: { type: 'tool_definition', definition } },
        reference('tool_removal', 'own'),
      ],
    });
    expect(headers['anthropic-beta']).toContain('inline-tools-2026-09-15');
    expect(body.tools?.map((tool) => tool.name)).toEqual(['own']);
  });

  it.each(lacks('name'))('$name, $mode: changes are lost, and an empty text is refused', async ({ name, mode }) => {
    for (const given of [byName, byValue]) {
      const fake = fakeAnthropic(say);
      await expect(ask(await anthropicModel(name, fake.fetch), mode, given)).rejects.toMatchObject({ statusCode: 400 });
      expect(fake.requests[0]?.body.messages.at(-1)).toEqual({ role: 'system', content: [{ type: 'text', text: '' }] });
      expect(fake.refused.map(({ rule }) => rule)).toEqual(['empty-text']);
    }
  });

  it.each(lacks('value').filter(({ takes }) => takes.length > 0))(
    '$name, $mode: changes by value are not even sent',
    async ({ name, mode }) => {
      const fake = fakeAnthropic(say);
      const answer = ask(await anthropicModel(name, fake.fetch), mode, byValue);
      await expect(answer).rejects.toMatchObject({ name: 'AI_InvalidArgumentError' });
      expect(fake.requests).toEqual([]);
    },
  );

  it('are sent by Mastra’s router, by name', async () => {
    const { ModelRouterLanguageModel } = await import('@mastra/core/llm');
    const fake = fakeAnthropic(say);
    await withRouter({ anthropic: fake }, async () => {
      const model = new ModelRouterLanguageModel('anthropic/claude-opus-5') as unknown as Model;
      await ask(model, 'stream', byName);
      await expect(ask(model, 'stream', byValue)).rejects.toMatchObject({ name: 'AI_InvalidArgumentError' });
    });
    expect(fake.refused).toEqual([]);
    expect(fake.requests).toHaveLength(1);
    expect(fake.requests[0]?.body.messages.at(-1)?.role).toBe('system');
  });
});

describe('OpenAI', () => {
  const definition = { type: 'function', name: 'other', description: 'Other.', parameters: inputSchema, strict: false };
  const item = { type: 'additional_tools', role: 'developer', tools: [definition] };
  const additionalTools = [definition];
  const anywhere = { role: 'system', content: '', providerOptions: { openai: { additionalTools } } };
  const onResult = { prompt: [head, user, call, result({ additionalTools })], tools: [own] };
  const between = { prompt: [head, user, anywhere, call, result()], tools: [own] };
  const say = () => ({ content: [message(1, 'Hello.')] });

  const packages = [
    { name: 'openai-v3-first', takes: [] },
    { name: 'openai-v4-results', takes: ['results'] },
    { name: '@ai-sdk/openai', takes: ['results', 'anywhere'] },
  ];
  const places = [
    { place: 'results', given: onResult, at: -1 },
    { place: 'anywhere', given: between, at: -3 },
  ] as const;
  const cases = inModes(packages).flatMap((one) => places.map((where) => ({ ...one, ...where })));

  it.each(cases.filter(({ takes, place }) => takes.includes(place)))(
    '$name, $mode: tools behind $place',
    async ({ name, mode, given, at }) => {
      for (const store of [true, false]) {
        const fake = fakeOpenAI(say);
        await ask(await openaiModel(name, fake.fetch), mode, { ...given, providerOptions: { openai: { store } } });
        expect(fake.refused).toEqual([]);
        expect(fake.requests[0]?.body.input.at(at)).toEqual(item);
        expect(fake.requests[0]?.body.tools?.map((tool) => tool.name)).toEqual(['own']);
      }
    },
  );

  it.each(cases.filter(({ takes, place }) => !takes.includes(place)))(
    '$name, $mode: no tools behind $place',
    async ({ name, mode, given }) => {
      const fake = fakeOpenAI(say);
      await ask(await openaiModel(name, fake.fetch), mode, given);
      expect(fake.requests[0]?.body.input.some(({ type }) => type === 'additional_tools')).toBe(false);
    },
  );
});
