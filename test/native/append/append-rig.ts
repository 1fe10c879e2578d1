import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import { expect } from 'vitest';
import { type AnthropicBody, additionsIn, changesIn, type OpenAIBody } from '../fakes/fake-provider.ts';
import { type Form, type GoalRig, goalRig, type RigOptions } from '../rig/rig.ts';
import { anthropicService, openaiService, type Service } from '../rig/services.ts';

export const dialects = ['anthropic', 'openai'] as const;
export type Dialect = Form['dialect'];

export const serviceOf = (dialect: Dialect, ...given: Parameters<typeof anthropicService>): Service =>
  dialect === 'anthropic' ? anthropicService(...given) : openaiService(...given);

/** The newest models: Claude's take no thinking whose conversation has changed. */
export function modelOf(dialect: Dialect, { fake: { fetch } }: Service): unknown {
  return dialect === 'anthropic'
    ? anthropic4.createAnthropic({ apiKey: 'x', fetch })('claude-opus-5-5')
    : openai4.createOpenAI({ apiKey: 'x', fetch }).responses('gpt-6');
}

export function rigOf(dialect: Dialect, options: RigOptions = {}): GoalRig {
  const service = options.service ?? serviceOf(dialect);
  return goalRig({ dialect, execution: 'append' }, { model: modelOf(dialect, service), ...options, service });
}

export const lastBody = ({ service }: GoalRig): AnthropicBody | OpenAIBody => service.bodies().at(-1)!;
/** What a request adds and removes in mid-conversation. */
export const changesOf = (body: AnthropicBody | OpenAIBody): readonly string[] =>
  'input' in body ? additionsIn(body).map((name) => `+${name}`) : changesIn(body);
export const namesOf = ({ tools = [] }: AnthropicBody | OpenAIBody): readonly (string | undefined)[] =>
  tools.map(({ name, type }) => name ?? type);

export function expectGrowth({ service }: GoalRig, from = 0): void {
  const all = service
    .bodies()
    .slice(from)
    .map((body) => ('input' in body ? [body.tools, ...body.input] : [body.tools, body.system, ...body.messages]));
  for (const [at, items] of all.slice(1).entries()) {
    expect(JSON.stringify(items.slice(0, all[at]!.length))).toBe(JSON.stringify(all[at]));
  }
}
