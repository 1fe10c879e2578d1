import { wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { sendsDefinitions } from '../../../src/native/append.ts';
import { anthropic } from '../../../src/native/dialects/anthropic/dialect.ts';
import { openai } from '../../../src/native/dialects/openai/dialect.ts';

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
