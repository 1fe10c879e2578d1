import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import { createOpenAI as createOpenAI3First } from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../src/native/dialects/anthropic/dialect.ts';
import { dialects } from '../../src/native/dialects/index.ts';
import type { NativeModel } from '../../src/options/native.ts';

const found = (model: NativeModel): string =>
  [...dialects.values()].find((dialect) => dialect.supports(model))?.name ?? 'none';

/** As a provider package gives it. */
const packaged = (provider: string, modelId: string, specificationVersion = 'v3'): NativeModel => ({
  specificationVersion,
  provider,
  modelId,
});

/** As Mastra's router gives it. */
const routed = (provider: string, modelId: string, gatewayId = 'models.dev', more: object = {}): NativeModel => ({
  specificationVersion: 'v2',
  provider,
  modelId,
  gatewayId,
  config: { id: `${provider}/${modelId}`, routerId: provider, ...more },
});

const claudes: readonly (readonly [string, boolean])[] = [
  ['claude-3-opus-20240229', false],
  ['claude-3-5-sonnet-20241022', false],
  ['claude-3-5-haiku-latest', false],
  ['claude-3-7-sonnet-20250219', false],
  ['claude-3-7-sonnet-latest', false],
  ['claude-2.1', false],
  ['claude-instant-1.2', false],
  ['claude-sonnet-4', false],
  ['claude-sonnet-4-0', false],
  ['claude-sonnet-4-20250514', false],
  ['claude-opus-4-20250514', false],
  ['claude-opus-4-1', false],
  ['claude-opus-4-1-20250805', false],
  ['claude-opus-4.1', false],
  ['claude-sonnet-4-5', true],
  ['claude-sonnet-4-5-20250929', true],
  ['claude-haiku-4-5-20251001', true],
  ['claude-opus-4-5-20251101', true],
  ['claude-opus-4-6', true],
  ['claude-opus-4.6', true],
  ['claude-sonnet-4-10', true],
  ['claude-sonnet-5', true],
  ['claude-sonnet-5-20270101', true],
  ['claude-opus-5-5', true],
  ['claude-opus-10-1', true],
  ['my-claude-sonnet-4-5', false],
  ['claude', false],
  ['gpt-5.4', false],
  ['', false],
];

const gpts: readonly (readonly [string, boolean])[] = [
  ['gpt-3.5-turbo', false],
  ['gpt-4', false],
  ['gpt-4o', false],
  ['gpt-4o-2024-08-06', false],
  ['gpt-4.1', false],
  ['gpt-4.1-mini-2025-04-14', false],
  ['gpt-5', false],
  ['gpt-5-2025-08-07', false],
  ['gpt-5-mini', false],
  ['gpt-5-codex', false],
  ['gpt-5.1', false],
  ['gpt-5.2', false],
  ['gpt-5.3-codex', false],
  ['gpt-5.4', true],
  ['gpt-5.4-pro', true],
  ['gpt-5.4-nano', false],
  ['gpt-5.4-nano-2026-03-17', false],
  ['gpt-5.5-nano', false],
  ['gpt-5.4-mini-2026-03-05', true],
  ['gpt-5.10', true],
  ['gpt-6', true],
  ['gpt-6-astra', true],
  ['gpt-10', true],
  ['gpt-2024-01-01', false],
  ['gpt-oss-120b', false],
  ['o3', false],
  ['o4-mini', false],
  ['ft:gpt-5.4:acme::abc', false],
  ['ft:gpt-4.1-2025-04-14:acme::abc', false],
  ['chatgpt-4o-latest', false],
  ['chatgpt-5.4-latest', false],
  ['codex-mini-latest', false],
  ['claude-sonnet-4-5', false],
  ['', false],
];

describe('a model of the right version has tool search', () => {
  it.each(claudes)('%s: %s', (modelId, expected) => {
    const dialect = expected ? 'anthropic' : 'none';
    expect(found(packaged('anthropic.messages', modelId))).toBe(dialect);
    expect(found(packaged('anthropic.messages', modelId, 'v4'))).toBe(dialect);
    expect(found(routed('anthropic', modelId))).toBe(dialect);
  });

  it.each(gpts)('%s: %s', (modelId, expected) => {
    const dialect = expected ? 'openai' : 'none';
    expect(found(packaged('openai.responses', modelId))).toBe(dialect);
    expect(found(packaged('openai.responses', modelId, 'v4'))).toBe(dialect);
    expect(found(routed('openai', modelId))).toBe(dialect);
  });
});

describe('a model of the right provider has tool search', () => {
  it.each([
    ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic'],
    ['bedrock.anthropic.messages', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', 'anthropic'],
    ['bedrock.anthropic.messages', 'anthropic.claude-opus-4-6-v1', 'anthropic'],
    ['bedrock.anthropic.messages', 'eu.anthropic.claude-sonnet-4-20250514-v1:0', 'none'],
    ['bedrock.anthropic.messages', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0', 'none'],
    ['bedrock.anthropic.messages', 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc', 'none'],
    ['vertex.anthropic.messages', 'claude-sonnet-4-5@20250929', 'anthropic'],
    ['googleVertex.anthropic.messages', 'claude-sonnet-4-5@20250929', 'anthropic'],
    ['vertex.anthropic.messages', 'claude-opus-4-1@20250805', 'none'],
    ['openai.responses', 'gpt-5.4', 'openai'],
    ['openai.responses', 'claude-sonnet-4-5', 'none'],
    ['anthropic.messages', 'gpt-5.4', 'none'],
    ['openai.chat', 'gpt-5.4', 'none'],
    ['openai.completion', 'gpt-5.4', 'none'],
    ['mine.responses', 'gpt-5.4', 'none'],
    ['azure.responses', 'gpt-5.4', 'none'],
    ['azure-openai.responses', 'gpt-5.4', 'none'],
    ['amazon-bedrock', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', 'none'],
    ['openrouter', 'anthropic/claude-sonnet-4.5', 'none'],
    ['openrouter.chat', 'openai/gpt-5.4', 'none'],
    ['google.generative-ai', 'gemini-3-pro', 'none'],
    ['xai.responses', 'grok-5', 'none'],
    ['gateway', 'anthropic/claude-sonnet-4-5', 'none'],
    ['anthropic', 'claude-sonnet-4-5', 'none'],
    ['openai', 'gpt-5.4', 'none'],
  ])('%s, %s: %s', (provider, modelId, expected) => {
    expect(found(packaged(provider, modelId, 'v3'))).toBe(expected);
    expect(found(packaged(provider, modelId, 'v4'))).toBe(expected);
    // The packages of the AI SDK 5 send no deferral.
    expect(found(packaged(provider, modelId, 'v2'))).toBe('none');
    expect(found(packaged(provider, modelId, 'v1'))).toBe('none');
  });

  it('knows that Bedrock has one variant alone', () => {
    const isRegexOnly = (provider: string) =>
      anthropic.plan({
        ...{ execution: 'server', variant: 'bm25', appends: false, ownSearch: 'search_tools' },
        model: packaged(provider, 'us.anthropic.claude-haiku-4-5-20251001-v1:0'),
      }).searchName === 'tool_search_tool_regex';
    expect(isRegexOnly('bedrock.anthropic.messages')).toBe(true);
    expect(isRegexOnly('vertex.anthropic.messages')).toBe(false);
    expect(isRegexOnly('anthropic.messages')).toBe(false);
  });
});

describe("a model of Mastra's router has tool search where the router calls the provider itself", () => {
  it.each([
    [routed('anthropic', 'claude-sonnet-4-5'), 'anthropic'],
    [routed('openai', 'gpt-5.4'), 'openai'],
    [routed('anthropic', 'claude-sonnet-4-5', 'netlify'), 'anthropic'],
    [routed('openai', 'gpt-5.4', 'netlify'), 'openai'],
    [routed('anthropic', 'claude-sonnet-4-5', 'mastra'), 'none'],
    [routed('openai', 'gpt-5.4', 'mastra'), 'none'],
    [routed('openai', 'gpt-5.4', 'my-gateway'), 'none'],
    [routed('openai', 'gpt-5.4', ''), 'none'],
    [routed('openai', 'gpt-5.4', 'models.dev', { url: 'https://llm.test/v1' }), 'none'],
    [routed('anthropic', 'claude-sonnet-4-5', 'models.dev', { url: 'https://llm.test/v1' }), 'none'],
    [routed('openai', 'gpt-5.4', 'models.dev', { url: undefined }), 'openai'],
    [routed('openrouter', 'anthropic/claude-sonnet-4.5'), 'none'],
    [routed('openrouter', 'openai/gpt-5.4'), 'none'],
    [routed('azure', 'gpt-5.4'), 'none'],
    [routed('google', 'gemini-3-pro'), 'none'],
    [routed('xai', 'grok-5'), 'none'],
    [{ ...routed('openai', 'gpt-5.4'), config: undefined }, 'openai'],
  ] as const)('%j: %s', (model, expected) => {
    expect(found(model)).toBe(expected);
  });
});

describe('a model object of a package has tool search', () => {
  const settings = { apiKey: 'x' };
  it.each([
    ['anthropic 4', createAnthropic(settings)('claude-sonnet-4-5'), 'anthropic'],
    ['anthropic 3', createAnthropic3(settings)('claude-sonnet-4-5'), 'anthropic'],
    ['anthropic 4, an old model', createAnthropic(settings)('claude-3-5-haiku-latest'), 'none'],
    ['openai 4', createOpenAI(settings)('gpt-5.4'), 'openai'],
    ['openai 4, responses', createOpenAI(settings).responses('gpt-5.4'), 'openai'],
    ['openai 4, chat', createOpenAI(settings).chat('gpt-5.4'), 'none'],
    ['openai 4, completion', createOpenAI(settings).completion('gpt-5.4'), 'none'],
    ['openai 4, an old model', createOpenAI(settings)('gpt-5'), 'none'],
    ['openai 4 under a name', createOpenAI({ ...settings, name: 'mine' })('gpt-5.4'), 'none'],
    ['openai 3.0.46', createOpenAI3First(settings)('gpt-5.4'), 'openai'],
  ])('%s: %s', (_, model, expected) => {
    expect(found(model)).toBe(expected);
  });
});

it.each([{}, { provider: 'openai.responses' }, { modelId: 'gpt-5.4' }, { specificationVersion: 'v3' }])(
  'a model that tells little has no tool search: %j',
  (model) => {
    expect(found(model)).toBe('none');
  },
);
