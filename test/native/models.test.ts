// Which models have a tool search, and what the others get.
import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import type { NativeModel, NativeOptions } from 'mastra-tool-search';
import { createOpenAI as createOpenAI3 } from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { pairwise } from '../support/breadth.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { withRouter } from './fakes/fake-provider.ts';
import { type Form, goalRig, MODES, type Mode, say } from './rig/rig.ts';
import { serviceOf } from './rig/services.ts';

/** The dialect in which a step of a model is prepared, by the tools that it is sent. */
async function found(model: NativeModel): Promise<string> {
  const session = new Session({ tools: toolRecord(tool('get_weather')), mode: 'native' });
  const { tools } = await session.step({ model, tools: {} });
  if ('load_tool' in tools) return 'none';
  return 'tool_search' in tools ? 'openai' : 'anthropic';
}
const packaged = (provider: string, modelId: string, specificationVersion = 'v3'): NativeModel => ({
  ...{ specificationVersion, provider, modelId },
});
/** As Mastra's router gives it. */
const routed = (provider: string, modelId: string, gatewayId = 'models.dev', more: object = {}): NativeModel => ({
  ...{ specificationVersion: 'v2', provider, modelId, gatewayId },
  config: { id: `${provider}/${modelId}`, routerId: provider, ...more },
});

const IDS = {
  anthropic: {
    new: `claude-sonnet-4-5 claude-sonnet-4-5-20250929 claude-haiku-4-5-20251001 claude-opus-4-5-20251101 claude-opus-4-6
      claude-opus-4.6 claude-sonnet-4-10 claude-sonnet-5 claude-sonnet-5-20270101 claude-opus-5-5 claude-opus-10-1`,
    old: `claude-3-opus-20240229 claude-3-5-sonnet-20241022 claude-3-5-haiku-latest claude-3-7-sonnet-20250219 claude-2.1
      claude-instant-1.2 claude-sonnet-4 claude-sonnet-4-0 claude-sonnet-4-20250514 claude-opus-4-1 claude-opus-4-1-20250805
      claude-opus-4.1 my-claude-sonnet-4-5 claude gpt-5.4`,
  },
  openai: {
    new: 'gpt-5.4 gpt-5.4-pro gpt-5.4-mini-2026-03-05 gpt-5.10 gpt-6 gpt-6-astra gpt-10',
    old: `gpt-3.5-turbo gpt-4 gpt-4o gpt-4o-2024-08-06 gpt-4.1 gpt-4.1-mini-2025-04-14 gpt-5 gpt-5-2025-08-07 gpt-5-mini
      gpt-5-codex gpt-5.1 gpt-5.3-codex gpt-5.4-nano gpt-5.4-nano-2026-03-17 gpt-5.5-nano gpt-2024-01-01 gpt-oss-120b o3
      o4-mini ft:gpt-5.4:acme::abc chatgpt-4o-latest chatgpt-5.4-latest codex-mini-latest claude-sonnet-4-5`,
  },
};
const lines = (ids: string): string[] => ids.trim().split(/\s+/);

it.each(['anthropic', 'openai'] as const)(
  'a model of %s has tool search where its version is new enough',
  async (provider) => {
    const face = { anthropic: 'anthropic.messages', openai: 'openai.responses' }[provider];
    const faces = async (id: string) =>
      Promise.all([packaged(face, id), packaged(face, id, 'v4'), routed(provider, id)].map(found));
    for (const id of lines(IDS[provider].new))
      expect([id, ...(await faces(id))]).toEqual([id, ...Array(3).fill(provider)]);
    for (const id of [...lines(IDS[provider].old), ''])
      expect([id, ...(await faces(id))]).toEqual([id, 'none', 'none', 'none']);
    // The packages of the AI SDK 5 send no deferral.
    for (const old of ['v1', 'v2']) expect(await found(packaged(face, lines(IDS[provider].new)[0]!, old))).toBe('none');
  },
);

const BEDROCK = 'bedrock.anthropic.messages';
const REACHED: Readonly<Record<string, readonly object[]>> = {
  anthropic: [
    packaged(BEDROCK, 'us.anthropic.claude-haiku-4-5-20251001-v1:0'),
    packaged('vertex.anthropic.messages', 'claude-sonnet-4-5@20250929'),
    packaged('googleVertex.anthropic.messages', 'claude-sonnet-4-5@20250929'),
    routed('anthropic', 'claude-sonnet-4-5', 'netlify'),
    createAnthropic3({ apiKey: 'x' })('claude-sonnet-4-5'),
  ],
  openai: [
    routed('openai', 'gpt-5.4', 'netlify'),
    routed('openai', 'gpt-5.4', 'models.dev', { url: undefined }),
    { ...routed('openai', 'gpt-5.4'), config: undefined },
    createOpenAI3({ apiKey: 'x' })('gpt-5.4'),
    createOpenAI({ apiKey: 'x' }).responses('gpt-5.4'),
  ],
  none: [
    packaged(BEDROCK, 'eu.anthropic.claude-sonnet-4-20250514-v1:0'),
    packaged(BEDROCK, 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc'),
    packaged('vertex.anthropic.messages', 'claude-opus-4-1@20250805'),
    ...['chat', 'completion'].map((face) => packaged(`openai.${face}`, 'gpt-5.4')),
    ...['mine.responses', 'azure.responses', 'openai'].map((provider) => packaged(provider, 'gpt-5.4')),
    packaged('amazon-bedrock', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'),
    ...['openrouter', 'gateway', 'anthropic'].map((provider) => packaged(provider, 'claude-sonnet-4-5')),
    ...['mastra', 'my-gateway', ''].map((gateway) => routed('openai', 'gpt-5.4', gateway)),
    routed('anthropic', 'claude-sonnet-4-5', 'models.dev', { url: 'https://llm.test/v1' }),
    ...['openrouter', 'azure'].map((provider) => routed(provider, 'gpt-5.4')),
    createOpenAI({ apiKey: 'x' }).chat('gpt-5.4'),
    ...[{}, { provider: 'openai.responses' }, { modelId: 'gpt-5.4' }],
  ],
};

it.each(Object.entries(REACHED).flatMap(([expected, models]) => models.map((model) => [model, expected] as const)))(
  'a model has tool search where its provider is called through an interface with it: %j, %s',
  async (model, expected) => {
    expect(await found(model as NativeModel)).toBe(expected);
  },
);

type Fetch = typeof globalThis.fetch;
type Model = (fetch: Fetch) => unknown;
type Detect = NonNullable<NativeOptions['detect']>;
type Dialect = Form['dialect'];

const HOSTS = ['llm.test', 'openrouter.ai', 'gateway-api.mastra.ai'];
const LOAD = ['load_tool', 'own_tool', 'search_tools'];

/** A turn with a model, whose service is that of a provider. */
async function turn(dialect: Dialect, model: Model, native: NativeOptions = {}, mode: Mode = 'generate') {
  const service = serviceOf(dialect);
  const { fake } = service;
  const options = { service, native, memory: false, isAlone: true, model: model(fake.fetch) } as const;
  const { agent, events, refused } = goalRig({ dialect, execution: native.execution ?? 'client' }, options);
  const hosts = Object.fromEntries(HOSTS.map((host) => [host, fake as never]));
  const services = { anthropic: fake as never, openai: fake as never, hosts };
  const { text } = await withRouter(services, () => say(agent, mode, 'use get_weather'));
  const offs = events.filter(({ type }) => type === 'native-off');
  return { text, views: service.views(), offs, refused: refused() };
}
type Turn = Awaited<ReturnType<typeof turn>>;

function expectLoadMode({ views, ...rest }: Turn): void {
  const loaded = ['get_weather', ...LOAD];
  expect(views.map(({ eager }) => eager.toSorted())).toEqual([LOAD, LOAD, loaded, loaded]);
  expect([rest.text, rest.refused, views.some(({ isNative }) => isNative)]).toEqual(['done', [], false]);
}
function expectNative({ views, ...rest }: Turn): void {
  expect(rest).toEqual({ text: 'done', offs: [], refused: [] });
  expect(views.at(-1)?.referenced).toContain('get_weather');
  for (const { isNative, eager } of views) expect([isNative, eager.includes('get_weather')]).toEqual([true, false]);
}

const CREATORS = { anthropic: [createAnthropic3, createAnthropic], openai: [createOpenAI3, createOpenAI] } as const;
/** A model of the first package with tool search, or the newest. */
const modelBy =
  (dialect: Dialect, version: 0 | 1, id: string, more: object = {}): Model =>
  (fetch) => {
    const given = { apiKey: 'x', fetch, ...more };
    return dialect === 'anthropic'
      ? CREATORS.anthropic[version](given)(id)
      : CREATORS.openai[version](given).responses(id);
  };

/** By the names that events give them. */
const WITHOUT: readonly (readonly [string, Dialect, Model])[] = [
  ['anthropic.messages/claude-3-5-sonnet-20241022', 'anthropic', modelBy('anthropic', 1, 'claude-3-5-sonnet-20241022')],
  ['anthropic/claude-3-5-haiku-20241022', 'anthropic', () => 'anthropic/claude-3-5-haiku-20241022'],
  ['openai.responses/gpt-5', 'openai', modelBy('openai', 1, 'gpt-5')],
  ['openai.chat/gpt-5.4', 'openai', (fetch) => createOpenAI({ apiKey: 'x', fetch }).chat('gpt-5.4')],
  ['mine.responses/gpt-5.4', 'openai', modelBy('openai', 1, 'gpt-5.4', { name: 'mine' })],
  // With an address of its own, by the gateway of Mastra, and by OpenRouter.
  ['openai/gpt-5.4', 'openai', () => ({ id: 'openai/gpt-5.4', url: 'https://llm.test/v1', apiKey: 'x' })],
  ['openai/gpt-5.4', 'openai', () => 'mastra/openai/gpt-5.4'],
  ['openrouter/anthropic/claude-sonnet-4.5', 'openai', () => 'openrouter/anthropic/claude-sonnet-4.5'],
];

it.each(WITHOUT.map(([title, dialect, model], at) => ({ title, dialect, model, mode: MODES[at % 2]! })))(
  "a model without tool search gets load mode, and with fallback 'error' nothing: $title, $mode",
  async ({ title, dialect, model, mode }) => {
    const run = await turn(dialect, model, {}, mode);
    expectLoadMode(run);
    expect(run.offs).toEqual([{ type: 'native-off', reason: 'unsupported-model', model: title }]);
    const said = `The model "${title}" has no tool search`;
    const refusing = () => turn(dialect, model, { fallback: 'error' });
    await expect(refusing()).rejects.toThrow(said);
    await expect(refusing()).rejects.toThrow('(native-unsupported)');
  },
);

it("the hook throws a ToolSearchError with fallback 'error'", async () => {
  const session = new Session({ tools: {}, mode: 'native', native: { fallback: 'error' } });
  const error = { name: 'ToolSearchError', code: 'native-unsupported' };
  await expect(session.step({ model: packaged('openai.chat', 'gpt-5.4') })).rejects.toMatchObject(error);
});

describe('native.detect', () => {
  const azure = { name: 'azure' };
  it.each([
    ['an Azure deployment, which says nothing of its model', 'openai', 'my-deployment', azure, undefined, false],
    ['a server with a name of its own', 'openai', 'gpt-5.4', { name: 'mine' }, false, false],
    ['a server that is known', 'anthropic', 'proxied-claude', { name: 'mine' }, 'anthropic', true],
    ['a model of OpenAI with a dialect that nobody has', 'openai', 'gpt-5.4', {}, 'nonsense', true],
    ['a model of OpenAI that is left out', 'openai', 'gpt-5.4', {}, false, false],
  ] as const)('decides for %s', async (_, dialect, id, more, said, isNative) => {
    const run = await turn(dialect, modelBy(dialect, 1, id, more), { detect: () => said as never });
    (isNative ? expectNative : expectLoadMode)(run);
    expect(run.offs).toMatchObject(isNative ? [] : [{ reason: 'unsupported-model' }]);
  });

  // The package for Azure is the one of OpenAI under this name, with the names of deployments as ids.
  it.each(pairwise({ version: [0, 1], execution: ['client', 'server'], mode: MODES }))(
    'makes a model of Azure one of OpenAI: package $version, $execution, $mode',
    async ({ version, execution, mode }) => {
      const detect: Detect = ({ provider }) => (provider === 'azure.responses' ? 'openai' : undefined);
      expectNative(
        await turn('openai', modelBy('openai', version, 'my-deployment', azure), { execution, detect }, mode),
      );
    },
  );

  it('is asked with the model as Mastra hands it over', async () => {
    const asked: unknown[] = [];
    const detect = (model: object): undefined => void asked.push(model);
    await turn('openai', modelBy('openai', 1, 'gpt-5.4', { name: 'mine' }), { detect });
    expect(asked[0]).toMatchObject({ provider: 'mine.responses', modelId: 'gpt-5.4' });
    await turn('openai', () => ({ id: 'openai/gpt-5.4', url: 'https://llm.test/v1', apiKey: 'x' }), { detect });
    expect(asked.at(-1)).toMatchObject({ provider: 'openai', config: { url: 'https://llm.test/v1' } });
  });

  it.each([[Number.POSITIVE_INFINITY], [1]])(
    'ends native mode for the request where it throws, which is reported once: %d times',
    async (times) => {
      const error = new Error('no idea');
      let asked = 0;
      const detect = (): undefined => {
        asked += 1;
        if (asked <= times) throw error;
      };
      const run = await turn('openai', modelBy('openai', 1, 'gpt-5.4'), { detect });
      expectLoadMode(run);
      expect(run.offs).toEqual([{ type: 'native-off', reason: 'failed', model: 'openai.responses/gpt-5.4', error }]);
    },
  );
});

describe('the recipes of docs/native-mode.md for servers that speak the formats of Anthropic and OpenAI', () => {
  const page = readFileSync(new URL('../../docs/native-mode.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('### Other servers'), page.indexOf('### OpenAI\n'));
  const recipes = [...section.matchAll(/detect: (\(.+\) =>[^\n]+),\n|native: \{ detect: (\(.*\) => false) \}/g)].map(
    ([, named, never]) => new Function(`return ${named ?? never}`)() as Detect,
  );
  const [byName, never] = recipes as [Detect, Detect];
  const server = (dialect: Dialect, version: 0 | 1, name: string | undefined, id: string): Model =>
    modelBy(dialect, version, id, { baseURL: 'http://localhost:8000/v1', ...(name === undefined ? {} : { name }) });

  it.each(pairwise({ dialect: ['anthropic', 'openai'], version: [0, 1], mode: MODES }))(
    'search natively where the name is known, and leave others to load mode: $dialect, package $version, $mode',
    async ({ dialect, version, mode }) => {
      expect(recipes).toHaveLength(2);
      const known = server(dialect, version, 'baseten', 'zai-org/GLM-4.7');
      expectNative(await turn(dialect, known, { detect: byName }, mode));
      const id = dialect === 'openai' ? 'gpt-5.4' : 'claude-sonnet-4-5';
      expectLoadMode(await turn(dialect, server(dialect, version, 'ollama', id), { detect: byName }, mode));
      if (dialect === 'openai') return;
      // One that has the name of the service is taken for it, unless it is told otherwise.
      const nameless = server(dialect, version, undefined, 'anthropic/claude-sonnet-4.5');
      expectNative(await turn(dialect, nameless, {}, mode));
      expectLoadMode(await turn(dialect, nameless, { detect: never }, mode));
    },
  );
});
