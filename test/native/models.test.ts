// Which models have a tool search, and what the others get.
import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import {
  type NativeModel,
  type NativeOptions,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { createOpenAI as createOpenAI3 } from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../src/native/dialects/index.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import {
  type AnthropicBody,
  anthropicStep,
  functionCall,
  message,
  type OpenAIBody,
  openaiFunctions,
  openaiStep,
  text,
  toolUse,
} from './fakes/fake-provider.ts';
import {
  catalog,
  DONE,
  executions,
  FOUND,
  modes,
  ownTools,
  PROVIDERS,
  packageRuns,
  type RunSetup,
  runOpenAI,
  runPackage,
  type Scripts,
  searchAndUse,
} from './rig/package-runs.ts';

const found = (model: NativeModel): string =>
  [...dialects.values()].find((dialect) => dialect.supports(model))?.name ?? 'none';
const packaged = (provider: string, modelId: string, specificationVersion = 'v3'): NativeModel => ({
  ...{ specificationVersion, provider, modelId },
});
/** As Mastra's router gives it. */
const routed = (provider: string, modelId: string, gatewayId = 'models.dev', more: object = {}): NativeModel => ({
  ...{ specificationVersion: 'v2', provider, modelId, gatewayId },
  config: { id: `${provider}/${modelId}`, routerId: provider, ...more },
});

describe('a model id of the right version has tool search', () => {
  const lines = (ids: string): string[] => ids.trim().split(/\s+/);
  const NEW = {
    anthropic: lines(`claude-sonnet-4-5 claude-sonnet-4-5-20250929 claude-haiku-4-5-20251001 claude-opus-4-5-20251101
      claude-opus-4-6 claude-opus-4.6 claude-sonnet-4-10 claude-sonnet-5 claude-sonnet-5-20270101 claude-opus-5-5
      claude-opus-10-1`),
    openai: lines('gpt-5.4 gpt-5.4-pro gpt-5.4-mini-2026-03-05 gpt-5.10 gpt-6 gpt-6-astra gpt-10'),
  };
  const OLD = {
    anthropic:
      lines(`claude-3-opus-20240229 claude-3-5-sonnet-20241022 claude-3-5-haiku-latest claude-3-7-sonnet-20250219
      claude-2.1 claude-instant-1.2 claude-sonnet-4 claude-sonnet-4-0 claude-sonnet-4-20250514 claude-opus-4-1
      claude-opus-4-1-20250805 claude-opus-4.1 my-claude-sonnet-4-5 claude gpt-5.4`),
    openai: lines(`gpt-3.5-turbo gpt-4 gpt-4o gpt-4o-2024-08-06 gpt-4.1 gpt-4.1-mini-2025-04-14 gpt-5 gpt-5-2025-08-07
      gpt-5-mini gpt-5-codex gpt-5.1 gpt-5.3-codex gpt-5.4-nano gpt-5.4-nano-2026-03-17 gpt-5.5-nano gpt-2024-01-01
      gpt-oss-120b o3 o4-mini ft:gpt-5.4:acme::abc chatgpt-4o-latest chatgpt-5.4-latest codex-mini-latest claude-sonnet-4-5`),
  };

  it.each(['anthropic', 'openai'] as const)('of %s', (provider) => {
    const face = { anthropic: 'anthropic.messages', openai: 'openai.responses' }[provider];
    const faces = (id: string) => [packaged(face, id), packaged(face, id, 'v4'), routed(provider, id)].map(found);
    for (const id of NEW[provider]) expect([id, ...faces(id)]).toEqual([id, provider, provider, provider]);
    for (const id of [...OLD[provider], '']) expect([id, ...faces(id)]).toEqual([id, 'none', 'none', 'none']);
    // The packages of the AI SDK 5 send no deferral.
    for (const old of ['v1', 'v2']) expect(found(packaged(face, NEW[provider][0]!, old))).toBe('none');
  });
});

it.each([
  [packaged('bedrock.anthropic.messages', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'), 'anthropic'],
  [packaged('bedrock.anthropic.messages', 'eu.anthropic.claude-sonnet-4-20250514-v1:0'), 'none'],
  [packaged('bedrock.anthropic.messages', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0'), 'none'],
  [packaged('bedrock.anthropic.messages', 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc'), 'none'],
  [packaged('vertex.anthropic.messages', 'claude-sonnet-4-5@20250929'), 'anthropic'],
  [packaged('googleVertex.anthropic.messages', 'claude-sonnet-4-5@20250929'), 'anthropic'],
  [packaged('vertex.anthropic.messages', 'claude-opus-4-1@20250805'), 'none'],
  ...['openai.chat', 'openai.completion', 'mine.responses', 'azure.responses', 'azure-openai.responses', 'openai'].map(
    (provider) => [packaged(provider, 'gpt-5.4'), 'none'] as const,
  ),
  [packaged('amazon-bedrock', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'), 'none'],
  [packaged('openrouter', 'anthropic/claude-sonnet-4.5'), 'none'],
  [packaged('gateway', 'anthropic/claude-sonnet-4-5'), 'none'],
  [packaged('anthropic', 'claude-sonnet-4-5'), 'none'],
  [routed('anthropic', 'claude-sonnet-4-5', 'netlify'), 'anthropic'],
  [routed('openai', 'gpt-5.4', 'netlify'), 'openai'],
  ...['mastra', 'my-gateway', ''].map((gateway) => [routed('openai', 'gpt-5.4', gateway), 'none'] as const),
  [routed('openai', 'gpt-5.4', 'models.dev', { url: 'https://llm.test/v1' }), 'none'],
  [routed('anthropic', 'claude-sonnet-4-5', 'models.dev', { url: 'https://llm.test/v1' }), 'none'],
  [routed('openai', 'gpt-5.4', 'models.dev', { url: undefined }), 'openai'],
  [{ ...routed('openai', 'gpt-5.4'), config: undefined }, 'openai'],
  [routed('openrouter', 'anthropic/claude-sonnet-4.5'), 'none'],
  [routed('azure', 'gpt-5.4'), 'none'],
  [createAnthropic3({ apiKey: 'x' })('claude-sonnet-4-5'), 'anthropic'],
  [createAnthropic({ apiKey: 'x' })('claude-3-5-haiku-latest'), 'none'],
  [createOpenAI({ apiKey: 'x' }).responses('gpt-5.4'), 'openai'],
  [createOpenAI({ apiKey: 'x' }).chat('gpt-5.4'), 'none'],
  [createOpenAI({ apiKey: 'x', name: 'mine' })('gpt-5.4'), 'none'],
  [createOpenAI3({ apiKey: 'x' })('gpt-5.4'), 'openai'],
  ...[{}, { provider: 'openai.responses' }, { modelId: 'gpt-5.4' }].map((model) => [model, 'none'] as const),
] as const)(
  'a model has tool search where its provider is called through an interface with it: %j, %s',
  (model, expected) => {
    expect(found(model as NativeModel)).toBe(expected);
  },
);

type Fetch = typeof globalThis.fetch;
type Detect = NonNullable<NativeOptions['detect']>;

/** Load mode: a search, a load, a call, a text. */
const CALLS: readonly (readonly [string, object])[] = [
  ['search_tools', { query: 'weather' }],
  ['load_tool', { toolName: 'get_weather' }],
  ['get_weather', { text: 'Oslo' }],
];
const inLoadMode: Scripts = {
  anthropic: ({ body, index }) => {
    const next = CALLS[anthropicStep(body)];
    return { content: [next ? toolUse(index, ...next) : text('Done.')] };
  },
  openai: ({ body, index }) => {
    const next = CALLS[openaiStep(body)];
    return { content: [next ? functionCall(index, ...next) : message(index, 'Done.')] };
  },
};
/** Names of tools, of chat completions too, which put the function into a property. */
const namesIn = ({ tools = [] }: AnthropicBody | OpenAIBody): string[] =>
  tools
    .map((entry) => {
      const { name, function: inner, type } = entry as { name?: string; type?: string; function?: { name: string } };
      return name ?? inner?.name ?? String(type);
    })
    .toSorted();
const offs = (events: readonly ToolSearchEvent[]) =>
  events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));

const claude = (id: string) => (fetch: Fetch) => createAnthropic({ apiKey: 'x', fetch })(id);
const gpt = (more: object, id: string) => (fetch: Fetch) => createOpenAI({ apiKey: 'x', fetch, ...more })(id);

/** By the names that events give them. */
const WITHOUT: readonly (readonly [string, 'anthropic 4' | 'openai 4', (fetch: Fetch) => unknown])[] = [
  ['anthropic.messages/claude-3-5-sonnet-20241022', 'anthropic 4', claude('claude-3-5-sonnet-20241022')],
  ['anthropic/claude-3-5-haiku-20241022', 'anthropic 4', () => 'anthropic/claude-3-5-haiku-20241022'],
  ['openai.responses/gpt-5', 'openai 4', gpt({}, 'gpt-5')],
  ['openai.chat/gpt-5.4', 'openai 4', (fetch) => createOpenAI({ apiKey: 'x', fetch }).chat('gpt-5.4')],
  ['mine.responses/gpt-5.4', 'openai 4', gpt({ name: 'mine' }, 'gpt-5.4')],
  // With an address of its own, by the gateway of Mastra, and by OpenRouter.
  ['openai/gpt-5.4', 'openai 4', () => ({ id: 'openai/gpt-5.4', url: 'https://llm.test/v1', apiKey: 'x' })],
  ['openai/gpt-5.4', 'openai 4', () => 'mastra/openai/gpt-5.4'],
  ['openrouter/anthropic/claude-sonnet-4.5', 'openai 4', () => 'openrouter/anthropic/claude-sonnet-4.5'],
];
const HOSTS = ['llm.test', 'openrouter.ai', 'gateway-api.mastra.ai'];

describe.each(WITHOUT)('a model without tool search: %s, %s', (title, name, model) => {
  const run = (native: NativeOptions, mode: RunSetup['mode'] = 'generate') => {
    const setup = { model, hosts: HOSTS, agent: { tools: ownTools() }, mode };
    return runPackage(name, inLoadMode, { tools: catalog(), mode: 'native', native }, setup);
  };

  it.each(modes)('gets load mode, and is never sent the catalog: %s', async (mode) => {
    const { bodies, events, refused } = await run({}, mode);
    const own = ['first_own', 'load_tool', 'search_tools', 'second_own'];
    const loaded = [...own, 'get_weather'].toSorted();
    expect(bodies.map(namesIn)).toEqual([own, own, loaded, loaded]);
    expect(JSON.stringify(bodies)).not.toMatch(/defer_?loading|tool_reference|namespace/i);
    const off = { type: 'native-off', reason: 'unsupported-model', model: title };
    expect([refused, events.filter(({ type }) => type === 'native-off')]).toEqual([[], [off]]);
  });

  it("is sent nothing with fallback 'error'", async () => {
    const said = `The model "${title}" has no tool search`;
    await expect(run({ fallback: 'error' })).rejects.toThrow(said);
    await expect(run({ fallback: 'error' })).rejects.toThrow('(native-unsupported)');
  });
});

it("the hook throws a ToolSearchError with fallback 'error'", async () => {
  const processor = new ToolSearchProcessor({ tools: catalog(), mode: 'native', native: { fallback: 'error' } });
  const args = { stepNumber: 0, tools: {}, model: packaged('openai.chat', 'gpt-5.4'), messageList: { addSystem() {} } };
  const error = { name: 'ToolSearchError', code: 'native-unsupported' };
  await expect(processor.processInputStep(args as never)).rejects.toMatchObject(error);
});

describe('native.detect', () => {
  /** The names that each step of a model is sent, whatever it answers. */
  async function sentTo(provider: string, modelId: string, detect: Detect, searches = false) {
    const model = scriptedModel(
      ({ step }) =>
        searches && step === 0
          ? { toolCalls: [{ toolName: 'search_tools', input: { query: 'weather' } }] }
          : { text: 'Done.' },
      { provider, modelId },
    );
    const events: ToolSearchEvent[] = [];
    const onEvent = (event: ToolSearchEvent): void => void events.push(event);
    const processor = new ToolSearchProcessor({ tools: catalog(), mode: 'native', native: { detect }, onEvent });
    const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors: [processor] });
    expect((await agent.generate('hi')).text).toBe('Done.');
    return { names: model.calls.map(({ tools }) => tools.map((tool) => tool.name)), events };
  }
  const LOAD = ['search_tools', 'load_tool'];

  it.each([
    ['azure.responses', 'my-deployment', 'openai', ['tool_search']],
    ['azure.responses', 'my-deployment', undefined, LOAD],
    ['mine.responses', 'gpt-5.4', false, LOAD],
    ['mine', 'proxied-claude', 'anthropic', ['search_tools', ...Object.keys(catalog())]],
    ['openai.responses', 'gpt-5.4', 'nonsense', ['tool_search']],
    ['openai.responses', 'gpt-5.4', false, LOAD],
  ])('decides for a model: %s, %s, said %s', async (provider, modelId, said, expected) => {
    const { names, events } = await sentTo(provider, modelId, () => said as never);
    expect(names).toEqual([expected]);
    expect(offs(events)).toEqual(expected === LOAD ? ['unsupported-model'] : []);
  });

  it('is asked with the model as Mastra hands it over', async () => {
    const asked: unknown[] = [];
    const detect = (model: object): undefined => void asked.push(model);
    await sentTo('mine.responses', 'gpt-5.4', detect);
    expect(asked[0]).toMatchObject({ provider: 'mine.responses', modelId: 'gpt-5.4' });
    const options = { tools: catalog(), mode: 'native', native: { detect } } as const;
    const model = () => ({ id: 'openai/gpt-5.4', url: 'https://llm.test/v1', apiKey: 'x' });
    await runPackage('openai 4', inLoadMode, options, { model, hosts: HOSTS });
    expect(asked.at(-1)).toMatchObject({ provider: 'openai', config: { url: 'https://llm.test/v1' } });
  });

  it.each([
    ['each time', () => true],
    ['once', (asked: number) => asked === 1],
  ])('ends native mode for the request where it throws, which is reported once: %s', async (_, throws) => {
    const error = new Error('no idea');
    let asked = 0;
    const { names, events } = await sentTo(
      'openai.responses',
      'gpt-5.4',
      () => {
        asked += 1;
        if (throws(asked)) throw error;
        return undefined;
      },
      true,
    );
    expect(names).toEqual([LOAD, LOAD]);
    const off = { type: 'native-off', reason: 'failed', model: 'openai.responses/gpt-5.4', error };
    expect(events.filter(({ type }) => type === 'native-off')).toEqual([off]);
  });
});

describe('an Azure model that native.detect names', () => {
  const versions = [createOpenAI3, createOpenAI];
  const cases = versions.flatMap((create, at) =>
    executions.map((execution) => ({ create, execution, mode: modes[at]! })),
  );
  const detect: Detect = ({ provider }) => (provider === 'azure.responses' ? 'openai' : undefined);

  it.each(cases)('searches and calls as one of OpenAI: $execution, $mode', async ({ create, execution, mode }) => {
    // The package for Azure is the one of OpenAI under this name, with the names of deployments as ids.
    const model = (fetch: Fetch) => create({ apiKey: 'x', fetch, name: 'azure' })('my-deployment');
    const options = { tools: catalog(), mode: 'native', native: { execution, detect } } as const;
    const setup = { mode, model, agent: { tools: ownTools() } };
    const {
      bodies,
      refused,
      events,
      text: said,
    } = await runOpenAI('openai 4', searchAndUse(execution).openai, options, setup);
    expect([refused, said, offs(events)]).toEqual([[], 'Done.', []]);
    const eager = bodies.map((body) => openaiFunctions(body).filter((tool) => tool.defer_loading !== true));
    expect(eager.map((tools) => tools.map((tool) => tool.name))).toEqual(bodies.map(() => Object.keys(ownTools())));
    if (execution === 'server') return;
    const [output] = bodies.at(-1)!.input.filter(({ type }) => type === 'tool_search_output');
    expect(output!.tools!.map((tool) => tool.name)).toEqual(FOUND);
  });
});

describe('the recipes of docs/native-mode.md for servers that speak the formats of Anthropic and OpenAI', () => {
  const page = readFileSync(new URL('../../docs/native-mode.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('### Other servers'), page.indexOf('### OpenAI\n'));
  const recipes = [...section.matchAll(/detect: (\(.+\) =>[^\n]+),\n|native: \{ detect: (\(.*\) => false) \}/g)].map(
    ([, named, never]) => new Function(`return ${named ?? never}`)() as Detect,
  );
  const [byName, never] = recipes as [Detect, Detect];
  const creators = { 3: [createAnthropic3, createOpenAI3], 4: [createAnthropic, createOpenAI] } as const;
  const versions = [3, 4] as const;
  const options = (detect?: Detect): ToolSearchProcessorOptions => ({
    ...{ tools: catalog(), mode: 'native', native: detect ? { detect } : {} },
  });
  const server = (provider: string, version: 3 | 4, name: string | undefined, id: string) => (fetch: Fetch) => {
    const given = { apiKey: 'x', baseURL: 'http://localhost:8000/v1', fetch, ...(name === undefined ? {} : { name }) };
    const [ofAnthropic, ofOpenAI] = creators[version];
    return provider === 'anthropic 4' ? ofAnthropic(given)(id) : ofOpenAI(given).responses(id as never);
  };

  it.each(
    packageRuns
      .slice(0, 2)
      .flatMap(({ mode }) => PROVIDERS.flatMap((name) => versions.map((version) => ({ name, version, mode })))),
  )('search natively where the name is known: $name, package $version, $mode', async ({ name, version, mode }) => {
    expect(recipes).toHaveLength(2);
    const model = server(name, version, 'baseten', 'zai-org/GLM-4.7');
    const run = await runPackage(name, searchAndUse('client'), options(byName), { mode, model });
    expect([run.refused, run.text, offs(run.events)]).toEqual([[], 'Done.', []]);
    expect(run.views.at(-1)!.referenced).toEqual(FOUND);
  });

  it.each(versions)('leave others to load mode: package %s', async (version) => {
    for (const provider of PROVIDERS) {
      const model = server(provider, version, 'ollama', provider === 'openai 4' ? 'gpt-5.4' : 'claude-sonnet-4-5');
      const { bodies, events } = await runPackage(provider, DONE, options(byName), { model });
      expect([namesIn(bodies[0]!), offs(events)]).toEqual([['load_tool', 'search_tools'], ['unsupported-model']]);
    }
    // One that has the name of the service is taken for it, unless it is told otherwise.
    const model = server('anthropic 4', version, undefined, 'anthropic/claude-sonnet-4.5');
    const taken = await runPackage('anthropic 4', DONE, options(), { model });
    expect(namesIn(taken.bodies[0]!)).not.toContain('load_tool');
    const left = await runPackage('anthropic 4', DONE, options(never), { model });
    expect(namesIn(left.bodies[0]!)).toEqual(['load_tool', 'search_tools']);
  });
});
