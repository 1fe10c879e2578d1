import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type LoadedToolStore, memoryStore } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { calls, load, rig, tool, toolRecord } from '../support/harness.ts';
import { type Script, toolNames, userText } from '../support/scripted-model.ts';

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const tools = () => toolRecord(...letters.map((letter) => tool(`tool_${letter}`)));
const loadedIn = (names: readonly string[]) => names.filter((name) => name.startsWith('tool_'));

/** Loads the tool that the user's text names. */
const loadWhatTheUserSays: Script = ({ prompt, step }) =>
  step === 0 ? { toolCalls: [load(userText(prompt))] } : { text: 'done' };

/** A store in which everything takes a while, each call another while. */
function slowStore(): LoadedToolStore {
  const inner = memoryStore();
  let turn = 0;
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, (turn++ % 5) * 3));
  return {
    get: async (scope) => pause().then(() => inner.get(scope)),
    add: async (scope, names, options) => pause().then(() => inner.add(scope, names, options)),
    clear: async (scope) => pause().then(() => inner.clear(scope)),
  };
}

const stores = [
  { store: 'in-memory', storage: () => 'in-memory' as const },
  { store: 'context', storage: () => 'context' as const },
  { store: 'a slow store', storage: slowStore },
];

describe.each(stores)('loads with $store', ({ storage }) => {
  it('are not shared by anonymous requests, one after the other', async () => {
    const { agent, model } = rig({ tools: tools(), storage: storage() }, { script: loadWhatTheUserSays });
    for (const letter of letters) {
      const before = model.calls.length;
      await agent.generate(`tool_${letter}`);
      const steps = model.calls.slice(before).map((received) => loadedIn(toolNames(received)));
      expect(steps).toEqual([[], [`tool_${letter}`]]);
    }
  });

  it('are not shared by requests that use one RequestContext one after the other', async () => {
    const { agent, model } = rig({ tools: tools(), storage: storage() }, { script: loadWhatTheUserSays });
    const requestContext = new RequestContext();
    await agent.generate('tool_a', { requestContext });
    await agent.generate('tool_b', { requestContext });
    expect(model.calls.map((received) => loadedIn(toolNames(received)))).toEqual([[], ['tool_a'], [], ['tool_b']]);
  });

  it('are not shared by requests that use one RequestContext at once', async () => {
    const { agent, model } = rig({ tools: tools(), storage: storage() }, { script: loadWhatTheUserSays });
    const requestContext = new RequestContext();
    await Promise.all(letters.map((letter) => agent.generate(`tool_${letter}`, { requestContext })));
    for (const received of model.calls) {
      const expected = received.step === 0 ? [] : [userText(received.prompt)];
      expect(loadedIn(toolNames(received))).toEqual(expected);
    }
  });

  it('are not shared by concurrent runs of threads, resources and nobody', async () => {
    const memory = new Memory({ storage: new InMemoryStore() });
    const { agent, model } = rig(
      { tools: tools(), storage: storage() },
      { script: loadWhatTheUserSays, agent: { memory } },
    );
    const identities = letters.map((_, position) => {
      if (position % 2 === 0) return {};
      return { memory: { thread: `thread-${position % 4}`, resource: `resource-${position}` } };
    });
    // The same thread id under two resources is refused by Memory itself, so the threads differ where it is used.
    await Promise.all(
      letters.map((letter, position) => {
        const identity = identities[position]!;
        const options = 'memory' in identity ? { memory: { ...identity.memory, thread: `t-${position}` } } : {};
        return agent.generate(`tool_${letter}`, options as never);
      }),
    );
    for (const received of model.calls) {
      const expected = received.step === 0 ? [] : [userText(received.prompt)];
      expect(loadedIn(toolNames(received))).toEqual(expected);
    }
  });
});

describe('the scope of a request', () => {
  const turns = async (...identities: object[]): Promise<string[][]> => {
    const { agent, model } = rig({ tools: tools() }, { script: calls(load('tool_a')) });
    for (const options of identities) await agent.generate('go', options as never);
    return model.calls.filter(({ step }) => step === 0).map((received) => loadedIn(toolNames(received)));
  };
  const context = (entries: Record<string, unknown>) => ({
    requestContext: new RequestContext(Object.entries(entries) as never),
  });

  it.each([
    {
      why: 'the keys of server middleware',
      same: () => context({ mastra__threadId: 't', mastra__resourceId: 'r' }),
      other: () => context({ mastra__threadId: 't', mastra__resourceId: 'other' }),
    },
    {
      why: 'the keys of server middleware, without a resource',
      same: () => context({ mastra__threadId: 't' }),
      other: () => context({ mastra__threadId: 'u' }),
    },
    {
      why: 'thread and resource of an agent without Memory',
      same: () => ({ memory: { thread: 't', resource: 'r' } }),
      other: () => ({ memory: { thread: 't', resource: 'other' } }),
    },
  ])('differs for $why', async ({ same, other }) => {
    expect(await turns(same(), same(), other())).toEqual([[], ['tool_a'], []]);
  });

  it('cannot be forged by ids inside messages that the caller sends', async () => {
    const message = { id: 'm', role: 'user', threadId: 't', resourceId: 'r', createdAt: new Date() };
    const content = { format: 2, parts: [{ type: 'text', text: 'go' }] };
    const { agent, model } = rig({ tools: tools() }, { script: calls(load('tool_a')) });
    await agent.generate('go', { memory: { thread: 't', resource: 'r' } } as never);
    const before = model.calls.length;
    await agent.generate([{ ...message, content }] as never);
    expect(loadedIn(toolNames(model.calls[before]!))).toEqual([]);
  });

  it('is shared by requests for which the scope function returns the same, and by none where it fails', async () => {
    const scope = ({ requestContext }: { requestContext?: RequestContext }) => requestContext?.get('team') as string;
    const shared = rig({ tools: tools(), scope }, { script: calls(load('tool_a')) });
    for (const team of ['x', 'x', 'y']) {
      await shared.agent.generate('go', { requestContext: new RequestContext([['team', team]]) });
    }
    const first = shared.model.calls.filter(({ step }) => step === 0);
    expect(first.map((received) => loadedIn(toolNames(received)))).toEqual([[], ['tool_a'], []]);

    const events: string[] = [];
    const failing = rig(
      {
        tools: tools(),
        scope: () => {
          throw new Error('no');
        },
        onEvent: ({ type }) => void events.push(type),
      },
      { script: calls(load('tool_a')) },
    );
    await failing.agent.generate('go');
    await failing.agent.generate('go');
    expect(failing.model.calls.map((received) => loadedIn(toolNames(received)))).toEqual([
      [],
      ['tool_a'],
      [],
      ['tool_a'],
    ]);
    expect(events).toContain('scope-failed');
  });
});
