import type { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { asRecord } from '../../kit.ts';
import { readAnswer, type WrittenKeywords } from './answer.ts';
import { KEYWORD_INSTRUCTIONS } from './prompt.ts';

/**
 * The model that writes keywords: as an Agent takes it, or a function that answers a prompt with text.
 *
 * @example
 * ```ts
 * const byName: KeywordModel = 'openai/gpt-5-mini';
 * const bySelf: KeywordModel = async (prompt, { signal }) => {
 *   const response = await fetch('http://localhost:8080/complete', { method: 'POST', body: prompt, signal });
 *   return response.text();
 * };
 * ```
 */
export type KeywordModel =
  | MastraModelConfig
  | ((prompt: string, options: { readonly signal: AbortSignal }) => string | Promise<string>);

/** Asks a model once. */
export type Ask = (prompt: string, signal: AbortSignal) => Promise<WrittenKeywords>;

const SCHEMA = {
  type: 'object',
  properties: {
    tools: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, keywords: { type: 'array', items: { type: 'string' } } },
        required: ['name', 'keywords'],
        additionalProperties: false,
      },
    },
  },
  required: ['tools'],
  additionalProperties: false,
} as const;

/** The way to ask a model. Mastra's Agent is loaded with the first question to a model that needs one. */
export function asking(model: KeywordModel): Ask {
  if (typeof model === 'function') {
    return async (prompt, signal) => readAnswer(await model(`${KEYWORD_INSTRUCTIONS}\n\n${prompt}`, { signal }));
  }
  let made: Promise<Agent> | undefined;
  return async (prompt, abortSignal) => {
    made ??= agentOf(model);
    const agent = await made;
    // What is no such object is read from the text: not every model keeps to a schema.
    const structuredOutput = { schema: SCHEMA, errorStrategy: 'fallback', fallbackValue: { tools: [] } };
    const { object, text } = await agent.generate(prompt, { structuredOutput, abortSignal } as never);
    const written = object === undefined ? undefined : readAnswer(object);
    return written && written.size > 0 ? written : readAnswer(text);
  };
}

async function agentOf(model: MastraModelConfig): Promise<Agent> {
  const { Agent } = await import('@mastra/core/agent');
  return new Agent({ id: 'keyword-writer', name: 'Keyword writer', instructions: KEYWORD_INSTRUCTIONS, model });
}

/** A text that tells models apart, for the keys of a cache. */
export function modelName(model: KeywordModel): string {
  if (typeof model === 'string') return model;
  if (typeof model === 'function') return `function ${model.name}`;
  const { provider, providerId, modelId, id } = asRecord(model) ?? {};
  return [provider ?? providerId, modelId ?? id].filter((part) => typeof part === 'string').join('/');
}
