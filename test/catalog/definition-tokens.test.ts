import { createTool } from '@mastra/core/tools';
import { tool as aiTool, jsonSchema } from 'ai';
import { estimateTokenCount } from 'tokenx';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import type { CatalogEntry } from '../../src/catalog/catalog.ts';
import { definitionTokens } from '../../src/catalog/document-cache.ts';
import { rig, tool } from '../support/harness.ts';

const entry = (given: object, name = 'get_weather', description = 'The weather.'): CatalogEntry =>
  ({ name, description, tool: given, isResolved: false }) as unknown as CatalogEntry;
const tokens = (given: object): number => definitionTokens(entry(given));
/** Those of the JSON of name, description and what else is there. */
const estimate = (more: object = {}): number =>
  estimateTokenCount(JSON.stringify({ name: 'get_weather', description: 'The weather.', ...more }));
const execute = async (): Promise<string> => 'ran';
const city = { type: 'object', properties: { city: { type: 'string', description: 'The city.' } } };

describe("the estimated tokens of a tool's definition", () => {
  it('are those of its JSON', () => {
    expect(tokens({ execute, inputSchema: jsonSchema(city as never) })).toBe(estimate({ parameters: city }));
  });

  it.each([
    { why: 'zod 4', make: (description: string) => z.object({ city: z.string().describe(description) }) },
    { why: 'zod 3', make: (description: string) => z3.object({ city: z3.string().describe(description) }) },
    {
      why: 'an AI SDK schema',
      make: (description: string) =>
        jsonSchema({ type: 'object', properties: { city: { type: 'string', description } } }),
    },
    {
      why: 'a JSON schema',
      make: (description: string) => ({ type: 'object', properties: { city: { type: 'string', description } } }),
    },
  ])('grow with what the schema says: $why', ({ make }) => {
    const short = tokens(aiTool({ inputSchema: make('x') as never, execute }));
    const long = tokens(aiTool({ inputSchema: make('x'.repeat(401)) as never, execute }));
    expect(long - short).toBeGreaterThan(50);
    expect(short).toBeGreaterThan(estimate());
  });

  it('are near to those of the definition that a provider is sent', async () => {
    const inputSchema = z.object({ city: z.string().describe('The city.'), days: z.number().int().min(1).max(14) });
    const subject = createTool({ id: 'get_weather', description: 'The weather.', inputSchema, execute });
    const { agent, model } = rig(
      { tools: {} },
      { script: () => ({ text: 'done' }), agent: { tools: { get_weather: subject } } },
    );
    await agent.generate('go');
    const sent = model.calls[0]?.tools.find(({ name }) => name === 'get_weather');
    const {
      name,
      description,
      inputSchema: parameters,
    } = sent as { name: string; description: string; inputSchema: object };
    const really = estimateTokenCount(JSON.stringify({ name, description, parameters }));
    expect(Math.abs(tokens(subject) - really)).toBeLessThan(really * 0.25);
  });

  it.each([
    { why: 'no schema', given: { execute } },
    {
      why: 'a schema that throws',
      given: {
        execute,
        get inputSchema(): never {
          throw new Error('broken');
        },
      },
    },
    { why: 'a circular schema', given: { execute, inputSchema: circular() } },
    {
      why: 'a schema with what JSON cannot say',
      given: { execute, inputSchema: { type: 'object', maxProperties: 10n } },
    },
  ])('count name and description alone with $why', ({ given }) => {
    expect(tokens(given)).toBe(estimate());
  });

  it('need no description', () => {
    const given = { execute };
    expect(definitionTokens(entry(given, 'x', ''))).toBe(estimateTokenCount('{"name":"x","description":""}'));
  });
});

it('reads a schema once, however often its tokens are asked for', () => {
  const read = vi.fn(() => city);
  const given = { execute, inputSchema: read };
  expect(tokens(given)).toBe(tokens(given));
  expect(read).toHaveBeenCalledTimes(1);
});

it('estimates the tokens of a tool of Mastra', () => {
  expect(tokens(tool('get_weather', 'The weather.'))).toBeGreaterThan(estimate());
});

function circular(): object {
  const schema: { type: string; properties: Record<string, unknown> } = { type: 'object', properties: {} };
  schema.properties['self'] = schema;
  return schema;
}
