// What Gemini refuses, over the package that Mastra's router calls it with.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

const TEXT = { type: 'string' };
const SCHEMAS: Readonly<Record<string, unknown>> = {
  list: { type: 'object', properties: { tags: { type: 'array' } } },
  numbers: {
    type: 'object',
    properties: { size: { enum: [1, 2] }, level: { type: 'integer', enum: [1] }, five: { const: 5 } },
  },
  empty_value: { type: 'object', properties: { order: { type: 'string', enum: ['', 'asc'] } } },
  undefined_required: { type: 'object', properties: { text: TEXT }, required: ['text', 'gone'] },
  either: { type: 'object', properties: { a: TEXT, b: TEXT }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  union: z.union([z.object({ kind: z.literal('a'), x: z.string() }), z.object({ kind: z.literal('b') })]),
  combined: {
    allOf: [{ $ref: '#/$defs/Base' }, { type: 'object', properties: { own: TEXT } }],
    $defs: { Base: { type: 'object', properties: { base: TEXT }, required: ['base'] } },
  },
  '3d_print': { type: 'object', properties: { text: TEXT } },
};

/** What the service refuses of a declaration, as public reports have it. */
function refusals({ name, parameters }: Json): string[] {
  const found = /^[A-Za-z_]/.test(String(name)) ? [] : ['Invalid function name'];
  if ((parameters as Json)['type'] !== 'object') found.push('schema should be of type OBJECT');
  if ('anyOf' in (parameters as Json)) found.push('any_of must be the only field set');
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, items, required, properties, enum: values, oneOf, allOf } = node as Json;
    if (type === 'array' && items === undefined) found.push('items: missing field');
    for (const one of (values ?? []) as unknown[])
      if (typeof one !== 'string' || one === '') found.push(`enum: ${one}`);
    for (const one of (required ?? []) as string[])
      if (!(one in ((properties ?? {}) as Json))) found.push(`required: ${one}`);
    if (oneOf !== undefined || allOf !== undefined) found.push('Unknown name');
    for (const inner of [...Object.values((properties ?? {}) as Json), items]) visit(inner);
  };
  visit(parameters);
  return found;
}

const { fetch } = globalThis;
const KEY = 'GOOGLE_GENERATIVE_AI_API_KEY';
const key = process.env[KEY];
let declared: Json[] = [];

beforeEach(() => {
  declared = [];
  process.env[KEY] = 'fake-key';
  globalThis.fetch = async (_, init) => {
    const { tools } = JSON.parse(String(init?.body)) as { tools: { functionDeclarations: Json[] }[] };
    declared.push(...tools.flatMap(({ functionDeclarations }) => functionDeclarations));
    const parts = [{ text: 'done' }];
    return new Response(`data: ${JSON.stringify({ candidates: [{ content: { parts }, finishReason: 'STOP' }] })}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
});
afterEach(() => {
  globalThis.fetch = fetch;
  if (key === undefined) delete process.env[KEY];
  else process.env[KEY] = key;
});

it('Gemini is sent what it takes', async () => {
  const tools = Object.fromEntries(
    Object.entries(SCHEMAS).map(([id, inputSchema]) => [
      id,
      createTool({ id, description: `Does ${id}.`, inputSchema, execute: async () => 'ran' } as never),
    ]),
  );
  const agent = { id: 'a', name: 'a', instructions: 'Help.', model: 'google/gemini-3-pro' };
  await (await new Agent({ ...agent, tools } as never).stream('go')).consumeStream();
  const plain = declared.splice(0);
  expect(plain).toHaveLength(8);
  // Else this test would not show anything.
  expect(plain.filter((one) => refusals(one).length === 0).map(({ name }) => name)).toEqual(['combined', '_3d_print']);

  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({
    ...{ tools, alwaysLoaded: Object.keys(SCHEMAS) },
    onEvent: (event) => void events.push(event),
  });
  await (await new Agent({ ...agent, inputProcessors: [processor] } as never).stream('go')).consumeStream();
  const sent = new Map(declared.map((one) => [one['name'], one]));
  expect(declared.filter((one) => refusals(one).length > 0)).toEqual([]);
  // Its name cannot be changed for one provider alone.
  expect(Object.keys(SCHEMAS).filter((name) => !sent.has(name))).toEqual(['3d_print']);
  expect(events.filter(({ type }) => type === 'tool-problem')).toMatchObject([
    { problem: 'refused-schema', toolName: '3d_print', message: expect.stringMatching(/Google refuses its name/) },
  ]);
  const propertiesOf = (name: string) => (sent.get(name) as { parameters: { properties: Json } }).parameters.properties;
  expect(Object.keys(propertiesOf('combined')).sort()).toEqual(['base', 'own']);
  expect(propertiesOf('numbers')).toMatchObject({ size: { type: 'number', description: 'One of: 1, 2.' } });
  expect(sent.get('union')).toMatchObject({ parameters: { description: expect.stringMatching(/\{ kind: "a", x \}/) } });
});
