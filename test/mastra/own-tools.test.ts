// The tools and the list of active tools of a step, as other processors hand them over and change them.
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const tools = toolRecord(tool('a'), tool('b'));
const own = toolRecord(tool('own'), tool('other'));

it('the list of active tools of a caller keeps his names and gets the meta-tools, and is not changed', async () => {
  const caller = ['own'];
  const { activeTools } = await new Session({ tools, mode: 'call' }).step({ tools: own, activeTools: caller });
  expect([...(activeTools ?? [])].sort()).toEqual(['call_tool', 'own', 'search_tools']);
  expect(caller).toEqual(['own']);
});

it('the list of active tools hides what two processors have deferred, where a model without a tool search is asked', async () => {
  const native = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
  const [model, other] = [native, {}].map((of) => scriptedModel(() => ({ text: 'done' }), of));
  const metaTools = { search: { name: 'find' }, load: { name: 'take' } };
  const first = new Session({ tools: toolRecord(tool('a')), mode: 'native' });
  const setup = { messageList: first.messageList };
  const second = new Session({ tools: toolRecord(tool('b')), mode: 'native', metaTools }, setup);
  const { activeTools = [] } = await second.step(await first.step({ model, tools: own }));
  const shown = () => ['own', 'a', 'b'].filter((name) => activeTools.includes(name));
  expect(shown()).toEqual(['own', 'a', 'b']);
  for (const { processor, requestContext } of [first, second])
    processor.processLLMRequest?.({ prompt: [], model: other, requestContext, ...setup } as never);
  expect(shown()).toEqual(['own']);
});

describe('a request with includeResolvedTools', () => {
  it('has its tools looked at once, again where they have changed, and one that cannot be read', async () => {
    let looks = 0;
    const get = () => {
      looks += 1;
      throw new Error('not today');
    };
    const subject = Object.defineProperty({ execute: async () => 'ran' }, 'onOutput', { get });
    const session = new Session({ includeResolvedTools: true });
    await session.step({ tools: { subject } });
    const once = looks;
    for (let step = 0; step < 5; step++) await session.step({ tools: { subject } });
    expect(looks).toBe(once);
    await session.step({ tools: { subject, more: tool('more') } });
    expect(looks).toBeGreaterThan(once);
  });

  it('is sent a tool that comes, goes and is replaced from step to step, also in the same object', async () => {
    const session = new Session({ includeResolvedTools: true, search: { autoLoad: true } });
    const [first, second] = [tool('mine', 'Mine.'), tool('mine', 'Mine.')];
    const given: Record<string, unknown> = { mine: first };
    const sent = async () => (await session.step({ tools: given })).tools;
    const search = (await sent())['search_tools'];
    await search?.execute?.({ query: 'mine' } as never, {} as never);
    expect((await sent())['mine']).toBe(first);
    given['mine'] = second;
    expect((await sent())['mine']).toBe(second);
    delete given['mine'];
    expect((await sent())['mine']).toBeUndefined();
    given['mine'] = first;
    expect((await sent())['mine']).toBe(first);
  });
});
