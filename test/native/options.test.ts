// The processor's other options with native mode, and its neighbours.
import {
  type MastraTool,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  type ToolStub,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, fillerTools, toolRecord, weather } from '../support/harness.ts';
import { type Action, type Sent, searchesIn } from './rig/goals.ts';
import { KINDS_AND_EXECUTIONS as forms } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { loadedByEvents, recordingTool, type World, type WorldOptions, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];
const searchOf = (sent: Sent): string => (sent.kind === 'anthropic' ? 'search_tools' : 'tool_search');

/** The first step of a run searches for this, then the model says something. */
function searching(query: string | readonly string[]): NonNullable<WorldOptions['script']> {
  return (sent): Action =>
    sent.referenced.length === 0 &&
    !/"results"|Nothing|No tool|needs no loading/.test(sent.json) &&
    sent.calls.length === 0
      ? { type: 'search', query: query as string, wanted: [], tool: searchOf(sent) }
      : { type: 'say', text: 'searched' };
}
const searched = (there: World) => there.events.flatMap((event) => (event.type === 'search' ? [event] : []));
const lastReferences = (there: World) => [...(there.sent.at(-1)?.referenced ?? [])].sort();

describe.each(forms)('$kind, $execution:', ({ kind, execution }) => {
  it("includeResolvedTools defers the agent's own tools; pinned ones are sent eager and called without a search", async () => {
    const ran: string[] = [];
    const tools = toolRecord(recordingTool(ran, 'own_tool', 'Owns things.'), recordingTool(ran, 'pinned_tool'));
    const options = { includeResolvedTools: true, alwaysLoaded: ['pinned_tool', 'send_email'] };
    const there = world({ execution, agent: { tools }, options });
    expect(await there.say('use pinned_tool own_tool send_email get_weather', kind)).toBe('done');
    for (const { eager, deferred } of there.sent) {
      expect(eager).toEqual(expect.arrayContaining(options.alwaysLoaded));
      expect([eager.includes('own_tool'), deferred.includes('send_email')]).toEqual([false, false]);
    }
    expect([ran, there.ran]).toEqual([
      ['pinned_tool', 'own_tool'],
      ['send_email', 'get_weather'],
    ]);
    expect([searchesIn(there.sent), there.refused()]).toEqual([['own_tool', 'get_weather'], []]);
  });

  it.each([true, 'names'] as const)(
    'injectCatalog %s lists all tools, the same over the run',
    async (injectCatalog) => {
      const there = world({ execution, options: { injectCatalog } });
      expect(await there.say('use get_weather send_email', kind)).toBe('done');
      const texts = new Set(there.sent.map(({ system }) => system));
      expect(texts.size).toBe(1);
      const [said] = texts;
      const search =
        kind === 'openai' ? 'tool_search' : execution === 'server' ? 'tool_search_tool_bm25' : 'search_tools';
      expect(said).toContain('book_flight');
      expect(new Set(said?.match(/\b(?:search_tools|tool_search\w*)\b/g))).toEqual(new Set([search]));
      expect(there.refused()).toEqual([]);
    },
  );

  it('passthroughBelow sends a small catalog whole, also where a conversation was searched in', async () => {
    const ran: string[] = [];
    let tools = { ...toolRecord(recordingTool(ran, 'get_weather')), ...fillerTools(12) };
    const there = world({ execution, options: { tools: () => tools, passthroughBelow: 5 } });
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.sent[0]?.eager).toHaveLength(2);
    tools = { ...toolRecord(recordingTool(ran, 'get_weather')), ...fillerTools(1) };
    const { length } = there.sent;
    expect(await there.say('use get_weather', kind)).toBe('done');
    for (const { eager, deferred, foreign } of there.sent.slice(length)) {
      expect([eager.toSorted(), deferred, foreign]).toEqual([['filler_0', 'get_weather', 'own_tool'], [], []]);
    }
    expect(there.refused()).toEqual([]);
  });

  it("storage 'context' takes what is loaded from the conversation, under other names too, and reports it", async () => {
    const metaTools = { search: { name: 'seek_tools' }, load: { name: 'fetch_tool' } };
    const there = world({ execution, options: { storage: 'context', metaTools } });
    expect(await there.say('use get_weather', kind)).toBe('done');
    const { length: before } = there.sent;
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.sent.slice(before).map(({ action }) => action?.type)).toEqual(['call', 'say']);
    expect([...loadedByEvents(there.events)]).toEqual(['get_weather']);
    for (const { json } of there.sent) expect(json).not.toContain('search_tools');
    expect(there.refused()).toEqual([]);
  });

  it('the filter is asked once in a request about a tool in the phases search and load, and before a call', async () => {
    const asked: string[] = [];
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) => {
      asked.push(`${phase} ${toolName}`);
      return true;
    };
    const script = ({ done }: Sent) => void asked.push(`step ${done.length}`);
    const there = world({ execution, options: { filter }, script: script as never });
    await there.say('use get_weather send_email', kind);
    const early = asked.filter((question) => /^(?:search|load)/.test(question));
    // Nobody tells that this agent, which is registered nowhere, is no DurableAgent: then load is asked before a call as
    // well, and where the provider found what is called in the same response.
    const again = early.filter((question, position) => early.indexOf(question) !== position);
    expect(again).toEqual(['load get_weather', 'load send_email']);
    for (const step of asked.join('\n').split(/^step.*$/m)) {
      for (const [name, most] of [
        ['filler_0', 1],
        ['filler_1', 1],
        ['get_weather', 3],
        ['send_email', 3],
      ] as const) {
        expect(step.split(`active ${name}\n`).length - 1).toBeLessThanOrEqual(most);
      }
    }
    expect(asked.filter((question) => question === 'active get_weather').length).toBeGreaterThan(1);
  });

  it('a caller who restricts the tools gets no more with a model that prepareStep takes, whoever narrows the list', async () => {
    const tools = toolRecord(recordingTool([], 'own_tool'), recordingTool([], 'other_tool'));
    const narrowing = {
      id: 'narrowing',
      processInputStep: ({ activeTools = [] }: { activeTools?: readonly string[] }) =>
        activeTools.length > 0 ? { activeTools: activeTools.filter((name) => name !== 'other_tool') } : {},
    };
    for (const activeTools of [['own_tool'], undefined]) {
      const there = world({
        ...{ execution, agent: { tools } },
        ...(activeTools ? {} : { inputProcessors: (own: unknown) => [own, narrowing] }),
      });
      const restricted = activeTools ? { activeTools } : {};
      expect(await there.say('use get_weather own_tool', kind, restricted)).toBe('done');
      for (const { json, eager } of there.sent) {
        expect(json).not.toContain('other_tool');
        expect(eager).toContain('own_tool');
      }
      const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
        stepNumber >= 1 ? { model: there.models.chat } : undefined;
      await there.say('use send_email', kind, { ...restricted, prepareStep });
      const last = there.sent.at(-1)!;
      expect(last.kind).toBe('chat');
      const allowed = ['get_weather', 'own_tool', 'search_tools', 'send_email', ...(activeTools ? [] : ['load_tool'])];
      expect(last.eager.filter((name) => !allowed.includes(name))).toEqual([]);
      expect(there.refused()).toEqual([]);
    }
  });

  it('a tool that is called under a wrong spelling before it was found is loaded, also for later turns', async () => {
    let tries = 0;
    const there = world({
      execution,
      script: () => (tries++ === 0 ? { type: 'call', name: 'getWeather' } : undefined),
    });
    for (let turn = 0; turn < 2; turn++) expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.events).toContainEqual({ type: 'load-on-miss', called: 'getWeather', loaded: 'get_weather' });
    expect([there.ran, searchesIn(there.sent), there.refused()]).toEqual([['get_weather', 'get_weather'], [], []]);
  });
});

describe.each(kinds)('a search that this processor answers for %s', (kind) => {
  it('refers to topK tools, and to none below minConfidence', async () => {
    for (const [search, count] of [
      [{ topK: 2 }, 2],
      [{ topK: 2, minConfidence: 0.999 }, 0],
    ] as const) {
      const there = world({ options: { search }, script: searching('padding number') });
      await there.say('Hm.', kind);
      expect([searched(there)[0]?.loaded.length, lastReferences(there).length]).toEqual([count, count]);
      expect(there.refused()).toEqual([]);
    }
  });

  const groups: ToolSearchProcessorOptions['groups'] = ({ id }) =>
    id === 'get_weather' || id === 'book_flight' ? 'travel' : 'office';
  it.each([
    [
      'select:github_*',
      { github_list_issues: 'List.', github_close_issue: 'Close.', send_email: 'Send.' },
      {},
      ['github_close_issue', 'github_list_issues'],
    ],
    ['select:travel_*', undefined, { groups }, ['book_flight', 'get_weather']],
    [['weather', 'email'], undefined, {}, ['get_weather', 'send_email']],
    ['umbrella', undefined, { search: { keywords: { get_weather: ['umbrella'] } } }, ['get_weather']],
  ] as const)(
    'loads a group, several needs at once, and by keywords: %s',
    async (query, catalog, options, expected) => {
      const there = world({ options, script: searching(query), ...(catalog ? { catalog } : {}) });
      expect(await there.say('Hm.', kind)).toBe('searched');
      expect([lastReferences(there), there.refused()]).toEqual([expected, []]);
    },
  );

  it("says that one of the agent's own tools is there", async () => {
    const tools = { read_clock: recordingTool([], 'read_clock', 'Reads the clock.') };
    const there = world({ agent: { tools }, options: { tools: fillerTools(2) }, script: searching('clock') });
    expect(await there.say('what time is it?', kind)).toBe('searched');
    expect(there.sent.map(({ json }) => json.includes('needs no loading'))).toEqual([false, true]);
    expect(there.refused()).toEqual([]);
  });

  it('ends no run where a stub cannot be resolved', async () => {
    const resolve = () => Promise.reject(new Error('down'));
    const stub: ToolStub = { id: 'send_email', description: 'Send an email.', resolve };
    const there = world({ options: { tools: { send_email: stub } }, script: searching('send_email') });
    expect(await there.say('use send_email', kind)).toBe('searched');
    expect([there.events.some(({ type }) => type === 'stub-failed'), there.refused()]).toEqual([true, []]);
  });

  it('may be called tool_search, also after a switch', async () => {
    const there = world({ options: { metaTools: { search: { name: 'tool_search' } } } });
    const other = kinds.find((one) => one !== kind)!;
    const turns = ['get_weather', 'get_weather send_email', 'get_weather send_email book_flight', 'book_flight'];
    for (const [at, model] of [kind, other, kind, 'chat' as const].entries()) {
      expect(await there.say(`use ${turns[at]}`, model)).toBe('done');
    }
    expect(searchesIn(there.sent)).toEqual(['get_weather', 'send_email', 'book_flight']);
    expect(there.refused()).toEqual([]);
  });

  /** What the model is sent after each of its searches, one after the other. */
  async function answersTo(tools: Record<string, MastraTool>, queries: readonly (string | readonly string[])[]) {
    const there = world({
      options: { tools },
      agent: { tools: {} },
      script: (sent) => {
        const query = queries[sent.calls.length];
        if (query === undefined) return { type: 'say', text: 'over' };
        return { type: 'search', query, wanted: [], tool: searchOf(sent) };
      },
    });
    await there.say('hi', kind);
    expect(there.refused()).toEqual([]);
    return there.sent.slice(1).map(({ json }) => json);
  }

  it('is told where there is nothing to find, and after three searches in vain', async () => {
    // OpenAI's results have no place for words: its models read it in the system text.
    const none = 'No other tools are available at the moment';
    expect((await answersTo({}, ['qqqq'])).map((body) => body.includes(none))).toEqual([true]);
    const vain = 'You have searched 3 times without loading or calling a tool';
    const told = (await answersTo(toolRecord(weather(), email()), Array(3).fill('qqqq'))).map((body) =>
      body.includes(vain),
    );
    expect(told).toEqual([false, false, true]);
  });

  it('reports weak matches in words where the model reads such, and defines them elsewhere', async () => {
    /** Matches "get_weather" by a word that is no more than a part of it. */
    const vague = 'city parade';
    const tools = { ...toolRecord(weather(), email()), ...fillerTools(20) };
    const [weak, selected] = await answersTo(tools, [vague, 'select:get_weather']);
    const [[several], [beside]] = [
      await answersTo(tools, [[vague, 'mail order of a parrot']]),
      await answersTo(tools, [[vague, 'email']]),
    ];
    if (kind === 'openai') {
      expect(weak).toContain('"type":"tool_search_output"');
      expect(weak).toContain('"name":"get_weather"');
      return;
    }
    expect(weak).toMatch(/No tool clearly matches .*city parade.*; closest: get_weather\. Call search_tools with/);
    expect(several).toMatch(/No tool clearly matches/);
    const references = (body = '') => body.match(/"tool_name":"\w+"/g);
    expect(references(selected)).toEqual(['"tool_name":"get_weather"']);
    expect(references(beside)).toEqual(['"tool_name":"get_weather"', '"tool_name":"send_email"']);
  });
});

describe('two processors on one agent', () => {
  /** The second processor has the mail tools. */
  function twoOf(ran: string[], options: Partial<ToolSearchProcessorOptions> = {}): World {
    const tools = toolRecord(recordingTool(ran, 'read_mail', 'Read mail.'), recordingTool(ran, 'hidden_mail'));
    const metaTools = { search: { name: 'find_more' }, load: { name: 'load_more' } };
    const second = new ToolSearchProcessor({
      tools,
      mode: 'native',
      metaTools,
      ...options,
    } as ToolSearchProcessorOptions);
    return world({
      inputProcessors: (first) => [first, second],
      script: (sent) => {
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

  it('are both native with Anthropic, and both in load mode with a model that has no tool search', async () => {
    const ran: string[] = [];
    const there = twoOf(ran);
    expect(await there.say('use get_weather read_mail send_email')).toBe('done');
    for (const { eager, deferred } of there.sent) {
      expect(eager).toEqual(['own_tool', 'search_tools', 'find_more']);
      expect(deferred).toEqual(expect.arrayContaining(['get_weather', 'read_mail', 'hidden_mail']));
    }
    const other = twoOf(ran);
    expect(await other.say('use get_weather read_mail', 'chat')).toBe('done');
    expect(other.sent[0]?.eager.filter((name) => name.includes('mail') && name !== 'send_email')).toEqual([]);
    expect([ran, there.refused(), other.refused()]).toEqual([['read_mail', 'read_mail'], [], []]);
  });

  it('refuse each other with OpenAI, where both need the same search tool, unless one is in load mode', async () => {
    // Mastra runs several processors as a workflow, and makes the ToolSearchError one of its own.
    const error = await twoOf([])
      .say('use get_weather', 'openai')
      .catch((thrown: unknown) => thrown);
    expect((error as Error).message).toContain('"tool_search"');
    expect((error as Error).message).not.toContain('metaTools.search.name');
    const ran: string[] = [];
    const there = twoOf(ran, { mode: 'load' });
    expect(await there.say('use get_weather read_mail', 'openai')).toBe('done');
    expect([ran, there.refused()]).toEqual([['read_mail'], []]);
  });

  it('hide both catalogs from a model that prepareStep takes', async () => {
    const there = twoOf([]);
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= 1 ? { model: there.models.chat } : undefined;
    await there.say('use get_weather', 'anthropic', { prepareStep });
    const switched = there.sent.filter((sent) => sent.kind === 'chat');
    expect(switched.length).toBeGreaterThan(0);
    for (const { eager } of switched)
      expect(eager.toSorted()).toEqual(['find_more', 'get_weather', 'own_tool', 'search_tools']);
  });
});
