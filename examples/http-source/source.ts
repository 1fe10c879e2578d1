import { createTool } from '@mastra/core/tools';
import type { SourceCandidate, ToolSource } from 'mastra-tool-search';
import type { Definition } from '../support/services.ts';

/** Tools of a service that searches, describes and runs them: see service.ts. */
export function httpSource(url: string): ToolSource {
  async function ask<Answer>(question: string, body: object, signal: AbortSignal | undefined): Promise<Answer> {
    const response = await fetch(new URL(question, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
    if (!response.ok) throw new Error(`The search service answered ${question} with ${response.status}.`);
    return (await response.json()) as Answer;
  }

  function toTool({ name, description, inputSchema }: Definition): ReturnType<typeof createTool> {
    const execute = (input: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}): Promise<unknown> =>
      ask('run', { name, input }, abortSignal);
    return createTool({ id: name, description, inputSchema, execute });
  }

  return {
    name: 'search-service',
    search: ({ keywords, required }, { limit, abortSignal }) =>
      ask<SourceCandidate[]>('search', { keywords, required, limit }, abortSignal),
    async get(names, { abortSignal }) {
      const found = await ask<Definition[]>('definitions', { names }, abortSignal);
      return Object.fromEntries(found.map((definition) => [definition.name, toTool(definition)]));
    },
    list: (of, { limit, abortSignal }) => ask<SourceCandidate[]>('list', { ...of, limit }, abortSignal),
  };
}
