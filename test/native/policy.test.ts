import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilter, ToolSearchFilterPhase } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { type Sent, searchesIn } from './rig/goals.ts';
import type { Kind } from './rig/services.ts';
import { type Execution, type World, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];
const executions: readonly Execution[] = ['client', 'server'];
const forms = executions.flatMap((execution) => kinds.map((kind) => ({ kind, execution })));

const denying =
  (name: string, ...phases: readonly ToolSearchFilterPhase[]): ToolSearchFilter =>
  ({ toolName, phase }) =>
    toolName !== name || !phases.includes(phase);

const isIn = ({ eager, deferred, referenced }: Sent, name: string): boolean =>
  [...eager, ...deferred, ...referenced].includes(name);

/** It stands nowhere in what was sent, but in the user's own words. */
function expectNowhere(there: World, name: string): void {
  for (const { json } of there.sent) expect(json.replaceAll(`use ${name}`, '').split(`"${name}"`)).toHaveLength(1);
}

describe.each(forms)('a tool that is denied, $kind, $execution:', ({ kind, execution }) => {
  it('in phase active is in no request', async () => {
    const there = world({ execution, options: { filter: denying('get_weather', 'active') } });
    expect(await there.say('use get_weather', kind)).toBe('not found');
    expect(await there.say('use send_email', kind)).toBe('done');
    for (const sent of there.sent) expect([sent.eager, sent.deferred].flat()).not.toContain('get_weather');
    expect(there.ran).toEqual(['send_email']);
    expect(there.refused()).toEqual([]);
  });

  it('in phase search is neither found nor, where the provider searches, sent', async () => {
    const there = world({ execution, options: { filter: denying('get_weather', 'search') } });
    expect(await there.say('use get_weather', kind)).toBe('not found');
    for (const sent of there.sent) {
      expect(sent.referenced).not.toContain('get_weather');
      expect(sent.deferred).not.toContain('get_weather');
    }
    expect(await there.say('use send_email', kind)).toBe('done');
    expect(there.refused()).toEqual([]);
  });

  it('in phase search is named to no model that calls what is not there, nor to one that spells it otherwise', async () => {
    const called = ['no_such_tool', 'getWeather', 'functions.get_weather'];
    const there = world({
      execution,
      options: { filter: denying('get_weather', 'search') },
      script: () => {
        const name = called[there.sent.length - 1];
        return name === undefined ? { type: 'say', text: 'ok' } : { type: 'call', name };
      },
    });
    await there.say('go', kind);
    expect(there.sent).toHaveLength(called.length + 1);
    for (const { json } of there.sent)
      expect(json.replaceAll('functions.get_weather', '')).not.toContain('get_weather');
    expect(there.sent.at(-1)?.json).toContain('Available tools:');
  });

  it('in phase search is loaded for a model that calls it by its name', async () => {
    const there = world({
      execution,
      options: { filter: denying('get_weather', 'search') },
      script: () => (there.sent.length < 3 ? { type: 'call', name: 'get_weather' } : { type: 'say', text: 'ok' }),
    });
    await there.say('go', kind);
    expect(there.ran).toEqual(['get_weather']);
    expect(there.refused()).toEqual([]);
  });

  it('in phase load is not referenced', async () => {
    const there = world({ execution, options: { filter: denying('get_weather', 'load') } });
    expect(await there.say('use get_weather', kind)).toBe('not found');
    for (const sent of there.sent) expect(sent.referenced).not.toContain('get_weather');
    expect(await there.say('use send_email', kind)).toBe('done');
    expect(there.refused()).toEqual([]);
  });

  it('in all phases is told nowhere', async () => {
    const there = world({ execution, options: { filter: denying('get_weather', 'search', 'load', 'active') } });
    await there.say('use get_weather', kind);
    expectNowhere(there, 'get_weather');
  });

  it('by a filter that throws is told nowhere', async () => {
    const filter: ToolSearchFilter = ({ toolName, phase }) => {
      if (toolName === 'get_weather') throw new Error(`no idea about ${phase}`);
      return true;
    };
    const there = world({ execution, options: { filter } });
    expect(await there.say('use get_weather', kind)).toBe('not found');
    expectNowhere(there, 'get_weather');
    expect(there.events).toContainEqual(expect.objectContaining({ type: 'filter-failed', toolName: 'get_weather' }));
    expect(await there.say('use send_email', kind)).toBe('done');
    expect(there.refused()).toEqual([]);
  });
});

describe.each(forms)('the filter, $kind, $execution:', ({ kind, execution }) => {
  it('is asked once in a request about a tool in the phases search and load, and before a call', async () => {
    const asked: string[] = [];
    const there = world({
      execution,
      options: {
        filter: ({ toolName, phase }) => {
          asked.push(`${phase} ${toolName}`);
          return true;
        },
      },
      // What was asked right before the second tool runs is told apart by the first one.
      script: (sent) => {
        asked.push(`step ${sent.done.length}`);
        return undefined;
      },
    });
    await there.say('use get_weather send_email', kind);
    const early = asked.filter((question) => question.startsWith('search') || question.startsWith('load'));
    const again = early.filter((question, position) => early.indexOf(question) !== position);
    // Nobody tells that this agent, which is registered nowhere, is no DurableAgent: then load is asked before a call as
    // well, and where the provider found what is called in the same response.
    expect(again).toEqual(['load get_weather', 'load send_email']);
    // In each step about a loaded tool at most once, and once more right before its call.
    const steps = asked.join('\n').split(/^step.*$/m);
    for (const step of steps) {
      const questions = step.split('\n').filter((question) => question.startsWith('active'));
      for (const name of ['filler_0', 'filler_1']) {
        expect(questions.filter((question) => question.endsWith(name)).length).toBeLessThanOrEqual(1);
      }
      for (const name of ['get_weather', 'send_email']) {
        expect(questions.filter((question) => question.endsWith(name)).length).toBeLessThanOrEqual(3);
      }
    }
    expect(asked.at(-1)).toMatch('step');
    expect(asked.filter((question) => question === 'active get_weather').length).toBeGreaterThan(1);
  });

  it('is asked right before a call, when a right is withdrawn after the request', async () => {
    let isDenied = false;
    const there = world({
      execution,
      options: { filter: ({ toolName }) => !(isDenied && toolName === 'get_weather') },
      script: (sent) => {
        if (sent.done.includes('get_weather')) return { type: 'say', text: 'over' };
        if (sent.referenced.includes('get_weather')) isDenied = true;
        return undefined;
      },
    });
    await there.say('use get_weather', kind);
    if (execution === 'client') {
      expect(there.ran).toEqual([]);
      expect(there.events).toContainEqual({ type: 'call-denied', toolName: 'get_weather' });
      expect(JSON.stringify(there.sent.at(-1)?.json)).toContain('not available to this request');
    }
    expect(there.refused()).toEqual([]);
  });

  it('may take 2 ms for each of 300 tools', async () => {
    const fillers = Array.from({ length: 300 }, (_, n) => [`padding_${n}`, `Padding of kind ${n}.`] as const);
    let open = 0;
    let mostOpen = 0;
    let asked = 0;
    const filter: ToolSearchFilter = async () => {
      asked += 1;
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await new Promise((resolve) => setTimeout(resolve, 2));
      open -= 1;
      return true;
    };
    const there = world({
      execution,
      catalog: { get_weather: 'Get the current weather of a city.', ...Object.fromEntries(fillers) },
      options: { filter },
    });
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.refused()).toEqual([]);
    expect(mostOpen).toBeGreaterThan(10);
    // The lists are asked about once, not in each step. Where the catalog is not sent, only the search asks.
    const phases = kind === 'anthropic' || execution === 'server' ? 3 : 1;
    expect(asked).toBeLessThan(301 * phases + 60);
    if (kind === 'anthropic' || execution === 'server') expect(there.sent.at(-1)?.deferred.length).toBe(304);
  });

  it('keeps two requests with other rights apart, at once', async () => {
    const filter: ToolSearchFilter = async ({ toolName, requestContext }) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      const hidden = requestContext?.get('user') === 'a' ? 'send_email' : 'get_weather';
      return toolName !== hidden;
    };
    const worlds = world({ execution, options: { filter } });
    const say = async (user: 'a' | 'b', text: string): Promise<string> => {
      const requestContext = new RequestContext();
      requestContext.set('user', user);
      requestContext.set('kind', kind);
      const memory = { thread: `of-${user}`, resource: user };
      return worlds.say(text, kind, { requestContext, memory });
    };
    const texts = ['use get_weather', 'use send_email'] as const;
    for (let turn = 0; turn < 2; turn++) {
      const [first, second] = await Promise.all([say('a', texts[0]), say('b', texts[1])]);
      expect(first).toBe('done');
      expect(second).toBe('done');
    }
    for (const sent of worlds.sent) {
      const isOfA = sent.goals.includes('get_weather');
      expect(isIn(sent, isOfA ? 'send_email' : 'get_weather')).toBe(false);
      expect(sent.json).not.toContain(isOfA ? 'send_email' : 'get_weather');
    }
    expect([...worlds.ran].sort()).toEqual(['get_weather', 'get_weather', 'send_email', 'send_email']);
    expect(new Set(searchesIn(worlds.sent)).size).toBe(2);
    expect(worlds.refused()).toEqual([]);
  });
});
