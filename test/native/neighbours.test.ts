import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { toolRecord } from '../support/harness.ts';
import type { Sent } from './rig/goals.ts';
import { EXECUTIONS } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { recordingTool, type World, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];
const forms = EXECUTIONS.flatMap((execution) => kinds.map((kind) => ({ kind, execution })));

describe('meta-tools with other names', () => {
  const NAMES = { search: { name: 'seek_tools' }, load: { name: 'fetch_tool' } };

  it.each(forms)('work with $kind, $execution', async ({ kind, execution }) => {
    const there = world({ execution, options: { metaTools: NAMES } });
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(await there.say('use get_weather send_email', kind)).toBe('done');
    for (const { json } of there.sent) expect(json).not.toContain('search_tools');
    expect(there.refused()).toEqual([]);
  });

  it.each(kinds)('may be tool_search, with %s and after a switch', async (kind) => {
    const other: Kind = kind === 'anthropic' ? 'openai' : 'anthropic';
    const there = world({ options: { metaTools: { search: { name: 'tool_search' } } } });
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(await there.say('use get_weather send_email', other)).toBe('done');
    expect(await there.say('use get_weather send_email book_flight', kind)).toBe('done');
    expect(await there.say('use get_weather send_email book_flight', 'chat')).toBe('done');
    expect(there.ran).toHaveLength(9);
    expect(there.refused()).toEqual([]);
    const searches = there.sent.flatMap(({ action }) => (action?.type === 'search' ? action.wanted : []));
    expect(searches).toEqual(['get_weather', 'send_email', 'book_flight']);
  });
});

describe('two processors on one agent', () => {
  const SECOND = { search: { name: 'find_more' }, load: { name: 'load_more' } };

  /** The second processor has the mail tools. */
  function twoOf(ran: string[], options: Partial<ToolSearchProcessorOptions> = {}): World {
    const second = new ToolSearchProcessor({
      tools: {
        ...toolRecord(recordingTool(ran, 'read_mail', 'Read mail.')),
        hidden_mail: recordingTool(ran, 'hidden_mail'),
      },
      mode: 'native',
      metaTools: SECOND,
      ...options,
    });
    return world({
      inputProcessors: (first) => [first, second],
      script: (sent: Sent) => {
        const next = sent.goals.find((name) => !sent.done.includes(name));
        const isKnown = sent.eager.includes('read_mail') || sent.referenced.includes('read_mail');
        if (next !== 'read_mail' || isKnown) return undefined;
        if (sent.done.includes('find_more') && sent.eager.includes('load_more')) {
          return { type: 'call', name: 'load_more', input: { toolName: 'read_mail' } };
        }
        if (sent.done.filter((name) => name === 'find_more').length > 1) return { type: 'say', text: 'stuck' };
        return { type: 'search', query: 'read mail', wanted: ['read_mail'], tool: 'find_more' };
      },
    });
  }

  it('are both native with Anthropic', async () => {
    const ran: string[] = [];
    const there = twoOf(ran);
    expect(await there.say('use get_weather read_mail send_email')).toBe('done');
    expect(await there.say('use read_mail get_weather')).toBe('done');
    expect(ran).toEqual(['read_mail', 'read_mail']);
    expect(there.ran).toEqual(['get_weather', 'send_email', 'get_weather']);
    for (const { eager, deferred } of there.sent) {
      expect(eager).toEqual(['own_tool', 'search_tools', 'find_more']);
      expect(deferred).toEqual(expect.arrayContaining(['get_weather', 'read_mail', 'hidden_mail']));
    }
    expect(there.refused()).toEqual([]);
  });

  it('are both in load mode with a model that has no tool search', async () => {
    const ran: string[] = [];
    const there = twoOf(ran);
    expect(await there.say('use get_weather read_mail', 'chat')).toBe('done');
    expect(there.sent[0]?.eager.filter((name) => name.includes('mail') && name !== 'send_email')).toEqual([]);
    expect(ran).toEqual(['read_mail']);
    expect(there.refused()).toEqual([]);
  });

  it('refuse each other with OpenAI, where both need the same search tool', async () => {
    // Mastra runs several processors as a workflow, and makes the ToolSearchError one of its own with the same text.
    await expect(twoOf([]).say('use get_weather', 'openai')).rejects.toThrow('already has a tool called "tool_search"');
  });

  it('say which name they both need', async () => {
    const error = await twoOf([])
      .say('use get_weather', 'openai')
      .catch((thrown: unknown) => thrown);
    expect((error as Error).message).toContain('"tool_search"');
    expect((error as Error).message).not.toContain('metaTools.search.name');
  });

  it('work with OpenAI where one is in load mode', async () => {
    const ran: string[] = [];
    const there = twoOf(ran, { mode: 'load' });
    expect(await there.say('use get_weather read_mail', 'openai')).toBe('done');
    expect(ran).toEqual(['read_mail']);
    expect(there.refused()).toEqual([]);
  });

  it('hide both catalogs from a model that prepareStep takes', async () => {
    const ran: string[] = [];
    const there = twoOf(ran);
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= 1 ? { model: there.models.chat } : undefined;
    await there.say('use get_weather', 'anthropic', { prepareStep });
    const switched = there.sent.filter((sent) => sent.kind === 'chat');
    expect(switched.length).toBeGreaterThan(0);
    for (const { eager } of switched) {
      expect([...eager].sort()).toEqual(['find_more', 'get_weather', 'own_tool', 'search_tools']);
    }
  });
});

describe.each(forms)('a caller who restricts the tools, $kind, $execution:', ({ kind, execution }) => {
  it('still gets the search and the catalog', async () => {
    const tools = toolRecord(recordingTool([], 'own_tool'), recordingTool([], 'other_tool'));
    const there = world({ execution, agent: { tools } });
    const text = 'use get_weather own_tool';
    expect(await there.say(text, kind, { activeTools: ['own_tool'] })).toBe('done');
    for (const { json, eager } of there.sent) {
      expect(json).not.toContain('other_tool');
      expect(eager).toContain('own_tool');
    }
    // OpenAI is sent nothing of the catalog that is searched here, and nobody is where definitions are appended.
    if (execution === 'server' || (kind === 'anthropic' && execution === 'client'))
      expect(there.sent[0]?.deferred).toContain('get_weather');
    expect(there.refused()).toEqual([]);
  });

  it('gets no more with a model that prepareStep takes', async () => {
    const tools = toolRecord(recordingTool([], 'own_tool'), recordingTool([], 'other_tool'));
    const there = world({ execution, agent: { tools } });
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= 1 ? { model: there.models.chat } : undefined;
    await there.say('use get_weather', kind, { activeTools: ['own_tool'], prepareStep });
    const last = there.sent.at(-1);
    expect(last?.kind).toBe('chat');
    expect([...(last?.eager ?? [])].sort()).toEqual(['get_weather', 'own_tool', 'search_tools']);
    expect(there.refused()).toEqual([]);
  });
});

describe.each(forms)('a tool that is called before it was found, $kind, $execution:', ({ kind, execution }) => {
  it('is loaded under a wrong spelling, and the next call works', async () => {
    let tries = 0;
    const there = world({
      execution,
      script: () => (tries++ === 0 ? { type: 'call', name: 'getWeather' } : undefined),
    });
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.events).toContainEqual({ type: 'load-on-miss', called: 'getWeather', loaded: 'get_weather' });
    expect(there.ran).toEqual(['get_weather']);
    expect(there.sent.flatMap(({ action }) => (action?.type === 'search' ? [action] : []))).toEqual([]);
    expect(there.refused()).toEqual([]);
  });

  it('runs at once or in the next step, and can be called in later turns', async () => {
    const there: World = world({
      execution,
      script: ({ done }) =>
        there.ran.length === 0 && done.length < 2 ? { type: 'call', name: 'send_email' } : undefined,
    });
    expect(await there.say('use send_email', kind)).toBe('done');
    expect(there.ran).toEqual(['send_email']);
    expect(await there.say('use send_email', kind)).toBe('done');
    expect(there.ran).toEqual(['send_email', 'send_email']);
    expect(there.refused()).toEqual([]);
  });

  it('does not run where it may not be loaded', async () => {
    let tries = 0;
    const there = world({
      execution,
      options: { filter: ({ toolName, phase }) => phase !== 'load' || toolName !== 'send_email' },
      script: () => (tries++ === 0 ? { type: 'call', name: 'send_email' } : { type: 'say', text: 'over' }),
    });
    await there.say('use send_email', kind);
    expect(there.ran).toEqual([]);
    expect(there.refused()).toEqual([]);
  });
});
