// Searches of Anthropic's whose results come late, or are errors.
import { describe, expect, it } from 'vitest';
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
import type { Action, Sent } from '../rig/goals.ts';
import { anthropicPackages, modelFrom, routed } from '../rig/package-runs.ts';
import { goalRig, MODES, type Mode, say } from '../rig/rig.ts';
import { serviceOf } from '../rig/services.ts';

const blockIn = ({ messages }: AnthropicBody, wanted: string) =>
  messages.flatMap(blocksOf).find(({ type }) => type === wanted);
const foundIn = (body: AnthropicBody) => blockIn(body, 'tool_search_tool_result')?.content;

interface Late {
  readonly name: (typeof anthropicPackages)[number];
  readonly mode: Mode;
  readonly first?: readonly AnthropicBlock[];
  readonly result?: AnthropicBlock;
  readonly maxSteps?: number;
}

const own = toolUse(2, 'own_tool');
const search = serverSearchCall(1, 'weather');

/** The service runs a search that was called beside a tool of the client's with the next request, if it is still there. */
async function run({ name, mode, first = [search, own], maxSteps = 10, ...more }: Late) {
  const { result = serverSearchResult(1, ['get_weather']) } = more;
  const decide = (sent: Sent): Action => {
    const body = sent.body as AnthropicBody;
    const late = [blockIn(body, 'server_tool_use') ? result : text('Lost.'), toolUse(3, 'get_weather')];
    const again = body.messages.length === 1 ? first : [text('Again.')];
    return { type: 'raw', content: [again, late][anthropicStep(body)] ?? [text('Done.')] };
  };
  const service = serviceOf('anthropic', undefined, decide);
  const form = { dialect: 'anthropic', execution: 'server' } as const;
  const rig = goalRig(form, { service, model: modelFrom(name, service.fake) });
  const said = await routed(service.fake as never, async () => {
    await say(rig.agent, mode, 'hi', { maxSteps });
    return (await say(rig.agent, mode, 'and now?')).text;
  });
  expect([rig.faults(), said]).toEqual([[], 'Again.']);
  return { bodies: service.bodies() as AnthropicBody[], events: rig.events };
}

describe.each(anthropicPackages.map((name, at) => ({ name, mode: MODES[at % 2]! })))('with $name, $mode', (one) => {
  it.each([true, false])(
    'a search beside a tool of the client, before it or behind it, stays until its result is there, and with it: before it %s',
    async (isFirst) => {
      const first = isFirst ? [search, own] : [own, search];
      const { bodies, events } = await run({ ...one, first });
      expect(bodies).toHaveLength(4);
      for (const { tools = [] } of bodies) expect(tools.find(({ type }) => type)?.type).toContain('_bm25');
      for (const [at, body] of bodies.slice(1).entries()) {
        expect(blockIn(body, 'server_tool_use')?.name).toBe('tool_search_tool_bm25');
        expect(JSON.stringify(foundIn(body) ?? '').includes('get_weather')).toBe(at > 0);
      }
      expect(events).toEqual([{ type: 'load', loaded: ['get_weather'], alreadyLoaded: [], notFound: [] }]);
    },
  );

  it('such a search goes once the user has said something', async () => {
    const last = (await run({ ...one, maxSteps: 1 })).bodies.at(-1)!;
    expect([blockIn(last, 'server_tool_use'), blockIn(last, 'tool_result')?.type]).toEqual([undefined, 'tool_result']);
  });

  it('an error of a search can be sent again, one answer later or not', async () => {
    const failed = serverSearchResult(1, { error: 'unavailable' });
    for (const more of [{ result: failed }, { first: [search, failed, own] }]) {
      const { bodies } = await run({ ...one, ...more });
      // The package of the router can only send a search that found nothing.
      const nothing = { type: 'tool_search_tool_search_result', tool_references: [] };
      expect(foundIn(bodies.at(-1)!)).toEqual(one.name === 'anthropic router' ? nothing : failed.content);
    }
  });
});
