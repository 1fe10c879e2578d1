// Searches of Anthropic's whose results come late, or are errors.
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { expect, it } from 'vitest';
import { pairwise } from '../../support/breadth.ts';
import {
  type AnthropicBlock,
  type AnthropicBody,
  anthropicStep,
  blocksOf,
  serverSearchCall,
  serverSearchResult,
  text,
  toolUse,
} from '../fakes/fake-provider.ts';
import { anthropicPackages, catalog, ownTools, runAnthropic } from '../rig/package-runs.ts';
import { MODES, type Mode, turn } from '../rig/rig.ts';

const blocksIn = ({ messages }: AnthropicBody) => messages.flatMap(blocksOf);
const typesIn = (body: AnthropicBody) => blocksIn(body).map(({ type }) => type);
const blockIn = (body: AnthropicBody, wanted: string) => blocksIn(body).find(({ type }) => type === wanted);
const foundIn = (body: AnthropicBody) => blockIn(body, 'tool_search_tool_result')?.content;

interface Late {
  readonly name: (typeof anthropicPackages)[number];
  readonly mode: Mode;
  readonly variant?: 'bm25' | 'regex';
  readonly first?: readonly AnthropicBlock[];
  readonly result?: AnthropicBlock;
  readonly maxSteps?: number;
}

const own = toolUse(2, 'first_own');
const search = (variant: Late['variant']) => serverSearchCall(1, 'weather', variant);

/** The service runs a search that was called beside a tool of the client's with the next request, if it is still there. */
function run({ name, mode, variant = 'bm25', first = [search(variant), own], maxSteps = 10, ...more }: Late) {
  const { result = serverSearchResult(1, ['get_weather']) } = more;
  return runAnthropic(
    name,
    ({ body }) => {
      const isThere = typesIn(body).includes('server_tool_use');
      if (anthropicStep(body) === 0) return { content: body.messages.length === 1 ? first : [text('Again.')] };
      if (anthropicStep(body) > 1) return { content: [text('Done.')] };
      return { content: [...(isThere ? [result] : [text('Lost.')]), toolUse(3, 'get_weather', { text: 'Oslo' })] };
    },
    { tools: catalog(), mode: 'native', native: { execution: 'server', variant } },
    {
      mode,
      agent: { tools: ownTools(), memory: new Memory({ storage: new InMemoryStore() }) },
      call: () => ({ ...turn, maxSteps }),
      turns: ['hi', 'and now?'],
    },
  );
}
const runs = { name: anthropicPackages, mode: MODES } as const;

it.each(pairwise({ ...runs, variant: ['bm25', 'regex'], isFirst: [true, false] }))(
  'a search beside a tool of the client, before it ($isFirst) or behind it, stays until its result is there, and with it: $name, $mode, $variant',
  async ({ isFirst, ...one }) => {
    const first = isFirst ? [search(one.variant), own] : [own, search(one.variant)];
    const { bodies, refused, events } = await run({ ...one, first });
    expect([refused, bodies.length]).toEqual([[], 4]);
    for (const { tools = [] } of bodies) expect(tools.find(({ type }) => type)?.type).toContain(`_${one.variant}`);
    for (const [at, body] of bodies.slice(1).entries()) {
      expect(blockIn(body, 'server_tool_use')?.name).toBe(`tool_search_tool_${one.variant}`);
      if (at === 0) expect(foundIn(body)).toBeUndefined();
      else expect(JSON.stringify(foundIn(body))).toContain('get_weather');
    }
    expect(events.flatMap((event) => (event.type === 'load' ? event.loaded : []))).toEqual(['get_weather']);
    expect(events.filter(({ type }) => type === 'native-off')).toEqual([]);
  },
);

it.each(pairwise(runs))('such a search goes once the user has said something: $name, $mode', async (one) => {
  const { bodies, refused, text: said } = await run({ ...one, maxSteps: 1 });
  expect([refused, said]).toEqual([[], 'Again.']);
  expect(typesIn(bodies.at(-1)!)).not.toContain('server_tool_use');
  expect(typesIn(bodies.at(-1)!)).toContain('tool_result');
});

it.each(pairwise({ ...runs, isLate: [true, false] }))(
  'an error of a search can be sent again, one answer later ($isLate) or not: $name, $mode',
  async ({ isLate, ...one }) => {
    const failed = serverSearchResult(1, { error: 'unavailable' });
    const more = isLate ? { result: failed } : { first: [search('bm25'), failed, own] };
    const { bodies, refused, text: said } = await run({ ...one, ...more });
    expect([refused, said]).toEqual([[], 'Again.']);
    // The package of the router can only send a search that found nothing.
    const nothing = { type: 'tool_search_tool_search_result', tool_references: [] };
    expect(foundIn(bodies.at(-1)!)).toEqual(one.name === 'anthropic router' ? nothing : failed.content);
  },
);
