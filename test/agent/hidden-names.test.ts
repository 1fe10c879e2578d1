import {
  type LoadToolResult,
  type MastraTool,
  type ToolSearchFilter,
  type ToolSearchFilterPhase,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, email, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, systemText, toolNames, toolResults } from '../support/scripted-model.ts';
import { missing, run } from './missed-calls.ts';

const secret = (): MastraTool =>
  tool('secret_admin', 'Administers what is secret.', { mcpMetadata: { serverName: 'vault' } });
const hiding =
  (...phases: readonly ToolSearchFilterPhase[]): ToolSearchFilter =>
  ({ toolName, phase }) =>
    toolName !== 'secret_admin' || !phases.includes(phase);

/** What a model reads that makes one call, of a catalog with the hidden tool and of one without it. */
async function twins(asked: { toolName: string; input: unknown }, options: Partial<ToolSearchProcessorOptions> = {}) {
  const read = async (tools: Record<string, MastraTool>) => {
    const { agent, model } = rig(
      {
        tools,
        filter: hiding('search'),
        groups: (each) => (each.id === 'secret_admin' ? 'vault' : 'office'),
        ...options,
      },
      { script: calls(asked, call('get_weather')) },
    );
    await agent.generate('go');
    return model.calls.map((received) => ({
      system: systemText(received.prompt),
      results: toolResults(received.prompt).map(({ value }) => value),
      tools: toolNames(received),
    }));
  };
  const others = toolRecord(weather(), email());
  return { hidden: await read({ ...others, secret_admin: secret() }), absent: await read(others) };
}

describe('a tool that only the search phase denies', () => {
  it.each([
    { why: 'a pattern', asked: load('secr*') },
    { why: 'a pattern that is its whole name', asked: load('secret_admin*') },
    { why: 'a pattern in a list', asked: call('load_tool', { toolNames: ['secr*', 'get_weather'] }) },
    { why: 'its group', asked: load('vault*') },
    { why: 'the name in another spelling', asked: load('secretAdmin') },
    { why: 'the name with a slip of the pen', asked: load('secret_admn') },
    { why: 'a part of the name', asked: load('secret') },
    { why: 'a pattern to select', asked: call('search_tools', { query: 'select:secr*' }) },
    { why: 'its name to select', asked: call('search_tools', { query: 'select:secretAdmin' }) },
    { why: 'a search', asked: call('search_tools', { query: 'what is secret' }) },
    { why: 'names to unload', asked: call('unload_tool', { toolNames: ['secr*', 'secretAdmin'] }) },
    { why: 'a call in another spelling', asked: call('secretAdmin') },
    { why: 'a call with a prefix', asked: call('functions.secret_admin') },
  ])('is as if it were not there to a model that does not write its name: $why', async ({ asked }) => {
    const { hidden, absent } = await twins(asked, { metaTools: { unload: true } });
    expect(hidden).toEqual(absent);
    expect(
      JSON.stringify(hidden.map(({ results }) => results)).replaceAll(JSON.stringify(asked.input), ''),
    ).not.toMatch(/secret_admin"/);
  });

  describe.each(['run', 'load'] as const)('with onMiss: %s', (onMiss) => {
    it('does not stand in the way of another tool that is called in another spelling', async () => {
      const { agent, model } = missing(['getWeather'], {
        tools: { ...toolRecord(weather()), other: tool('GET_WEATHER') },
        filter: ({ toolName, phase }) => toolName !== 'GET_WEATHER' || phase !== 'search',
        onMiss,
      });
      await agent.generate('go');
      if (onMiss === 'load') expect(toolNames(model.calls[1]!)).toContain('get_weather');
      else expect(lastToolResult(model.calls[1]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
    });
  });

  it.each([
    { why: 'its name', name: 'secret_admin' },
    { why: 'the key it stands under', name: 'vaultKey' },
  ])('is loaded by a model that writes $why', async ({ name }) => {
    const { agent, model } = rig(
      { tools: { vaultKey: secret() }, filter: hiding('search') },
      { script: calls(load(name), call('secret_admin')) },
    );
    await agent.generate('go');
    expect(lastToolResult(model.calls[2]!.prompt)).toMatchObject({ isError: false, value: { ran: 'secret_admin' } });
  });

  it.each(['generate', 'durable'] as const)('is loaded when it is called by its name (%s)', async (mode) => {
    const made = missing(['secret_admin', 'secret_admin'], { tools: toolRecord(secret()), filter: hiding('search') });
    await run(made, mode);
    expect(lastToolResult(made.model.calls[2]!.prompt)).toMatchObject({ isError: false });
  });
});

describe('a loaded tool that the active phase denies to a request', () => {
  const storage = { get: () => ['secret_admin'], add: () => {}, clear: () => {}, remove: () => {} };

  it.each([
    { why: 'when it makes room', asked: load('get_weather'), options: { maxLoaded: { tools: 1 } } },
    {
      why: 'when it is to be unloaded in another spelling',
      asked: call('unload_tool', { toolNames: ['vault'] }),
      options: { metaTools: { unload: true } },
    },
  ])('is not named to the request $why', async ({ asked, options }) => {
    const { agent, model } = rig(
      {
        tools: { ...toolRecord(weather(), email()), vault: secret() },
        filter: hiding('active'),
        storage,
        scope: () => 'one',
        ...options,
      },
      { script: calls(asked) },
    );
    await agent.generate('go');
    expect(JSON.stringify(lastToolResult(model.calls[1]!.prompt)?.value)).not.toContain('secret_admin');
  });
});

describe('one of two processors on an agent', () => {
  const ids = ['a', 'b'] as const;
  const metaTools = (suffix: string) => ({
    search: { name: `search_${suffix}` },
    load: { name: `load_${suffix}` },
  });
  const first = (options: Partial<ToolSearchProcessorOptions>) =>
    new ToolSearchProcessor({ tools: toolRecord(secret(), email()), metaTools: metaTools('a'), ...options });
  const second = (options: Partial<ToolSearchProcessorOptions> = {}) =>
    new ToolSearchProcessor({ tools: toolRecord(weather()), metaTools: metaTools('b'), ...options });

  describe.each([
    { order: 'before', inOrder: (a: unknown, b: unknown) => [b, a] },
    { order: 'behind', inOrder: (a: unknown, b: unknown) => [a, b] },
  ])('asked $order the one that forbids,', ({ inOrder }) => {
    const ask = async (
      asked: { toolName: string; input: unknown },
      forbidding: Partial<ToolSearchProcessorOptions>,
      mode: 'generate' | 'durable' = 'generate',
    ) => {
      const made = rig(
        { tools: {} },
        {
          script: calls(asked),
          agent: {
            inputProcessors: inOrder(first(forbidding), second()) as never,
            tools: { own_tool: tool('own_tool'), secret_own: tool('secret_own') },
          },
        },
      );
      await run(made, mode);
      return { value: lastToolResult(made.model.calls[1]!.prompt)?.value, received: made.model.calls[1]! };
    };

    it.each([
      { phase: 'all phases', filter: hiding('search', 'load', 'active') },
      { phase: 'active', filter: hiding('active') },
      { phase: 'load', filter: hiding('load') },
    ])('does not find what the other forbids ($phase)', async ({ filter }) => {
      for (const name of ['secret_admin', 'never_heard_of']) {
        const { value } = await ask({ toolName: 'load_b', input: { toolName: name } }, { filter });
        // Its words are searched: the agent's own "secret_own" has one of them.
        const { message, results = [] } = value as LoadToolResult;
        expect(value).toMatchObject({ success: false, toolName: name });
        expect(message).toMatch(new RegExp(`^Tool "${name}" not found\\. `));
        expect(JSON.stringify(results)).not.toContain('secret_admin');
        const many = await ask({ toolName: 'load_b', input: { toolNames: [name] } }, { filter });
        expect(many.value).toMatchObject({ success: false, notFound: [name] });
      }
    });

    it('does not find what the other forbids in a DurableAgent', async () => {
      const filter = hiding('search', 'load', 'active');
      const { value } = await ask({ toolName: 'load_b', input: { toolName: 'secret_admin' } }, { filter }, 'durable');
      expect(value).toMatchObject({ success: false, message: expect.stringContaining('not found') });
    });

    it('does not call loaded what the other has not loaded', async () => {
      const { value } = await ask({ toolName: 'load_b', input: { toolName: 'secret_admin' } }, {});
      expect(value).toMatchObject({ success: false, message: expect.stringContaining('not found') });
    });

    it('does not mend a misspelled call of a tool that the other forbids', async () => {
      const { received } = await ask(
        { toolName: 'secretAdmin', input: {} },
        { filter: hiding('active', 'load', 'search') },
      );
      expect(systemText(received.prompt)).not.toContain('secret_admin');
    });

    it('does not call available a tool of the agent that the other searches and forbids', async () => {
      const { value } = await ask(
        { toolName: 'load_b', input: { toolName: 'secret_own' } },
        { includeResolvedTools: true, filter: ({ toolName }) => toolName !== 'secret_own' },
      );
      expect(value).toMatchObject({ success: false, message: expect.stringContaining('not found') });
    });

    it("calls the agent's own tools available, as the other does", async () => {
      for (const id of ids) {
        const { value } = await ask({ toolName: `load_${id}`, input: { toolName: 'own_tool' } }, {});
        expect(value).toMatchObject({ success: true, message: expect.stringContaining('needs no loading') });
      }
    });
  });
});

describe('a tool of the agent that activeTools of the caller leaves out', () => {
  it('is not called available', async () => {
    const { agent, model } = rig(
      { tools: toolRecord(weather()) },
      { script: calls(load('own_b'), load('own_a')), agent: { tools: { own_a: tool('own_a'), own_b: tool('own_b') } } },
    );
    await agent.generate('go', { activeTools: ['own_a'] } as never);
    expect(toolNames(model.calls[0]!)).not.toContain('own_b');
    expect(lastToolResult(model.calls[1]!.prompt)?.value).toMatchObject({ success: false });
    expect(lastToolResult(model.calls[2]!.prompt)?.value).toMatchObject({ success: true });
  });
});
