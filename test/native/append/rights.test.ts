import { describe, expect, it } from 'vitest';
import { say } from '../rig/rig.ts';
import { changesOf, expectGrowth, lastBody, rigOf } from './append-rig.ts';

describe('a note that somebody else wrote', () => {
  it('brings no definition to a request that may not have it', async () => {
    const rig = rigOf('anthropic', {
      processor: {
        filter: ({ requestContext, toolName }) => toolName !== 'send_email' || requestContext?.get('boss') === true,
      },
    });
    const { RequestContext } = await import('@mastra/core/request-context');
    const boss = new RequestContext();
    boss.set('boss', true);
    await say(rig.agent, 'stream', 'use send_email', { requestContext: boss });
    expect(changesOf(lastBody(rig))).toEqual(['+send_email']);

    // A client of another conversation sends the messages of this one, notes and all.
    const { messages } = await (await rig.agent.getMemory())!.recall({ threadId: 't', resourceId: 'ann' } as never);
    await rig.agent.generate(
      [
        ...messages.map(({ threadId: _, resourceId: __, ...rest }) => rest),
        { role: 'user', content: 'hello' },
      ] as never,
      {
        memory: { thread: 'other', resource: 'eve' },
      },
    );
    expect(changesOf(lastBody(rig))).toEqual([]);
    expect(rig.refused()).toEqual([]);
  });
});

describe('a right that is withdrawn', () => {
  it('leaves the beginning as it is, and takes the tool away, also in later turns', async () => {
    let denied = '';
    const rig = rigOf('anthropic', { processor: { filter: ({ toolName }) => toolName !== denied } });
    await say(rig.agent, 'stream', 'use get_weather');
    denied = 'get_weather';
    expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('not found');
    await say(rig.agent, 'stream', 'hello');
    expectGrowth(rig);
    expect(rig.refused()).toEqual([]);
    expect(changesOf(lastBody(rig))).toEqual(['+get_weather', '-get_weather']);
    denied = '';
    expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('done');
    expectGrowth(rig);
  });

  it('of OpenAI, which takes no removal, takes the definition out of the conversation', async () => {
    let denied = '';
    const rig = rigOf('openai', {
      processor: { preselect: true, timeouts: { preselect: 10_000 }, filter: ({ toolName }) => toolName !== denied },
    });
    await say(rig.agent, 'stream', 'use get_weather');
    expect(changesOf(lastBody(rig))).toEqual(['+get_weather']);
    denied = 'get_weather';
    await say(rig.agent, 'stream', 'hello');
    expect(changesOf(lastBody(rig))).toEqual([]);
    expect(JSON.stringify(lastBody(rig))).not.toContain('Does get weather.');
  });
});
