import { describe, expect, it } from 'vitest';
import {
  type AdditionalToolsRule,
  fakeOpenAI,
  functionCall,
  message,
  type OpenAIBody,
  type OpenAITool,
} from './fake-provider.ts';

const ask = { role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const output = (id: number) => ({ type: 'function_call_output', call_id: functionCall(id, '').call_id, output: 'ok' });
const named = (name: string): OpenAITool => ({ type: 'function', name, parameters: { type: 'object' } });
const adds = (...tools: object[]) => ({ type: 'additional_tools', role: 'developer', tools: tools as OpenAITool[] });
const inNamespace: OpenAITool = { type: 'namespace', name: 'crm', description: 'CRM.', tools: [named('other')] };

const base: OpenAIBody = { model: 'gpt-5.6-sol', tools: [named('own')], input: [ask] };
const say = () => ({ content: [message(1, 'Hello.')] });

async function send(fake: { readonly fetch: typeof globalThis.fetch }, body: object): Promise<number> {
  const init = { method: 'POST', body: JSON.stringify(body) };
  return (await fake.fetch('https://service.test/v1/responses', init)).status;
}

const refusals: Record<AdditionalToolsRule, readonly object[]> = {
  'additional-tools-unsupported': [
    { model: 'gpt-5.4', input: [ask, adds(named('other'))] },
    { model: 'gpt-5.5', input: [ask, adds(named('other'))] },
    { model: 'o4-mini', input: [ask, adds(named('other'))] },
  ],
  'additional-tools-role': [{ input: [ask, { ...adds(named('other')), role: 'user' }] }],
  'additional-tools-definition': [
    { input: [ask, adds()] },
    { input: [ask, adds({ type: 'function', name: 'other' })] },
    { input: [ask, adds({ ...inNamespace, description: undefined })] },
  ],
  'additional-tools-breakpoint': [{ input: [ask, { ...adds(named('other')), prompt_cache_breakpoint: {} }] }],
  'additional-tools-position': [{ input: [ask, functionCall(1, 'own'), adds(named('other')), output(1)] }],
  'additional-tools-deferred': [{ input: [ask, adds({ ...named('other'), defer_loading: true })] }],
  'additional-tools-again': [
    { input: [ask, adds(named('other')), adds(named('other'))] },
    { input: [ask, adds(named('other'), inNamespace)] },
  ],
  'additional-tools-in-tools': [
    { input: [ask, adds(named('own'))] },
    { tools: [{ ...inNamespace, tools: [named('own')] }], input: [ask, adds(named('own'))] },
  ],
  'allowed-tools': [
    {
      tool_choice: { type: 'allowed_tools', tools: [named('own'), named('other')] },
      input: [ask, adds(named('other'))],
    },
  ],
};

const cases = Object.entries(refusals).flatMap(([rule, bodies]) => bodies.map((body, at) => ({ rule, at, body })));

describe('tools that are added in mid-conversation', () => {
  it.each(cases)('refuses $rule ($at)', async ({ rule, body }) => {
    const fake = fakeOpenAI(say);
    expect(await send(fake, { ...base, ...body })).toBe(400);
    expect(fake.refused.map((refusal) => refusal.rule)).toEqual([rule]);
    const patient = fakeOpenAI(say, { lenient: [rule as AdditionalToolsRule] });
    expect(await send(patient, { ...base, ...body })).toBe(200);
  });

  it('wants the namespace in a call of a tool that was added in one', async () => {
    const fake = fakeOpenAI(() => ({ content: [functionCall(1, 'other')] }));
    await send(fake, { ...base, input: [ask, adds(inNamespace)] });
    const called = (namespace?: string) => ({
      ...base,
      input: [ask, adds(inNamespace), functionCall(1, 'other', {}, namespace), output(1)],
    });
    expect(await send(fake, called('crm'))).toBe(200);
    expect(await send(fake, called())).toBe(400);
    expect(fake.refused.map(({ rule }) => rule)).toEqual(['missing-namespace']);
  });
});
