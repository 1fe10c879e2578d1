import { createTool } from '@mastra/core/tools';
import { tool as aiTool, jsonSchema } from 'ai';
import { estimateTokenCount } from 'tokenx';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { Session } from '../meta-tools/session.ts';
import { rig } from '../support/agent.ts';
import { raw } from './catalogs.ts';

const description = 'The weather.';
/** The estimated tokens of a tool's definition: the event of a step counts what it sends and what it saves. */
async function tokens(given: object): Promise<number> {
  const session = new Session({ tools: { get_weather: given } as never });
  await session.step();
  const [{ tokensSent, tokensSaved = 0 } = { tokensSent: 0 }] = session.eventsOf('step');
  return tokensSent + tokensSaved;
}
/** Those of the JSON of name, description and what else is there. */
const estimate = (more: object = {}): number =>
  estimateTokenCount(JSON.stringify({ name: 'get_weather', description, ...more }));
const city = { type: 'object', properties: { city: { type: 'string', description: 'The city.' } } };

it('are those of its JSON, of a schema that is read once, and of a huge one as of its beginning', async () => {
  const inputSchema = vi.fn(() => city);
  const given = raw({ description, inputSchema });
  for (const _ of ['once', 'again']) expect(await tokens(given)).toBe(estimate({ parameters: city }));
  expect(inputSchema).toHaveBeenCalledTimes(1);
  const some = 'Sends a message to a colleague. ';
  const huge = { type: 'object', description: some.repeat(1_000_000 / some.length) };
  const counted = await tokens(raw({ description, inputSchema: huge }));
  expect(counted / estimate({ parameters: huge })).toBeCloseTo(1, 2);
});

it.each([
  { why: 'zod 4', make: (text: string) => z.object({ city: z.string().describe(text) }) },
  { why: 'zod 3', make: (text: string) => z3.object({ city: z3.string().describe(text) }) },
  { why: 'jsonSchema()', make: (text: string) => jsonSchema({ properties: { city: { description: text } } }) },
  { why: 'a JSON schema', make: (text: string) => ({ properties: { city: { description: text } } }) },
])('grow with what the schema says: $why', async ({ make }) => {
  const of = (text: string) => tokens(aiTool({ description, inputSchema: make(text) as never, execute: () => 'ran' }));
  const short = await of('x');
  expect((await of('x'.repeat(401))) - short).toBeGreaterThan(50);
  expect(short).toBeGreaterThan(estimate());
});

it('are near to those of the definition that a provider is sent', async () => {
  const inputSchema = z.object({ city: z.string().describe('The city.'), days: z.number().int().min(1).max(14) });
  const subject = createTool({ id: 'get_weather', description, inputSchema, execute: async () => 'ran' });
  const { agent, model } = rig({ tools: {} }, { script: () => ({ text: 'done' }), agent: { tools: { subject } } });
  await agent.generate('go');
  const sent = model.calls[0]?.tools.find(({ name }) => name === 'subject') as { inputSchema?: object } | undefined;
  const really = estimate({ parameters: sent?.inputSchema });
  expect(Math.abs((await tokens(subject)) - really)).toBeLessThan(really * 0.25);
});

it('count name and description alone where the schema cannot be had', async () => {
  const circular = { type: 'object', properties: {} };
  Object.assign(circular.properties, { self: circular });
  const broken = () => {
    throw new Error('broken');
  };
  for (const inputSchema of [undefined, broken, circular, { type: 'object', maxProperties: 10n }])
    expect(await tokens(raw({ description, inputSchema, execute: broken }))).toBe(estimate());
});
