import { Mastra } from '@mastra/core/mastra';
import { PhaseFilteredProcessor, type ProcessorPhase, type ProcessorProvider } from '@mastra/core/processor-provider';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { ToolSearchError } from 'mastra-tool-search';
import { toolSearchProvider } from 'mastra-tool-search/editor';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../options/refusal.ts';
import { call, calls, email, inThread, rig, searchLoadCall, toolRecord, weather } from '../support/agent.ts';
import type { Script } from '../support/scripted-model.ts';

const tools = toolRecord(weather(), email());

/** A processor as Mastra's editor makes it of what Studio has stored: wrapped, unless all phases of its provider are on. */
function hydrated(provider: ProcessorProvider, config: object, enabled = provider.availablePhases) {
  const processor = provider.createProcessor(config as never);
  const isWhole = provider.availablePhases.every((phase) => enabled.includes(phase));
  return isWhole ? processor : new PhaseFilteredProcessor(processor, enabled as ProcessorPhase[]);
}

function agentOf(provider: ProcessorProvider, config: object, script: Script, storage = new InMemoryStore()) {
  const inputProcessors = [hydrated(provider, config) as never];
  const made = rig({ tools: {} }, { script, agent: { inputProcessors, memory: new Memory({ storage }) } });
  new Mastra({ agents: { agent: made.agent }, storage, logger: false });
  return made;
}

describe('the provider for the editor', () => {
  it('has one phase, so that the processor is never wrapped, and a form that Studio can draw', () => {
    const provider = toolSearchProvider({ tools });
    expect(provider.availablePhases).toEqual(['processInputStep']);
    expect(hydrated(provider, {})).not.toBeInstanceOf(PhaseFilteredProcessor);
    expect(provider.info.id).toBe('tool-search');
    const { configSchema } = provider;
    expect(configSchema.safeParse({ mode: 'call', search: { topK: 3 }, ttl: 0 }).success).toBe(true);
    expect(configSchema.safeParse({ mode: 'magic' }).success).toBe(false);
  });

  it('refuses wrong options where it is made, and fields that are none of the form: no tools, no filter', () => {
    const provider = toolSearchProvider({ tools });
    expect(() => provider.createProcessor({ tools: {} })).toThrow(/the form of the tool search allows .*"tools"/);
    expect(() => provider.createProcessor({ search: { topK: 0 } })).toThrow(/search\.topK/);
    expect(() => toolSearchProvider({ tools, ttl: -1 })).toThrow(/ttl/);
    for (const nothing of [undefined, null, 5]) {
      const error = thrownBy(() => toolSearchProvider(nothing as never));
      expect(error).toBeInstanceOf(ToolSearchError);
      expect((error as Error).message).toContain('"options" must be an object, e.g. { tools }');
    }
  });

  it('makes agents that search, load and call, and share what is loaded', async () => {
    const provider = toolSearchProvider({ tools });
    const storage = new InMemoryStore();
    const first = agentOf(provider, {}, searchLoadCall('weather'), storage);
    expect((await first.agent.generate('weather', inThread)).text).toBe('done');
    expect(first.model.result()).toMatchObject({ ran: 'get_weather' });
    const next = agentOf(provider, {}, calls(call('get_weather')), storage);
    await next.agent.generate('call', inThread);
    expect(next.model.sent(0)).toContain('get_weather');
  });

  it('lets the form override the code, field by field', async () => {
    const provider = toolSearchProvider({ tools, alwaysLoaded: ['send_email'], search: { topK: 1 } });
    const script = calls(call('search_tools', { query: 'current message' }));
    const { agent, model } = agentOf(provider, { search: { autoLoad: true } }, script);
    await agent.generate('go');
    expect(model.sent(0)).toEqual(['search_tools', 'send_email']);
    expect((model.result() as { results: unknown[] }).results).toHaveLength(1);
  });
});
