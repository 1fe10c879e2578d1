import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { type ThreadStateStoreOptions, threadStateStore } from 'mastra-tool-search/thread-state';
import { describe, expect, it } from 'vitest';
import { call, calls, email, fillerTools, load, rig, toolRecord, weather } from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';

const memory = { thread: 'thread-1', resource: 'user-1' };

/** Two requests of one thread to an agent that makes its processor, with its store, for each request. */
async function twoRequests(
  options: Partial<ToolSearchProcessorOptions> = {},
  extra: object = {},
  given: (mastra: Mastra) => ThreadStateStoreOptions = () => ({}),
): Promise<{ sent: string[][]; errors: string[] }> {
  const events: ToolSearchEvent[] = [];
  const tools = { ...toolRecord(weather(), email()), ...options.tools };
  let mastra: Mastra | undefined;
  const inputProcessors = () => [
    new ToolSearchProcessor({
      tools,
      storage: threadStateStore(mastra ? given(mastra) : {}),
      onEvent: (event) => events.push(event),
    }),
  ];
  const { agent, model } = rig(
    { tools: {} },
    {
      script: calls(load('get_weather'), call('get_weather')),
      agent: { inputProcessors, memory: new Memory(), ...extra } as never,
    },
  );
  mastra = new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  for (let request = 0; request < 2; request++) await agent.generate('go', { memory });
  const errors = events.flatMap((event) => (event.type === 'store-failed' ? [String(event.error)] : []));
  return { sent: model.calls.map(toolNames), errors };
}

const REMEMBERED = ['search_tools', 'load_tool', 'get_weather'];

describe('threadStateStore() of a processor that is made for each request', () => {
  it.each([
    { catalog: 'small', tools: {} },
    { catalog: 'large', tools: fillerTools(501) },
  ])('finds the storage of the Mastra instance by itself: a $catalog catalog', async ({ tools }) => {
    const { sent, errors } = await twoRequests({ tools });
    expect(errors).toEqual([]);
    expect(sent).toEqual([['search_tools', 'load_tool'], ...Array.from({ length: 5 }, () => REMEMBERED)]);
  });

  it('asks for nothing through the agent’s hooks, and its event says what to do', async () => {
    const hooked: string[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void hooked.push(toolName) };
    const { errors } = await twoRequests({}, { hooks });
    expect(hooked).toEqual(['get_weather', 'get_weather']);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toContain('then pass it, threadStateStore({ mastra })');

    const mended = await twoRequests({}, { hooks }, (mastra) => ({ mastra }));
    expect(mended.errors).toEqual([]);
    expect(mended.sent.at(-1)).toEqual(REMEMBERED);
  });
});
