import type { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';
import { fillerTools, toolRecord } from '../support/harness.ts';
import type { Action, Sent } from './rig/goals.ts';
import { EXECUTIONS } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { loadedByEvents, recordingTool, type World, type WorldOptions, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];
const forms = EXECUTIONS.flatMap((execution) => kinds.map((kind) => ({ kind, execution })));
const ofClient = forms.filter(({ execution }) => execution === 'client');

const searchOf = (sent: Sent): string => (sent.kind === 'anthropic' ? 'search_tools' : 'tool_search');

/** The first step of a run searches for this, then the model says something. */
function searching(query: string | readonly string[]): NonNullable<WorldOptions['script']> {
  return (sent): Action =>
    sent.referenced.length === 0 && !sent.json.includes('"results"') && !sent.json.includes('Nothing')
      ? { type: 'search', query: query as string, wanted: [], tool: searchOf(sent) }
      : { type: 'say', text: 'searched' };
}

const searched = (there: World) => there.events.flatMap((event) => (event.type === 'search' ? [event] : []));

describe.each(forms)('$kind, $execution:', ({ kind, execution }) => {
  it("includeResolvedTools defers the agent's own tools, but for pinned ones", async () => {
    const ran: string[] = [];
    const tools = toolRecord(recordingTool(ran, 'own_tool', 'Owns things.'), recordingTool(ran, 'pinned_tool'));
    const there = world({
      execution,
      agent: { tools },
      options: { includeResolvedTools: true, alwaysLoaded: ['pinned_tool'] },
    });
    expect(await there.say('use pinned_tool own_tool get_weather', kind)).toBe('done');
    const [first] = there.sent;
    expect(first?.eager).toContain('pinned_tool');
    expect(first?.eager).not.toContain('own_tool');
    expect(ran).toEqual(['pinned_tool', 'own_tool']);
    expect(there.ran).toEqual(['get_weather']);
    expect(there.refused()).toEqual([]);
  });

  it('tools may be a function of the request', async () => {
    const ran: string[] = [];
    const there = world({
      execution,
      options: {
        tools: ({ requestContext }: { requestContext?: RequestContext }) => {
          const isMail = requestContext?.get('kind') !== undefined && ran.length === 0;
          return { ...toolRecord(recordingTool(ran, isMail ? 'send_email' : 'book_flight')), ...fillerTools(2) };
        },
      },
    });
    expect(await there.say('use send_email', kind)).toBe('done');
    expect(await there.say('use book_flight', kind)).toBe('done');
    expect(ran).toEqual(['send_email', 'book_flight']);
    expect(there.refused()).toEqual([]);
  });

  it('alwaysLoaded tools are sent eager and called without a search', async () => {
    const there = world({ execution, options: { alwaysLoaded: ['send_email'] } });
    expect(await there.say('use send_email', kind)).toBe('done');
    expect(await there.say('use send_email get_weather', kind)).toBe('done');
    for (const { eager, deferred } of there.sent) {
      expect(eager).toContain('send_email');
      expect(deferred).not.toContain('send_email');
    }
    expect(there.sent.flatMap(({ action }) => (action?.type === 'search' ? action.wanted : []))).toEqual([
      'get_weather',
    ]);
    expect(there.refused()).toEqual([]);
  });

  it.each([true, 'names'] as const)(
    'injectCatalog %s lists all tools, the same over the run',
    async (injectCatalog) => {
      const there = world({ execution, options: { injectCatalog } });
      expect(await there.say('use get_weather send_email', kind)).toBe('done');
      const texts = there.sent.map(({ system }) => system);
      expect(texts[0]).toContain('book_flight');
      expect(new Set(texts).size).toBe(1);
      const names = ['search_tools', 'tool_search_tool_bm25', 'tool_search'];
      const expected =
        execution === 'server' && kind === 'anthropic' ? names[1]! : kind === 'openai' ? names[2]! : names[0]!;
      expect(texts[0]).toContain(expected);
      for (const other of names) {
        if (!expected.startsWith(other)) expect(texts[0]).not.toContain(other);
      }
      expect(there.refused()).toEqual([]);
    },
  );

  it('passthroughBelow sends a small catalog whole, without a search', async () => {
    const there = world({ execution, options: { passthroughBelow: 20 } });
    expect(await there.say('use get_weather', kind)).toBe('done');
    for (const { eager, deferred } of there.sent) {
      expect(deferred).toEqual([]);
      expect(eager).toHaveLength(7);
      expect(eager.filter((name) => name.includes('search'))).toEqual([]);
    }
    expect(there.refused()).toEqual([]);
    const larger = world({ execution, options: { passthroughBelow: 3 } });
    await larger.say('use get_weather', kind);
    expect(larger.sent[0]?.eager).toHaveLength(2);
  });

  it('a conversation that was searched in goes on when the catalog is sent whole', async () => {
    const ran: string[] = [];
    let tools = { ...toolRecord(recordingTool(ran, 'get_weather')), ...fillerTools(12) };
    const there = world({ execution, options: { tools: () => tools, passthroughBelow: 5 } });
    expect(await there.say('use get_weather', kind)).toBe('done');
    tools = { ...toolRecord(recordingTool(ran, 'get_weather')), ...fillerTools(1) };
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.refused()).toEqual([]);
    expect(there.sent.flatMap(({ foreign }) => foreign)).toEqual([]);
  });

  it("storage 'context' takes what is loaded from the conversation", async () => {
    const there = world({ execution, options: { storage: 'context' } });
    expect(await there.say('use get_weather', kind)).toBe('done');
    const { length: before } = there.sent;
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.sent.slice(before).map(({ action }) => action?.type)).toEqual(['call', 'say']);
    expect(there.refused()).toEqual([]);
  });

  it("storage 'context' reports what is loaded", async () => {
    const there = world({ execution, options: { storage: 'context' } });
    await there.say('use get_weather', kind);
    await there.say('use get_weather', kind);
    expect([...loadedByEvents(there.events)]).toEqual(['get_weather']);
  });

  it('keywords find a tool', async () => {
    const keywords = { get_weather: ['umbrella'] };
    const there = world({ execution, options: { search: { keywords } }, script: searching('umbrella') });
    await there.say('Hm.', kind);
    if (execution !== 'server') expect(searched(there)).toMatchObject([{ results: ['get_weather'] }]);
    else expect(there.sent[0]?.json).toContain('Also: umbrella');
    expect(there.refused()).toEqual([]);
  });
});

describe.each(ofClient)('a search of $kind here', ({ kind }) => {
  it('returns topK tools, and refers to no others', async () => {
    const there = world({ options: { search: { topK: 2 } }, script: searching('padding number') });
    await there.say('Hm.', kind);
    expect(searched(there)[0]?.loaded).toHaveLength(2);
    expect(there.sent.at(-1)?.referenced).toHaveLength(2);
    expect(there.refused()).toEqual([]);
  });

  it('loads nothing below minConfidence', async () => {
    const there = world({
      options: { search: { minConfidence: 0.999 } },
      script: (sent) =>
        there.sent.length < 2
          ? { type: 'search', query: 'money of the city', wanted: [], tool: searchOf(sent) }
          : { type: 'say', text: 'searched' },
    });
    await there.say('Hm.', kind);
    expect(searched(there)).toMatchObject([{ results: [], loaded: [] }]);
    expect(there.sent.at(-1)?.referenced).toEqual([]);
    expect(there.refused()).toEqual([]);
  });

  it('loads a group by select, and several needs at once', async () => {
    const catalog = {
      github_list_issues: 'List issues.',
      github_close_issue: 'Close an issue.',
      send_email: 'Send an email message.',
      get_weather: 'Get the current weather of a city.',
    };
    const there = world({ catalog, script: searching('select:github_*') });
    await there.say('Hm.', kind);
    expect([...(there.sent.at(-1)?.referenced ?? [])].sort()).toEqual(['github_close_issue', 'github_list_issues']);
    expect(await there.say('Hm.', kind)).toBe('searched');
    const several = world({ catalog, script: searching(['weather', 'email']) });
    await several.say('Hm.', kind);
    expect([...(several.sent.at(-1)?.referenced ?? [])].sort()).toEqual(['get_weather', 'send_email']);
    expect([...there.refused(), ...several.refused()]).toEqual([]);
  });

  it('loads a group of the option by its name', async () => {
    const isTravel = (id: string | undefined): boolean => id === 'get_weather' || id === 'book_flight';
    const there = world({
      options: { groups: ({ id }) => (isTravel(id) ? 'travel' : 'office') },
      script: searching('select:travel_*'),
    });
    await there.say('Hm.', kind);
    expect([...(there.sent.at(-1)?.referenced ?? [])].sort()).toEqual(['book_flight', 'get_weather']);
    expect(there.refused()).toEqual([]);
  });

  it.each([{ maxLoaded: { tools: 1 } }, { maxLoaded: { tokens: 60 } }])('keeps within %o', async (options) => {
    const there = world({ options });
    for (let turn = 0; turn < 3; turn++) {
      expect(await there.say('use get_weather send_email book_flight', kind)).toBe('done');
    }
    expect(there.ran).toHaveLength(9);
    expect(there.events.filter(({ type }) => type === 'evict').length).toBeGreaterThan(3);
    for (const { referenced } of there.sent) expect(new Set(referenced).size).toBeLessThanOrEqual(1);
    expect(there.refused()).toEqual([]);
  });
});
