import { types } from 'node:util';
import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import {
  call,
  calls,
  email,
  inThread,
  load,
  META,
  newMemory,
  RUNS,
  rig,
  tool,
  toolRecord,
  weather,
} from '../support/agent.ts';
import { toolNames } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());

describe.each(['v2', 'v3', 'v4'] as const)('an agent with a model of specification %s', (version) => {
  it.each(RUNS)('searches, loads and calls a tool with $how, and keeps it for the next turn', async ({ run }) => {
    for (const storage of ['in-memory', 'context'] as const) {
      const { agent, model } = rig({ tools: tools(), storage }, { version, agent: { memory: newMemory() } });
      for (const text of ['How is the weather?', 'and now?']) await run(agent, text, inThread);
      const loaded = [...META, 'get_weather'];
      expect(model.calls.map(toolNames)).toEqual([META, META, ...Array(6).fill(loaded)]);
      expect(model.result(3)).toMatchObject({ ran: 'get_weather' });
    }
  });
});

/** What of each step of an agent leans on the inside of Mastra. */
async function interceptions(options: object, agent: object = {}): Promise<string[][]> {
  const processor = new ToolSearchProcessor({ tools: tools(), ...options });
  const found: string[][] = [];
  const step = processor.processInputStep.bind(processor);
  processor.processInputStep = async (received) => {
    const returned = await step(received);
    const {
      tools: sent = {},
      activeTools,
      model,
    } = returned as { tools?: object; activeTools?: string[]; model?: object };
    found.push([
      ...(model === undefined ? [] : ['a model']),
      ...(types.isProxy(sent) ? ['a proxy of the tools'] : []),
      ...Object.entries(sent).flatMap(([name, one]) => {
        const isProxy = types.isProxy(one) || types.isProxy(Object.getPrototypeOf(one) ?? {});
        return isProxy || String(one.type).startsWith('provider') ? [`the tool ${name}`] : [];
      }),
      ...(activeTools && (Object.hasOwn(activeTools, 'includes') || types.isProxy(activeTools)) ? ['includes()'] : []),
    ]);
    return returned;
  };
  const script = calls(call('get_weather', {}), load('send_email'), call('send_email', {}));
  const made = rig({ tools: {} }, { script, agent: { inputProcessors: [processor], ...agent } as never });
  new Mastra({ agents: { calm: made.agent }, logger: false });
  await made.agent.generate('go', { maxSteps: 6 });
  expect(found.length).toBeGreaterThan(3);
  return found;
}

describe('a step of load mode with default options', () => {
  it.each<[what: string, options: object, agent?: object]>([
    ['plain', {}],
    ['with a filter', { filter: () => true }],
    ['with auto-load', { search: { autoLoad: true } }],
    ["with the agent's own tools", {}, { tools: { clock: tool('clock') } }],
    ['with hooks', {}, { hooks: { beforeToolCall: () => undefined } }],
  ])('has no wrapped model, no proxy, no hidden tool and no replaced includes(): %s', async (_, options, agent) => {
    expect((await interceptions(options, agent)).flat()).toEqual([]);
  });

  it("extends the caller's list of active tools by a plain one", async () => {
    const { activeTools = [] } = await new Session({ tools: tools() }).step({ activeTools: ['a'] });
    expect(activeTools).toEqual(['a', ...META]);
    expect(Object.hasOwn(activeTools, 'includes')).toBe(false);
  });

  it('sees all of this in a step of call mode too', async () => {
    expect((await interceptions({ mode: 'call' })).flat()).toEqual([]);
  });
});
