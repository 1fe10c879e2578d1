// The processor's other options with native mode, and its neighbours.
import { ToolSearchProcessor, type ToolSearchProcessorOptions, type ToolStub } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, fillerTools, toolRecord, weather } from '../support/agent.ts';
import { type Action, type Sent, searchesIn } from './rig/goals.ts';
import { DIALECTS, FORMS } from './rig/rig.ts';
import { loadedByEvents, recordingTool, type World, type WorldOptions, world } from './rig/world.ts';

type Query = string | readonly string[];

/** The model searches for this, one step after the other, and says something. */
const searching =
  (...queries: readonly Query[]): NonNullable<WorldOptions['script']> =>
  ({ calls, kind }): Action => {
    const query = queries[calls.length];
    const name = kind === 'anthropic' ? 'search_tools' : 'tool_search';
    return query === undefined ? { type: 'say', text: 'over' } : { type: 'search', query, wanted: [], tool: name };
  };
const since = ({ sent }: World, at: number): readonly Sent[] => sent.slice(at);

describe.each(FORMS)('$dialect $execution:', ({ dialect, execution }) => {
  it('passthroughBelow sends a small catalog whole, also where a conversation was searched in', async () => {
    const ran: string[] = [];
    let fillers = fillerTools(12);
    const tools = () => ({ ...toolRecord(recordingTool(ran, 'get_weather')), ...fillers });
    const there = world({ execution, options: { tools, passthroughBelow: 5 } });
    expect(await there.say('use get_weather', dialect)).toBe('done');
    expect(there.sent[0]?.eager).toHaveLength(2);
    fillers = fillerTools(1);
    const { length } = there.sent;
    expect(await there.say('use get_weather', dialect)).toBe('done');
    for (const { eager, deferred, foreign } of since(there, length)) {
      expect([eager.toSorted(), deferred, foreign]).toEqual([['filler_0', 'get_weather', 'own_tool'], [], []]);
    }
    expect(there.refused()).toEqual([]);
  });

  it("storage 'context' takes what is loaded from the conversation, under other names too, and after a misspelt call", async () => {
    const metaTools = { search: { name: 'seek_tools' }, load: { name: 'fetch_tool' } };
    let tries = 0;
    const script = ({ goals }: Sent): Action | undefined =>
      goals.includes('send_email') && tries++ === 0 ? { type: 'call', name: 'sendEmail' } : undefined;
    const there = world({ execution, options: { storage: 'context', metaTools }, script });
    for (const said of ['get_weather', 'get_weather', 'send_email', 'send_email get_weather']) {
      expect(await there.say(`use ${said}`, dialect)).toBe('done');
    }
    expect([searchesIn(there.sent), there.refused()]).toEqual([['get_weather'], []]);
    expect([...loadedByEvents(there.events)]).toEqual(['get_weather', 'send_email']);
    expect(there.events).toContainEqual({ type: 'load-on-miss', called: 'sendEmail', loaded: 'send_email' });
    for (const { json } of there.sent) expect(json).not.toContain('search_tools');
  });

  it('a caller who restricts the tools gets no more with a model that prepareStep takes, whoever narrows the list', async () => {
    const tools = toolRecord(recordingTool([], 'own_tool'), recordingTool([], 'other_tool'));
    const narrowing = {
      id: 'narrowing',
      processInputStep: ({ activeTools = [] }: { activeTools?: readonly string[] }) =>
        activeTools.length > 0 ? { activeTools: activeTools.filter((name) => name !== 'other_tool') } : {},
    };
    for (const isOfCaller of [true, false]) {
      const inputProcessors = (own: unknown) => [own, ...(isOfCaller ? [] : [narrowing])];
      const there = world({ execution, agent: { tools }, inputProcessors });
      const restricted = isOfCaller ? { activeTools: ['own_tool'] } : {};
      expect(await there.say('use get_weather own_tool', dialect, restricted)).toBe('done');
      for (const { json, eager } of there.sent) {
        expect([json.includes('other_tool'), eager.includes('own_tool')]).toEqual([false, true]);
      }
      const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
        stepNumber >= 1 ? { model: there.models.chat } : undefined;
      await there.say('use send_email', dialect, { ...restricted, prepareStep });
      const last = there.sent.at(-1)!;
      const allowed = ['get_weather', 'own_tool', 'search_tools', 'send_email', ...(isOfCaller ? [] : ['load_tool'])];
      expect([last.kind, last.eager.filter((name) => !allowed.includes(name)), there.refused()]).toEqual([
        'chat',
        [],
        [],
      ]);
    }
  });
});

describe.each(DIALECTS)('a search that this processor answers for %s', (kind) => {
  /** What the model is sent after each of its searches. */
  async function answersTo(options: Partial<ToolSearchProcessorOptions>, ...queries: readonly Query[]) {
    const there = world({ options, agent: { tools: {} }, script: searching(...queries) });
    expect(await there.say('hi', kind)).toBe('over');
    expect(there.refused()).toEqual([]);
    return since(there, 1).map(({ json, referenced }) => ({ json, referenced }));
  }

  it('refers to topK tools, and to none below minConfidence; several needs are searched at once', async () => {
    const [few] = await answersTo({ search: { topK: 2 } }, 'padding number');
    const [none] = await answersTo({ search: { topK: 2, minConfidence: 0.999 } }, 'padding number');
    expect([few?.referenced.length, none?.referenced]).toEqual([2, []]);
    const [both] = await answersTo({}, ['weather', 'email']);
    expect(both?.referenced.toSorted()).toEqual(['get_weather', 'send_email']);
  });

  it("says that one of the agent's own tools is there, and ends no run where a stub cannot be resolved", async () => {
    const tools = { read_clock: recordingTool([], 'read_clock', 'Reads the clock.') };
    const resolve = () => Promise.reject(new Error('down'));
    const stub: ToolStub = { id: 'send_email', description: 'Send an email.', resolve };
    const script = searching('clock', 'send_email');
    const there = world({ agent: { tools }, options: { tools: { send_email: stub } }, script });
    expect(await there.say('what time is it?', kind)).toBe('over');
    expect(there.sent.map(({ json }) => json.includes('needs no loading'))).toEqual([false, true, true]);
    expect([there.events.some(({ type }) => type === 'stub-failed'), there.refused()]).toEqual([true, []]);
  });

  it('may be called tool_search, also after a switch', async () => {
    const there = world({ options: { metaTools: { search: { name: 'tool_search' } } } });
    const other = kind === 'openai' ? ('anthropic' as const) : ('openai' as const);
    const turns = ['get_weather', 'get_weather send_email', 'get_weather send_email book_flight', 'book_flight'];
    for (const [at, model] of [kind, other, kind, 'chat' as const].entries()) {
      expect(await there.say(`use ${turns[at]}`, model)).toBe('done');
    }
    expect(searchesIn(there.sent)).toEqual(['get_weather', 'send_email', 'book_flight']);
    expect(there.refused()).toEqual([]);
  });

  it('is told where there is nothing to find, and after three searches in vain', async () => {
    // OpenAI's results have no place for words: its models read it in the system text.
    const [none] = await answersTo({ tools: {} }, 'qqqq');
    expect(none?.json).toContain('No other tools are available at the moment');
    const answers = await answersTo({ tools: toolRecord(weather(), email()) }, 'qqqq', 'qqqq', 'qqqq');
    const vain = 'You have searched 3 times without loading or calling a tool';
    expect(answers.map(({ json }) => json.includes(vain))).toEqual([false, false, true]);
  });

  it('reports weak matches in words where the model reads such, and defines them elsewhere', async () => {
    /** Matches "get_weather" by a word that is no more than a part of it. */
    const vague = 'city parade';
    const tools = { ...toolRecord(weather(), email()), ...fillerTools(20) };
    const [weak] = await answersTo({ tools }, vague);
    if (kind === 'openai') {
      expect([weak?.referenced, weak?.json.includes('"type":"tool_search_output"')]).toEqual([['get_weather'], true]);
      return;
    }
    expect(weak?.json).toMatch(
      /No tool clearly matches .*city parade.*; closest: get_weather\. Call search_tools with/,
    );
    const [several] = await answersTo({ tools }, [vague, 'mail order of a parrot']);
    expect(several?.json).toMatch(/No tool clearly matches/);
    const [beside] = await answersTo({ tools }, [vague, 'email']);
    expect(beside?.referenced).toEqual(['get_weather', 'send_email']);
  });
});

describe('two processors on one agent', () => {
  /** The second processor has the mail tools. */
  function twoOf(options: Partial<ToolSearchProcessorOptions> = {}): World & { readonly mail: readonly string[] } {
    const mail: string[] = [];
    const tools = toolRecord(recordingTool(mail, 'read_mail', 'Read mail.'), recordingTool(mail, 'hidden_mail'));
    const metaTools = { search: { name: 'find_more' }, load: { name: 'load_more' } };
    const given = { tools, mode: 'native', metaTools, ...options } as ToolSearchProcessorOptions;
    const second = new ToolSearchProcessor(given);
    const script = ({ goals, done, eager, referenced }: Sent): Action | undefined => {
      const next = goals.find((name) => !done.includes(name));
      if (next !== 'read_mail' || [...eager, ...referenced].includes('read_mail')) return undefined;
      if (!done.includes('find_more')) return { type: 'search', query: 'read mail', wanted: [next], tool: 'find_more' };
      return { type: 'call', name: 'load_more', input: { toolName: 'read_mail' } };
    };
    return { ...world({ inputProcessors: (first) => [first, second], script }), mail };
  }

  it('are both native with Anthropic, and both in load mode with a model that has no tool search', async () => {
    const there = twoOf();
    expect(await there.say('use get_weather read_mail send_email')).toBe('done');
    for (const { eager, deferred } of there.sent) {
      expect(eager).toEqual(['own_tool', 'search_tools', 'find_more']);
      expect(deferred).toEqual(expect.arrayContaining(['get_weather', 'read_mail', 'hidden_mail']));
    }
    const other = twoOf();
    expect(await other.say('use get_weather read_mail', 'chat')).toBe('done');
    expect(other.sent[0]?.eager.filter((name) => name.includes('mail'))).toEqual([]);
    expect([there.mail, other.mail, there.refused(), other.refused()]).toEqual([['read_mail'], ['read_mail'], [], []]);
  });

  it('refuse each other with OpenAI, where both need the same search tool, unless one is in load mode', async () => {
    // Mastra runs several processors as a workflow, and makes the ToolSearchError one of its own.
    const error = await twoOf()
      .say('use get_weather', 'openai')
      .catch((thrown: unknown) => thrown);
    expect((error as Error).message).toContain('"tool_search"');
    expect((error as Error).message).not.toContain('metaTools.search.name');
    const there = twoOf({ mode: 'load' });
    expect(await there.say('use get_weather read_mail', 'openai')).toBe('done');
    expect([there.mail, there.refused()]).toEqual([['read_mail'], []]);
  });

  it('hide both catalogs from a model that prepareStep takes', async () => {
    const there = twoOf();
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= 1 ? { model: there.models.chat } : undefined;
    await there.say('use get_weather', 'anthropic', { prepareStep });
    const switched = there.sent.filter((sent) => sent.kind === 'chat').map(({ eager }) => eager.toSorted());
    expect(switched.length).toBeGreaterThan(0);
    expect(switched).toEqual(switched.map(() => ['find_more', 'get_weather', 'own_tool', 'search_tools']));
  });
});
