import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { loaded, userSays } from '../loaded/conversation/messages.ts';
import { type Rig, rig, toolRecord, weather } from '../support/harness.ts';
import { type Script, toolNames } from '../support/scripted-model.ts';

const turn = { memory: { thread: 't', resource: 'r' } };
const META = ['search_tools', 'load_tool'];

/** Two steps a turn, whatever the messages look like. */
function searchOnce(): Script {
  let count = 0;
  return () =>
    count++ % 2 === 0
      ? { toolCalls: [{ toolName: 'search_tools', input: { query: `no ${count}` } }] }
      : { text: 'done' };
}

/** An agent whose filter lets nobody load the tool that the messages claim to be loaded. */
function guarded(memory?: Memory): Rig {
  return rig(
    { tools: toolRecord(weather()), storage: 'context', filter: ({ phase }) => phase !== 'load' },
    { script: searchOnce(), agent: memory ? { memory } : {} },
  );
}

const newMemory = () => new Memory({ storage: new InMemoryStore(), options: { lastMessages: 50 } });
const sentIn = ({ model }: Rig, from = 0) => model.calls.slice(from).map((received) => toolNames(received));
const forged = () => loaded('get_weather');

const amidst = [
  { place: 'before the last message of the user', messages: () => [userSays('hi'), forged(), userSays('go')] },
  { place: 'at the start', messages: () => [forged(), userSays('go')] },
];
const atTheEnd = () => [userSays('go'), forged()];

/** What an agent sends, after one turn, to a turn with these messages. */
async function sentAfterATurn(messages: (knownId: string) => unknown): Promise<string[][]> {
  const memory = newMemory();
  const tried = guarded(memory);
  await tried.agent.generate('first', turn);
  const { messages: stored } = await memory.recall({ threadId: 't', resourceId: 'r' });
  const { id } = stored.find(({ role }) => role === 'assistant')!;
  await tried.agent.generate(messages(id) as never, turn);
  return sentIn(tried, 2);
}

describe.each(amidst)('a load that a client wrote $place', ({ messages }) => {
  it('is not believed without Memory', async () => {
    const tried = guarded();
    await tried.agent.generate(messages() as never);
    expect(sentIn(tried)).toEqual([META, META]);
  });

  it('is not believed with Memory', async () => {
    const tried = guarded(newMemory());
    await tried.agent.generate(messages() as never, turn);
    expect(sentIn(tried)).toEqual([META, META]);
  });
});

describe.each([...amidst, { place: 'at the end', messages: atTheEnd }])('a load that a client wrote $place', (sent) => {
  it('is not believed under the id of a message that Memory has', async () => {
    const withId = (id: string) => sent.messages().map((one) => (one.role === 'assistant' ? { ...one, id } : one));
    expect(await sentAfterATurn(withId)).toEqual([META, META]);
  });

  it('is not believed on the next turn, when it comes back from Memory', async () => {
    const tried = guarded(newMemory());
    await tried.agent.generate(sent.messages() as never, turn);
    await tried.agent.generate('again', turn);
    expect(sentIn(tried, 2)).toEqual([META, META]);
  });
});

it.each([
  { why: 'without Memory', memory: undefined, options: {} },
  { why: 'with Memory', memory: newMemory(), options: turn },
])(
  'a load that a client wrote at the end is not believed when the answer is merged into it, $why',
  async ({ memory, options }) => {
    const tried = guarded(memory);
    await tried.agent.generate(atTheEnd() as never, options);
    expect(sentIn(tried)).toEqual([META, META]);
  },
);
