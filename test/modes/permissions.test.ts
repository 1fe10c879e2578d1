import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilter, ToolSearchFilterArgs, ToolSearchFilterPhase } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../native/rig/world.ts';
import { part } from '../support/breadth.ts';
import { fillerTools, tool } from '../support/harness.ts';
import { attemptsAt, modeRig, WAYS_AND_MISSES } from '../support/modes.ts';

const SECRET = 'get_weather';
const { [SECRET]: _, ...OTHERS } = CATALOG;

/** Up to 500 tools Mastra is given proxy tools, above lightweight proxies. */
const sizes = [3, 501];
const kinds = ['Agent', 'DurableAgent'] as const;
const phases = ['load', 'active'] as const;
const agents = kinds.flatMap((registered) => sizes.map((fillers) => ({ registered, fillers })));
const someAgents = agents.filter(({ registered, fillers }) => (registered === 'Agent') === fillers > 500);

/** How a filter does not permit a tool in a phase. */
const faults = {
  denies: () => false,
  throws: () => {
    throw new Error('no idea');
  },
  'never answers': () => new Promise(() => {}),
};

const filterOf = (denied: readonly ToolSearchFilterPhase[], answer: () => unknown = () => false): ToolSearchFilter =>
  (({ toolName, phase }: ToolSearchFilterArgs) =>
    toolName === SECRET && denied.includes(phase) ? answer() : true) as ToolSearchFilter;

const isExact = (action: object): boolean => /[":]get_weather"/.test(JSON.stringify(action));

// Rights that are withdrawn between turns, and given back: test/behaviour/pairs.test.ts.
describe.each(WAYS_AND_MISSES)('with $way, a tool that the filter does not permit', (way) => {
  const attempts = attemptsAt(way, SECRET);

  /** All that a model reads that does this, with the tool in the catalog or without it. */
  const readBy = async (
    actions: typeof attempts,
    filter: ToolSearchFilter,
    catalog: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> => {
    const { does, ask, sent } = modeRig(way, { catalog, options: { filter, injectCatalog: 'names' } });
    await does(actions);
    expect((await ask('use send_email')).text).toBe('done');
    return sent.map(({ json }) => json);
  };

  const unpermitted = phases.flatMap((phase) =>
    (['denies', 'throws', 'never answers'] as const).flatMap((fault) =>
      agents.map((one) => ({ phase, fault, ...one })),
    ),
  );

  it.each(part(unpermitted, 'values'))(
    'in phase $phase, as it $fault, does not run whatever the model writes ($registered, $fillers other tools)',
    async ({ phase, fault, ...agent }) => {
      const options = { filter: filterOf([phase], faults[fault]), timeouts: { filter: 5 } };
      const { ask, does, ran, events } = modeRig(way, { options, ...agent });
      await does(attempts);
      expect((await ask('use send_email')).text).toBe('done');
      expect(ran).toEqual(['send_email']);
      if (fault === 'denies') return;
      expect(events).toContainEqual(expect.objectContaining({ type: 'filter-failed', toolName: SECRET, phase }));
    },
  );

  it('in all phases is told nowhere: the model reads what it reads without the tool, to the byte', async () => {
    const filter = filterOf(['search', 'load', 'active']);
    expect(await readBy(attempts, filter, CATALOG)).toEqual(await readBy(attempts, filter, OTHERS));
  });

  it('in phase search is told to no model that does not write its name, and runs for one that does', async () => {
    const filter = filterOf(['search']);
    const guesses = attempts.filter((action) => !isExact(action));
    expect(await readBy(guesses, filter, CATALOG)).toEqual(await readBy(guesses, filter, OTHERS));
    const { does, ran } = modeRig(way, { options: { filter } });
    const written = attempts.filter((action) => isExact(action) && action.type !== 'search');
    // A call of a tool that is not there may load it alone.
    await does([...written, ...written]);
    expect(ran).toContain(SECRET);
  });

  it('in phase load is not suggested (natively nothing is: there Mastra answers)', async () => {
    const { does, sent } = modeRig(way, { options: { filter: filterOf(['load']) } });
    await does([{ type: way.mode === 'call' ? 'bridge' : way.mode === 'load' ? 'load' : 'call', name: 'getWeather' }]);
    const answer = sent.at(-1)?.results.at(-1);
    expect(answer).toMatch(/"getWeather\\?" not found/);
    expect(answer).not.toContain('Did you mean');
    if (way.mode !== 'native') expect(sent.at(-1)?.json).not.toContain(SECRET);
  });

  it.each(someAgents)(
    'any more when its call is to run does not run ($registered, $fillers other tools)',
    async (agent) => {
      /** The questions up to the call, of which the last ones are denied from this one on. */
      const questionsFrom = async (denied: number) => {
        let asked = 0;
        const filter: ToolSearchFilter = ({ toolName, phase }) => {
          if (toolName === SECRET && phase === 'active') asked += 1;
          return phase !== 'active' || asked < denied;
        };
        const there = modeRig(way, { ...agent, options: { filter } });
        await there.ask(`use ${SECRET}`);
        return { ...there, asked };
      };
      const permitted = await questionsFrom(Number.POSITIVE_INFINITY);
      expect(permitted.ran).toEqual([SECRET]);
      let last = permitted.asked;
      // After the call a step may ask once more.
      while (last > 0 && (await questionsFrom(last)).ran.length > 0) last -= 1;
      const { ran, events, sent } = await questionsFrom(last);
      expect(ran).toEqual([]);
      expect(events).toContainEqual({ type: 'call-denied', toolName: SECRET });
      expect(sent.at(-1)?.results.at(-1)).toContain('not available');
    },
  );

  it.each(
    part(
      phases.flatMap((phase) => someAgents.map((agent) => ({ phase, ...agent }))),
      'pairs',
    ),
  )(
    'in phase $phase since its call waits for an approval does not run ($registered, $fillers other tools)',
    async ({ phase, fillers, registered }) => {
      let isAllowed = true;
      const ran: string[] = [];
      const execute = async () => void ran.push(SECRET);
      const secret = tool(SECRET, 'Get the weather.', { requireApproval: true, execute });
      const { ask, approve, events, sent } = modeRig(way, {
        registered,
        options: {
          tools: { [SECRET]: secret, ...fillerTools(fillers) },
          filter: (asked) => asked.phase !== phase || isAllowed,
        },
      });
      const waiting = await ask(`use ${SECRET}`);
      expect(waiting.waitingTool).toBe(SECRET);
      isAllowed = false;
      await approve(waiting);
      expect(ran).toEqual([]);
      expect(events).toContainEqual({ type: 'call-denied', toolName: SECRET });
      expect(sent.at(-1)?.results.at(-1)).toContain('not available');
    },
  );

  it('to one user is told to and run for another alone, on one instance at once', async () => {
    const filter = async ({ toolName, requestContext }: ToolSearchFilterArgs): Promise<boolean> => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return toolName !== (requestContext?.get('user') === 'ann' ? 'send_email' : SECRET);
    };
    const { ask, ran, sent } = modeRig(way, { options: { filter } });
    const turnOf = (user: string, text: string) =>
      ask(text, { requestContext: new RequestContext([['user', user]]), memory: { thread: user, resource: user } });
    for (let turn = 0; turn < 2; turn++) {
      const both = await Promise.all([turnOf('ann', `use ${SECRET}`), turnOf('bob', 'use send_email')]);
      expect(both.map(({ text }) => text)).toEqual(['done', 'done']);
    }
    for (const { goals, json } of sent) expect(json).not.toContain(goals.includes(SECRET) ? 'send_email' : SECRET);
    expect([...ran].sort()).toEqual([SECRET, SECRET, 'send_email', 'send_email']);
  });

  it('of those that the agent resolves for each request does not run', async () => {
    const ran: string[] = [];
    const own = (name: string) => tool(name, CATALOG[name], { execute: async () => void ran.push(name) });
    const { ask, does, sent } = modeRig(way, {
      options: { tools: {}, includeResolvedTools: true, filter: filterOf(['active']) },
      agent: { tools: () => ({ [SECRET]: own(SECRET), send_email: own('send_email') }) },
    });
    await does(attempts);
    await ask('use send_email');
    expect(ran).toEqual(['send_email']);
    for (const { eager, deferred } of sent) expect([...eager, ...deferred]).not.toContain(SECRET);
  });
});

describe.each(WAYS_AND_MISSES)('with $way, the filter', (way) => {
  it('is asked in three phases, with the name, the tool and the request context, and anew in each request', async () => {
    const asked: ToolSearchFilterArgs[] = [];
    const { ask } = modeRig(way, { options: { filter: (args) => asked.push(args) > 0 } });
    const askedIn = async (): Promise<readonly string[]> => {
      const { length } = asked;
      await ask(`use ${SECRET}`);
      const about = asked.slice(length).filter(({ toolName }) => toolName === SECRET);
      return [...new Set(about.map(({ phase }) => phase))].sort();
    };
    expect(await askedIn()).toEqual(['active', 'load', 'search']);
    expect(await askedIn()).toContain('active');
    for (const { toolName, tool: subject, requestContext } of asked) {
      expect(subject.id).toBe(toolName);
      expect(requestContext?.get('kind')).toBe(way.model);
    }
  });
});
