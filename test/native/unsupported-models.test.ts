import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../support/scripted-model.ts';
import {
  anthropicStep,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  message,
  openaiStep,
  text,
  toolUse,
  withRouter,
} from './fakes/fake-provider.ts';
import { catalog, type Mode, modes, ownTools } from './rig/package-runs.ts';

/** Load mode: a search, a load, a call, a text. */
const CALLS: readonly (readonly [string, object])[] = [
  ['search_tools', { query: 'weather' }],
  ['load_tool', { toolName: 'get_weather' }],
  ['get_weather', { text: 'Oslo' }],
];

const anthropicScript: Parameters<typeof fakeAnthropic>[0] = ({ body, index }) => {
  const next = CALLS[anthropicStep(body)];
  return { content: [next ? toolUse(index, ...next) : text('Done.')] };
};
const openaiScript: Parameters<typeof fakeOpenAI>[0] = ({ body, index }) => {
  const next = CALLS[openaiStep(body)];
  return { content: [next ? functionCall(index, ...next) : message(index, 'Done.')] };
};

type Fetch = typeof globalThis.fetch;
interface Case {
  readonly model: (fetch: Fetch) => unknown;
  readonly name: string;
}

const anthropics: Record<string, Case> = {
  'an old model of Anthropic': {
    model: (fetch) => createAnthropic({ apiKey: 'x', fetch })('claude-3-5-sonnet-20241022'),
    name: 'anthropic.messages/claude-3-5-sonnet-20241022',
  },
  'an old model of Anthropic, by the router': {
    model: () => 'anthropic/claude-3-5-haiku-20241022',
    name: 'anthropic/claude-3-5-haiku-20241022',
  },
};

const openais: Record<string, Case> = {
  'an old model of OpenAI': {
    model: (fetch) => createOpenAI({ apiKey: 'x', fetch })('gpt-5'),
    name: 'openai.responses/gpt-5',
  },
  'chat completions': {
    model: (fetch) => createOpenAI({ apiKey: 'x', fetch }).chat('gpt-5.4'),
    name: 'openai.chat/gpt-5.4',
  },
  'OpenAI under another name': {
    model: (fetch) => createOpenAI({ apiKey: 'x', fetch, name: 'mine' })('gpt-5.4'),
    name: 'mine.responses/gpt-5.4',
  },
  'an address of its own': {
    model: () => ({ id: 'openai/gpt-5.4', url: 'https://llm.test/v1', apiKey: 'x' }),
    name: 'openai/gpt-5.4',
  },
  'the gateway of Mastra': { model: () => 'mastra/openai/gpt-5.4', name: 'openai/gpt-5.4' },
  OpenRouter: { model: () => 'openrouter/anthropic/claude-sonnet-4.5', name: 'openrouter/anthropic/claude-sonnet-4.5' },
};

interface Outcome {
  readonly names: readonly (readonly string[])[];
  readonly bodies: readonly unknown[];
  readonly events: readonly ToolSearchEvent[];
  readonly error: unknown;
}

async function run(
  kind: 'anthropic' | 'openai',
  { model }: Case,
  mode: Mode,
  native: ToolSearchProcessorOptions['native'] = {},
): Promise<Outcome> {
  const anthropic = fakeAnthropic(anthropicScript);
  const openai = fakeOpenAI(openaiScript);
  const fake = kind === 'anthropic' ? anthropic : openai;
  const events: ToolSearchEvent[] = [];
  const agent = new Agent({
    id: 'native-agent',
    name: 'Native Agent',
    instructions: 'Help.',
    model: model(fake.fetch) as never,
    tools: ownTools(),
    inputProcessors: [
      new ToolSearchProcessor({
        tools: catalog(),
        mode: 'native',
        native,
        onEvent: (event) => void events.push(event),
      }),
    ],
  });
  const hosts = { 'llm.test': fake, 'openrouter.ai': fake, 'gateway-api.mastra.ai': fake };
  const error = await withRouter({ anthropic, openai, hosts }, async () => {
    try {
      if (mode === 'generate') await agent.generate('hi');
      else {
        const output = await agent.stream('hi');
        await output.consumeStream();
        return output.error;
      }
      return undefined;
    } catch (thrown) {
      return thrown;
    }
  });
  expect(fake.refused).toEqual([]);
  const bodies = fake.requests.map(({ body }) => body);
  return { names: bodies.map(namesIn), bodies, events, error };
}

/** Of chat completions too, which put the function into a property. */
function namesIn({ tools = [] }: object & { tools?: readonly object[] }): string[] {
  return tools.map((entry) => {
    const { name, function: inner, type } = entry as { name?: string; type?: string; function?: { name: string } };
    return name ?? inner?.name ?? String(type);
  });
}

const cases = [
  ...Object.entries(anthropics).map(([title, model]) => [title, 'anthropic', model] as const),
  ...Object.entries(openais).map(([title, model]) => [title, 'openai', model] as const),
].flatMap(([title, kind, model]) => modes.map((mode) => [title, mode, kind, model] as const));

const LOAD_MODE = ['search_tools', 'load_tool', 'first_own', 'second_own'];

describe('a model without tool search', () => {
  it.each(cases)('gets load mode, and is never sent the catalog: %s, %s', async (_title, mode, kind, model) => {
    const { names, bodies, events, error } = await run(kind, model, mode);
    expect(error).toBeUndefined();
    expect(names.map((sent) => sent.toSorted())).toEqual([
      LOAD_MODE.toSorted(),
      LOAD_MODE.toSorted(),
      [...LOAD_MODE, 'get_weather'].toSorted(),
      [...LOAD_MODE, 'get_weather'].toSorted(),
    ]);
    expect(JSON.stringify(bodies)).not.toMatch(/defer_?loading|tool_reference|namespace/i);
    expect(events.filter(({ type }) => type === 'native-off')).toEqual([
      { type: 'native-off', reason: 'unsupported-model', model: model.name },
    ]);
  });

  it.each(cases)("is sent nothing with fallback 'error': %s, %s", async (_title, mode, kind, model) => {
    const { names, error } = await run(kind, model, mode, { fallback: 'error' });
    expect(names).toEqual([]);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain(`The model "${model.name}" has no tool search`);
  });

  // Mastra's own error keeps the message alone.
  it.each(modes)('has an error whose message has the code: %s', async (mode) => {
    const { error } = await run('openai', openais['chat completions']!, mode, { fallback: 'error' });
    expect((error as Error).message).toContain('(native-unsupported)');
  });

  it('has the processor throw the code', async () => {
    const processor = new ToolSearchProcessor({ tools: catalog(), mode: 'native', native: { fallback: 'error' } });
    const model = { specificationVersion: 'v3', provider: 'openai.chat', modelId: 'gpt-5.4' };
    const args = { stepNumber: 0, tools: {}, model, messageList: { addSystem: () => {} }, requestContext: undefined };
    await expect(processor.processInputStep(args as never)).rejects.toMatchObject({
      name: 'ToolSearchError',
      code: 'native-unsupported',
    });
  });
});

describe('native.detect', () => {
  const own = openais['OpenAI under another name']!;

  it.each([
    ['openai', ['first_own', 'second_own', 'tool_search'], []],
    [undefined, LOAD_MODE, ['unsupported-model']],
    [false, LOAD_MODE, ['unsupported-model']],
  ] as const)('may allow a name that is not known: %s', async (told, expected, reasons) => {
    const { names, events } = await run('openai', own, 'generate', { detect: () => told });
    expect(names[0]!.toSorted()).toEqual(expected.toSorted());
    expect(events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []))).toEqual(reasons);
  });

  it('may forbid what the rules allow', async () => {
    const model = { model: (fetch: Fetch) => createOpenAI({ apiKey: 'x', fetch })('gpt-5.4'), name: '' };
    const { names } = await run('openai', model, 'generate', { detect: () => false });
    expect(names[0]!.toSorted()).toEqual(LOAD_MODE.toSorted());
  });

  it('is asked with the model as Mastra hands it over', async () => {
    const asked: unknown[] = [];
    const detect = (model: object): undefined => void asked.push(model);
    await run('openai', own, 'generate', { detect });
    expect(asked[0]).toMatchObject({ provider: 'mine.responses', modelId: 'gpt-5.4', specificationVersion: 'v4' });
    await run('openai', openais['an address of its own']!, 'generate', { detect });
    expect(asked.at(-1)).toMatchObject({
      provider: 'openai',
      modelId: 'gpt-5.4',
      config: { url: 'https://llm.test/v1' },
    });
  });

  it.each([
    ['azure.responses', 'my-deployment', 'openai', ['tool_search']],
    ['azure.responses', 'my-deployment', undefined, ['search_tools', 'load_tool']],
    ['mine', 'proxied-claude', 'anthropic', ['search_tools', ...Object.keys(catalog())]],
    ['openai.responses', 'gpt-5.4', 'nonsense', ['tool_search']],
  ])('decides for a model of another provider: %s, %s, told %s', async (provider, modelId, told, expected) => {
    const model = scriptedModel(() => ({ text: 'Done.' }), { provider, modelId });
    const processor = new ToolSearchProcessor({
      tools: catalog(),
      mode: 'native',
      native: { detect: () => told as never },
    });
    const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors: [processor] });
    await agent.generate('hi');
    expect(model.calls[0]!.tools.map((tool) => tool.name)).toEqual(expected);
  });

  const fault = new Error('no idea');
  async function runThrowing(detect: () => undefined) {
    const script: Parameters<typeof scriptedModel>[0] = ({ step }) =>
      step === 0 ? { toolCalls: [{ toolName: 'search_tools', input: { query: 'weather' } }] } : { text: 'Done.' };
    const model = scriptedModel(script, { provider: 'openai.responses', modelId: 'gpt-5.4' });
    const events: ToolSearchEvent[] = [];
    const onEvent = (event: ToolSearchEvent): void => void events.push(event);
    const processor = new ToolSearchProcessor({ tools: catalog(), mode: 'native', native: { detect }, onEvent });
    const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors: [processor] });
    expect((await agent.generate('hi')).text).toBe('Done.');
    return {
      names: model.calls.map(({ tools }) => tools.map((tool) => tool.name)),
      events: events.filter((event) => event.type === 'native-off'),
    };
  }

  it('means false where it throws, which is reported', async () => {
    const { names, events } = await runThrowing(() => {
      throw fault;
    });
    const inLoadMode = ['search_tools', 'load_tool'];
    expect(names).toEqual([inLoadMode, inLoadMode]);
    const model = 'openai.responses/gpt-5.4';
    expect(events[0]).toEqual({ type: 'native-off', reason: 'failed', model, error: fault });
  });

  it('ends native mode for the request where it throws once, which is reported once', async () => {
    let asked = 0;
    const { names, events } = await runThrowing(() => {
      asked += 1;
      if (asked === 1) throw fault;
      return undefined;
    });
    expect(events.map(({ reason }) => reason)).toEqual(['failed']);
    expect(names[1]).toEqual(names[0]);
  });
});
