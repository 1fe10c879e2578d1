import { Mastra } from '@mastra/core/mastra';
import { PhaseFilteredProcessor, type ProcessorPhase, type ProcessorProvider } from '@mastra/core/processor-provider';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { toolSearchProvider } from 'mastra-tool-search/editor';
import { describe, expect, it } from 'vitest';
import {
  call,
  calls,
  email,
  fillerTools,
  load,
  rig,
  searchLoadCall,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { lastToolResult, type Script, toolNames } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());

/** A processor as Mastra's editor makes it of what Studio has stored: wrapped, unless all phases of its provider are on. */
function hydrated(provider: ProcessorProvider, config: Record<string, unknown>, enabled = provider.availablePhases) {
  const processor = provider.createProcessor(config);
  const isWhole = provider.availablePhases.every((phase) => enabled.includes(phase));
  return isWhole ? processor : new PhaseFilteredProcessor(processor, enabled as ProcessorPhase[]);
}

function agentOf(
  provider: ProcessorProvider,
  config: Record<string, unknown>,
  script: Script,
  storage = new InMemoryStore(),
) {
  const inputProcessors = [hydrated(provider, config) as never];
  const { agent, model } = rig({ tools: {} }, { script, agent: { inputProcessors, memory: new Memory({ storage }) } });
  new Mastra({ agents: { agent }, storage, logger: false });
  return { agent, model };
}

describe('the provider for the editor', () => {
  it('has one phase, so that the processor is never wrapped', () => {
    const provider = toolSearchProvider({ tools: tools() });
    expect(provider.availablePhases).toEqual(['processInputStep']);
    expect(hydrated(provider, {})).not.toBeInstanceOf(PhaseFilteredProcessor);
    expect(provider.info.id).toBe('tool-search');
  });

  it('describes a form that Studio can draw', () => {
    const { configSchema } = toolSearchProvider({ tools: tools() });
    expect(configSchema.safeParse({ mode: 'call', search: { topK: 3 }, ttl: 0 }).success).toBe(true);
    expect(configSchema.safeParse({ mode: 'magic' }).success).toBe(false);
  });

  it('makes agents that search, load and call', async () => {
    const { agent, model } = agentOf(toolSearchProvider({ tools: tools() }), {}, searchLoadCall('weather'));
    expect((await agent.generate('weather')).text).toBe('done');
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
  });

  it('lets the form override the code, field by field', async () => {
    const provider = toolSearchProvider({ tools: tools(), alwaysLoaded: ['send_email'], search: { topK: 1 } });
    const { agent, model } = agentOf(
      provider,
      { search: { autoLoad: true } },
      calls(call('search_tools', { query: 'current message' })),
    );
    await agent.generate('go');
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'send_email']);
    const found = lastToolResult(model.calls.at(-1)!.prompt)?.value as { results: unknown[] };
    expect(found.results).toHaveLength(1);
  });

  it('refuses what is no field of the form, so that Studio cannot bring tools or a filter', () => {
    const provider = toolSearchProvider({ tools: tools() });
    expect(() => provider.createProcessor({ tools: {} })).toThrow(/the form of the tool search allows .*"tools"/);
    expect(() => provider.createProcessor({ search: { topK: 0 } })).toThrow(/search\.topK/);
  });

  it('refuses wrong options where it is made', () => {
    expect(() => toolSearchProvider({ tools: tools(), ttl: -1 })).toThrow(/ttl/);
  });

  it('shares what is loaded between the processors that it makes', async () => {
    const provider = toolSearchProvider({ tools: tools() });
    const storage = new InMemoryStore();
    const turn = { memory: { thread: 'thread', resource: 'user' } };
    await agentOf(provider, {}, calls(load('get_weather')), storage).agent.generate('load', turn);
    const next = agentOf(provider, {}, calls(call('get_weather')), storage);
    await next.agent.generate('call', turn);
    expect(toolNames(next.model.calls[0]!)).toContain('get_weather');
  });

  it.each([
    { size: 'small', fillers: {} },
    { size: 'large', fillers: fillerTools(501) },
  ])('approves a call after a restart, in a $size catalog', async ({ fillers }) => {
    const pay = () => tool('pay', 'Pays a bill.', { requireApproval: true });
    const storage = new InMemoryStore();
    const script = calls(load('pay'), call('pay'));
    const start = () =>
      agentOf(toolSearchProvider({ tools: { ...toolRecord(pay()), ...fillers } }), {}, script, storage);
    const waiting = await start().agent.generate('go', { memory: { thread: 'thread', resource: 'user' } });
    expect(waiting.finishReason).toBe('suspended');
    const after = start();
    const { toolCallId } = waiting.suspendPayload as { toolCallId: string };
    await after.agent.approveToolCallGenerate({ runId: waiting.runId!, toolCallId } as never);
    expect(lastToolResult(after.model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'pay' });
  });
});
