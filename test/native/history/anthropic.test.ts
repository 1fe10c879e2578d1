import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import {
  type AnthropicBlock,
  type AnthropicBody,
  type AnthropicScript,
  anthropicStep,
  serverSearchCall,
  serverSearchResult,
  text,
  toolUse,
} from '../fakes/fake-provider.ts';
import {
  type AnthropicPackage,
  anthropicPackages,
  catalog,
  modes,
  ownTools,
  runAnthropic,
} from '../rig/package-runs.ts';

type Variant = 'bm25' | 'regex';
const cases = anthropicPackages.flatMap((name) => modes.map((mode) => ({ name, mode })));
const variants: readonly Variant[] = ['bm25', 'regex'];

const blocksIn = ({ messages }: AnthropicBody): readonly AnthropicBlock[] =>
  messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
const typesIn = (body: AnthropicBody): string[] => blocksIn(body).map(({ type }) => type);
const resultIn = (body: AnthropicBody): AnthropicBlock | undefined =>
  blocksIn(body).find(({ type }) => type === 'tool_search_tool_result');

/** The service runs a search that was called beside a tool of the client's with the next request, if it is still there. */
function late(first: readonly AnthropicBlock[], result: AnthropicBlock): AnthropicScript {
  return ({ body }) => {
    const isThere = typesIn(body).includes('server_tool_use');
    if (anthropicStep(body) === 0) return { content: body.messages.length === 1 ? first : [text('Again.')] };
    if (anthropicStep(body) > 1) return { content: [text('Done.')] };
    return { content: [...(isThere ? [result] : [text('Lost.')]), toolUse(3, 'get_weather', { text: 'Oslo' })] };
  };
}

interface Late {
  readonly name: AnthropicPackage;
  readonly mode: (typeof modes)[number];
  readonly variant?: Variant;
  readonly first?: readonly AnthropicBlock[];
  readonly result?: AnthropicBlock;
  readonly maxSteps?: number;
}

const run = ({ name, mode, variant = 'bm25', maxSteps = 10, ...more }: Late) => {
  const first = more.first ?? [serverSearchCall(1, 'weather', variant), toolUse(2, 'first_own')];
  const script = late(first, more.result ?? serverSearchResult(1, ['get_weather']));
  const memory = new Memory({ storage: new InMemoryStore() });
  return runAnthropic(
    name,
    script,
    { tools: catalog(), mode: 'native', native: { execution: 'server', variant } },
    {
      mode,
      agent: { tools: ownTools(), memory },
      call: { memory: { thread: 'thread', resource: 'user' }, maxSteps },
      turns: ['hi', 'and now?'],
    },
  );
};

describe('a search of Anthropic’s that was called beside a tool of the client', () => {
  it.each(cases.flatMap((one) => variants.map((variant) => ({ ...one, variant }))))(
    'stays in the history until its result is there, and with it: $name, $mode, $variant',
    async (one) => {
      const { bodies, refused, events } = await run(one);
      expect(refused).toEqual([]);
      expect(bodies).toHaveLength(4);
      const variant = one.variant === 'bm25' ? /_bm25/ : /_regex/;
      for (const { tools = [] } of bodies) expect(tools.find(({ type }) => type)?.type).toMatch(variant);
      const [, second, third, fourth] = bodies as [AnthropicBody, AnthropicBody, AnthropicBody, AnthropicBody];
      expect(blocksIn(second).find(({ type }) => type === 'server_tool_use')?.name).toBe(
        `tool_search_tool_${one.variant}`,
      );
      expect(resultIn(second)).toBeUndefined();
      for (const body of [third, fourth]) {
        expect(JSON.stringify(resultIn(body)?.content)).toContain('get_weather');
        expect(blocksIn(body).find(({ type }) => type === 'server_tool_use')?.name).toBe(
          `tool_search_tool_${one.variant}`,
        );
      }
      expect(events.flatMap((event) => (event.type === 'load' ? event.loaded : []))).toEqual(['get_weather']);
      expect(events.filter(({ type }) => type === 'native-off')).toEqual([]);
    },
  );

  it.each(cases)('may come behind that tool: $name, $mode', async (one) => {
    const { bodies, refused } = await run({ ...one, first: [toolUse(2, 'first_own'), serverSearchCall(1, 'weather')] });
    expect(refused).toEqual([]);
    expect(typesIn(bodies[1]!)).toContain('server_tool_use');
    for (const body of bodies.slice(2)) expect(JSON.stringify(resultIn(body)?.content)).toContain('get_weather');
  });

  it.each(cases)('goes once the user has said something: $name, $mode', async (one) => {
    const { bodies, refused, text: said } = await run({ ...one, maxSteps: 1 });
    expect([refused, said]).toEqual([[], 'Again.']);
    expect(typesIn(bodies.at(-1)!)).not.toContain('server_tool_use');
    expect(typesIn(bodies.at(-1)!)).toContain('tool_result');
  });
});

describe('an error of a search of Anthropic’s', () => {
  const failed = serverSearchResult(1, { error: 'unavailable' });
  const first = [serverSearchCall(1, 'weather'), failed, toolUse(2, 'first_own')];

  it.each(cases.flatMap((one) => [true, false].map((isLate) => ({ ...one, isLate }))))(
    'can be sent again, one answer later ($isLate) or not: $name, $mode',
    async ({ isLate, ...one }) => {
      const { bodies, refused, text: said } = await run({ ...one, ...(isLate ? { result: failed } : { first }) });
      expect([refused, said]).toEqual([[], 'Again.']);
      // The package of the router can only send a search that found nothing.
      const nothing = { type: 'tool_search_tool_search_result', tool_references: [] };
      const expected = one.name === 'anthropic router' ? nothing : failed.content;
      expect(resultIn(bodies.at(-1)!)?.content).toEqual(expected);
    },
  );
});
