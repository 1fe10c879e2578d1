// Which models have a tool search, and what the others get.
import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import type { NativeModel, NativeOptions } from 'mastra-tool-search';
import { createOpenAI as createOpenAI3 } from 'openai-v3-first';
import { expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { modelFrom, routed as withRouter } from './rig/package-runs.ts';
import { type Form, goalRig } from './rig/rig.ts';
import { type Service, serviceOf } from './rig/services.ts';

/** A step of a model: the dialect in which it is prepared, by the tools that it is sent, and what was reported. */
async function prepared(model: NativeModel, native: NativeOptions = {}, steps = 1) {
  const session = new Session({ tools: toolRecord(tool('get_weather')), mode: 'native', native });
  let names: readonly string[] = [];
  const state = {};
  for (let step = 0; step < steps; step++) names = Object.keys((await session.step({ model, tools: {}, state })).tools);
  const dialect = names.includes('load_tool') ? 'none' : names.includes('tool_search') ? 'openai' : 'anthropic';
  return { dialect, offs: session.eventsOf('native-off') };
}
const found = async (...given: Parameters<typeof prepared>) => (await prepared(...given)).dialect;
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
      Promise.all([packaged(face, id), packaged(face, id, 'v4'), routed(provider, id)].map((model) => found(model)));
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

/** A turn with a model of a provider's service. */
async function turn(form: Form, model: (fake: Service['fake']) => unknown, native: NativeOptions = {}) {
  const service = serviceOf(form.dialect);
  const options = { service, native, memory: false, isAlone: true, model: model(service.fake) } as const;
  const rig = goalRig(form, options);
  const run = () => rig.done('stream', 'use get_weather');
  await withRouter(service.fake as never, run, 'llm.test', 'openrouter.ai', 'gateway-api.mastra.ai');
  expect(rig.refused()).toEqual([]);
  return { views: service.views(), offs: rig.events.filter(({ type }) => type === 'native-off') };
}

/** Of Mastra's router: an old model, by two gateways, and with an address of its own; and the names in events. */
const WITHOUT: readonly (readonly [model: unknown, title: string, Form['dialect']])[] = [
  ['anthropic/claude-3-5-haiku-20241022', 'anthropic/claude-3-5-haiku-20241022', 'anthropic'],
  ['mastra/openai/gpt-5.4', 'openai/gpt-5.4', 'openai'],
  ['openrouter/anthropic/claude-sonnet-4.5', 'openrouter/anthropic/claude-sonnet-4.5', 'openai'],
  [{ id: 'openai/gpt-5.4', url: 'https://llm.test/v1', apiKey: 'x' }, 'openai/gpt-5.4', 'openai'],
];

it.each(WITHOUT)(
  "a model without tool search gets load mode, and with fallback 'error' nothing: %o",
  async (model, title, dialect) => {
    const form = { dialect, execution: 'client' } as const;
    const { views, offs } = await turn(form, () => model);
    const own = ['load_tool', 'own_tool', 'search_tools'];
    const loaded = ['get_weather', ...own];
    expect(views.map(({ eager }) => eager.toSorted())).toEqual([own, own, loaded, loaded]);
    expect(views.some(({ isNative }) => isNative)).toBe(false);
    expect(offs).toEqual([{ type: 'native-off', reason: 'unsupported-model', model: title }]);
    const refusing = turn(form, () => model, { fallback: 'error' });
    await expect(refusing).rejects.toThrow(/The model "[^"]+" has no tool search.*\(native-unsupported\)/);
  },
);

it("the hook throws a ToolSearchError with fallback 'error'", async () => {
  const error = { name: 'ToolSearchError', code: 'native-unsupported' };
  await expect(found(packaged('openai.chat', 'gpt-5.4'), { fallback: 'error' })).rejects.toMatchObject(error);
});

const MINE = packaged('mine.responses', 'gpt-5.4');
const KNOWN = packaged('openai.responses', 'gpt-5.4');
it.each([
  ['an Azure deployment, which says nothing of its model', packaged('azure.responses', 'mine'), undefined, 'none'],
  ['a server that is left out', MINE, false, 'none'],
  ['a server that is known', packaged('mine.messages', 'proxied-claude'), 'anthropic', 'anthropic'],
  ['a model of OpenAI with a dialect that nobody has', KNOWN, 'nonsense', 'openai'],
  ['a model of OpenAI that is left out', KNOWN, false, 'none'],
  ['a model of AI SDK 4, which cannot be wrapped', packaged('openai.chat', 'gpt-5.4', 'v1'), 'openai', 'none'],
])('native.detect decides for %s, and is asked with it', async (_, model, said, expected) => {
  const asked: unknown[] = [];
  const detect = (given: NativeModel) => {
    asked.push(given);
    return said as never;
  };
  const { dialect, offs } = await prepared(model, { detect });
  expect([dialect, asked[0]]).toEqual([expected, model]);
  expect(offs.map(({ reason }) => reason)).toEqual(expected === 'none' ? ['unsupported-model'] : []);
});

// The package for Azure is the one of OpenAI under this name, with the names of deployments as ids.
it.each([
  ['openai 3.0.46', 'server'],
  ['openai 4', 'client'],
  ['openai 4', 'server'],
] as const)('native.detect makes a model of Azure one of OpenAI: %s, %s', async (name, execution) => {
  const detect: NativeOptions['detect'] = ({ provider }) => (provider === 'azure.responses' ? 'openai' : undefined);
  const model = (fake: Service['fake']) => modelFrom(name, fake, 'my-deployment', { name: 'azure' });
  const { views, offs } = await turn({ dialect: 'openai', execution }, model, { detect });
  expect([offs, views.at(-1)?.referenced]).toEqual([[], ['get_weather']]);
  for (const { isNative, eager } of views) expect([isNative, eager.includes('get_weather')]).toEqual([true, false]);
});

it.each([Number.POSITIVE_INFINITY, 1])(
  'native.detect ends native mode for the request where it throws, which is reported once: %d times',
  async (times) => {
    const error = new Error('no idea');
    let asked = 0;
    const detect = (): undefined => {
      asked += 1;
      if (asked <= times) throw error;
    };
    const { dialect, offs } = await prepared(KNOWN, { detect }, 3);
    expect(dialect).toBe('none');
    expect(offs).toMatchObject([{ type: 'native-off', reason: 'failed', model: 'openai.responses/gpt-5.4', error }]);
  },
);

it('the recipes of docs/native-mode.md tell servers that speak the formats of Anthropic and OpenAI apart', async () => {
  const page = readFileSync(new URL('../../docs/native-mode.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('### Other servers'), page.indexOf('### OpenAI\n'));
  const recipes = [...section.matchAll(/detect: (\(.+\) =>[^\n]+),\n|native: \{ detect: (\(.*\) => false) \}/g)].map(
    ([, named, never]) => ({ detect: new Function(`return ${named ?? never}`)() as NativeOptions['detect'] }),
  );
  const [byName, never] = recipes as [NativeOptions, NativeOptions];
  expect(recipes).toHaveLength(2);
  const at = { apiKey: 'x', baseURL: 'http://localhost:8000/v1' };
  const anthropicAt = (name: string, id: string) => createAnthropic({ ...at, name })(id);
  const openaiAt = (name: string, id: string) => createOpenAI({ ...at, name })(id);
  expect(await found(anthropicAt('baseten', 'zai-org/GLM-4.7'), byName)).toBe('anthropic');
  expect(await found(openaiAt('baseten', 'zai-org/GLM-4.7'), byName)).toBe('openai');
  expect(await found(anthropicAt('ollama', 'claude-sonnet-4-5'), byName)).toBe('none');
  expect(await found(openaiAt('ollama', 'gpt-5.4'), byName)).toBe('none');
  // One that has the name of the service is taken for it, unless it is told otherwise.
  const nameless = createAnthropic(at)('anthropic/claude-sonnet-4.5');
  expect([await found(nameless), await found(nameless, never)]).toEqual(['anthropic', 'none']);
});
