import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, load, rig, tool, toolRecord } from '../support/harness.ts';
import { type Script, toolNames, userText } from '../support/scripted-model.ts';

const turn = { memory: { thread: 't', resource: 'r' } };
const newMemory = () => new Memory({ storage: new InMemoryStore(), options: { lastMessages: 50 } });

/**
 * Runs over the same thread, with `storage: 'context'`. Each is told by its user text what to call, step by step. A load
 * together with `pause` is one that the messages do not show yet while `pause` runs.
 */
function thread(options: Partial<ToolSearchProcessorOptions> = {}, memory?: Memory, kind: Kind = 'Agent') {
  let onPause: () => unknown = () => {};
  // Without a result there is no next step.
  const execute = async () => ((await onPause()) === 'ended' ? undefined : 'It goes on.');
  const pause = tool('pause', 'Waits.', { execute });
  const callOf = (word: string) => {
    const [verb, name = ''] = word.split(':');
    if (verb === 'load') return load(name);
    return verb === 'unload' ? call('unload_tool', { toolNames: [name] }) : call(name);
  };
  const script: Script = ({ prompt, step }) => {
    const words = userText(prompt).split(' ')[step]?.split('+') ?? [];
    const toolCalls = words.filter((word) => word.includes(':')).map(callOf);
    return toolCalls.length > 0 ? { toolCalls } : { text: 'done' };
  };
  const made = rig(
    { tools: toolRecord(tool('tool_a'), tool('tool_b')), storage: 'context', metaTools: { unload: true }, ...options },
    { script, agent: { tools: { pause }, ...(memory ? { memory } : {}) } },
  );
  const durable = createDurableAgent({ agent: made.agent });
  if (kind === 'DurableAgent')
    new Mastra({ agents: { durable } as never, logger: false, storage: new InMemoryStore() });
  const generate = async (text: string, by: object): Promise<void> => {
    if (kind === 'Agent') {
      await made.agent.generate(text, by as never);
      return;
    }
    const { output, cleanup } = await durable.stream(text, by as never);
    await output.consumeStream();
    cleanup();
  };
  /** The tools that each step of the run was sent, besides the meta-tools and `pause`. */
  const run = async (text: string, by: object = turn): Promise<string[][]> => {
    await generate(text, by);
    return made.model.calls
      .filter(({ prompt }) => userText(prompt) === text)
      .map((received) => toolNames(received).filter((name) => name.startsWith('tool_')));
  };
  return {
    ...made,
    run,
    atPause: (listener: typeof onPause) => {
      onPause = listener;
    },
  };
}

type Kind = 'Agent' | 'DurableAgent';

const inThread = () => ({ requestContext: new RequestContext([['mastra__threadId', 't']] as never) });

const settings = [
  { why: 'with', memory: newMemory, by: () => turn },
  { why: 'without', memory: () => undefined, by: inThread },
];

it('a run that was aborted before its result was stored leaves no load to the next run of its thread', async () => {
  const { run, atPause } = thread();
  const abort = new AbortController();
  atPause(() => {
    abort.abort();
    return 'ended';
  });
  await run('load:tool_a+call:pause call:tool_a', { ...inThread(), abortSignal: abort.signal }).catch(() => {});
  expect(await run('hello', inThread())).toEqual([[]]);
});

describe.each(settings)('runs of one thread at once, $why Memory,', ({ memory, by }) => {
  it.each(['Agent', 'DurableAgent'] as const)('do not see what the others load: %s', async (kind) => {
    const { run, atPause } = thread({}, memory(), kind);
    let other: string[][] = [];
    atPause(async () => {
      other = await run('load:tool_b call:tool_b', by());
    });
    expect(await run('load:tool_a+call:pause call:tool_a', by())).toEqual([[], ['tool_a'], ['tool_a']]);
    expect(other).toEqual([[], ['tool_b'], ['tool_b']]);
  });
});

it('an unload in one run does not reach another run of its thread before the conversation shows it', async () => {
  const { run, atPause } = thread({}, newMemory());
  await run('load:tool_a');
  let other: string[][] = [];
  atPause(async () => {
    other = await run('hello');
  });
  expect(await run('unload:tool_a+call:pause')).toEqual([['tool_a'], []]);
  expect(other).toEqual([['tool_a']]);
});

describe('a tool that a run unloads', () => {
  it('stays unloaded in the next run, in a new process too', async () => {
    const memory = newMemory();
    const before = thread({}, memory);
    expect(await before.run('load:tool_a load:tool_b unload:tool_a')).toEqual([
      [],
      ['tool_a'],
      ['tool_a', 'tool_b'],
      ['tool_b'],
    ]);
    expect(await thread({}, memory).run('hello')).toEqual([['tool_b']]);
  });

  it('is loaded again by a later load', async () => {
    const memory = newMemory();
    await thread({}, memory).run('load:tool_a unload:tool_a load:tool_a');
    expect(await thread({}, memory).run('hello')).toEqual([['tool_a']]);
  });

  it('stays unloaded when it made room for another, and is not reported again', async () => {
    const memory = newMemory();
    const events: ToolSearchEvent[] = [];
    const onEvent = (event: ToolSearchEvent) => void events.push(event);
    const evictions = () => events.filter(({ type }) => type === 'evict');
    await thread({ maxLoaded: { tools: 1 }, onEvent }, memory).run('load:tool_a load:tool_b');
    expect(evictions()).toHaveLength(1);
    expect(await thread({ maxLoaded: { tools: 1 }, onEvent }, memory).run('hello')).toEqual([['tool_b']]);
    expect(evictions()).toHaveLength(1);
  });

  it('by the application is gone from the next step on, though the run loaded it itself', async () => {
    const { processor, run, atPause } = thread({}, newMemory());
    atPause(() => processor.unload({ threadId: 't', resourceId: 'r' }, ['tool_a']));
    expect(await run('load:tool_a call:pause load:tool_b')).toEqual([[], ['tool_a'], [], ['tool_b']]);
  });
});

it('a tool loaded because it was missed stays loaded in a new process, once a call of it succeeded', async () => {
  const memory = newMemory();
  const onMiss = 'load';
  await thread({ onMiss }, memory).run('call:toolA call:tool_a');
  expect(await thread({ onMiss }, memory).run('hello')).toEqual([['tool_a']]);
  expect(await thread({ onMiss, filter: ({ phase }) => phase !== 'load' }, memory).run('hi')).toEqual([[]]);
});

it('clearState() leaves a conversation alone, as in @mastra/core, and clears the thread "default" without an argument', async () => {
  const { processor, run } = thread({}, newMemory());
  await run('load:tool_a');
  await processor.clearState('t', 'r');
  await processor.clearState();
  expect(await run('hello')).toEqual([['tool_a']]);

  const inMemory = new ToolSearchProcessor({ tools: toolRecord(tool('tool_a')) });
  const requestContext = new RequestContext([['mastra__threadId', 'default']] as never);
  const step = async () => {
    const args = { messages: [], messageList: { addSystem: () => {} }, requestContext, state: {} };
    return (await inMemory.processInputStep(args as never)).tools;
  };
  await (await step()).load_tool?.execute?.({ toolName: 'tool_a' }, {} as never);
  expect(Object.keys(await step())).toContain('tool_a');
  await inMemory.clearState();
  expect(Object.keys(await step())).not.toContain('tool_a');
});
