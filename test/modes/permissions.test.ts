import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilter, ToolSearchFilterArgs, ToolSearchFilterPhase } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { pick, type Random, randomFrom } from '../bench/speed/random.ts';
import type { Action } from '../native/rig/goals.ts';
import { KINDS } from '../native/rig/rig.ts';
import { CATALOG, recordingTool } from '../native/rig/world.ts';
import { fillerTools, tool, toolRecord } from '../support/agent.ts';
import { inTurn } from '../support/breadth.ts';
import { memorySource } from '../support/memory-source.ts';
import { attemptsAt, modeRig, WAYS, type Way } from '../support/modes.ts';
import { realTools } from '../support/real-tools.ts';

const SECRET = 'get_weather';
const { [SECRET]: _, ...OTHERS } = CATALOG;

/** Up to 500 tools Mastra is given proxy tools, above and over a source lightweight proxies. */
const agents = [
  { registered: 'Agent', fillers: 501 },
  { registered: 'DurableAgent', fillers: 3 },
] as const;
const overSource = KINDS.map((registered) => ({ registered, fillers: 3, isSource: true }));
/** Each way once, with one or the other agent. */
const someAgents = WAYS.map((way, at) => ({ way, name: way.way, ...agents[at % 2]! }));

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
const lastResult = ({ sent }: ReturnType<typeof modeRig>): string | undefined => sent.at(-1)?.results.at(-1);

/** All that a model reads that does this, with these tools. */
async function readBy(
  way: Way,
  actions: readonly Action[],
  options: object,
  catalog: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { does, sent } = modeRig(way, { catalog, options });
  await does(actions);
  return sent.map(({ json }) => json);
}

// Rights that are withdrawn between turns, and given back: test/behaviour/pairs.test.ts.
const deniedRuns = WAYS.flatMap((way, at) => {
  // A provider that searches is sent the whole catalog, which nobody has of a source.
  const possible = way.execution === 'server' ? [agents[1]] : [...agents, ...overSource];
  // Native modes take turns with the faults: all ask one filter.
  const kinds = Object.keys(faults) as (keyof typeof faults)[];
  return kinds
    .filter((_, n) => way.mode !== 'native' || n === at % 3)
    .map((fault, n) => ({
      ...{
        way,
        fault,
        phase: (['load', 'active'] as const)[(at + n) % 2]!,
        agent: possible[(at + n) % possible.length]!,
      },
    }));
});
it.each(deniedRuns)(
  'a tool that the filter does not permit in phase $phase, as it $fault, does not run whatever the model writes ($way.way, $agent)',
  async ({ way, phase, fault, agent }) => {
    const used: string[] = [];
    const source = await memorySource(toolRecord(...Object.keys(CATALOG).map((name) => recordingTool(used, name))));
    const options = {
      ...('isSource' in agent ? { tools: source as never } : {}),
      filter: filterOf([phase], faults[fault]),
      timeouts: { filter: 5 },
    };
    const { ask, does, ran, events } = modeRig(way, { options, ...agent });
    await does(attemptsAt(way, SECRET));
    expect((await ask('use send_email')).text).toBe('done');
    expect([...used, ...ran]).toEqual(['send_email']);
    if (fault === 'denies') return;
    expect(events).toContainEqual(expect.objectContaining({ type: 'filter-failed', toolName: SECRET, phase }));
  },
);

// No call in a program waits: test/modes/code/permission.test.ts.
const waiting = WAYS.filter(({ mode }) => mode !== 'code');

it.each(inTurn({ way: waiting, agent: agents, phase: ['load', 'active'] }))(
  'a tool that the filter does not permit in phase $phase since its call waits for an approval does not run ($way.way, $agent)',
  async ({ way, phase, agent: { fillers, registered } }) => {
    let isAllowed = true;
    const ran: string[] = [];
    const execute = async () => void ran.push(SECRET);
    const secret = tool(SECRET, 'Get the weather.', { requireApproval: true, execute });
    const filter: ToolSearchFilter = (asked) => asked.phase !== phase || isAllowed;
    const there = modeRig(way, {
      registered,
      options: { tools: { [SECRET]: secret, ...fillerTools(fillers) }, filter },
    });
    const waiting = await there.ask(`use ${SECRET}`);
    expect(waiting.waitingTool).toBe(SECRET);
    isAllowed = false;
    await there.approve(waiting);
    expect(ran).toEqual([]);
    expect(there.events).toContainEqual({ type: 'call-denied', toolName: SECRET });
    expect(lastResult(there)).toContain('not available');
  },
);

describe.each(someAgents)('with $name, a tool that the filter does not permit', ({ way, name: __, ...agent }) => {
  const attempts = attemptsAt(way, SECRET);

  it('in any phase is told nowhere: the model reads what it reads without the tool, to the byte', async () => {
    const options = { filter: filterOf(['search', 'load', 'active']), injectCatalog: 'names' };
    expect(await readBy(way, attempts, options, CATALOG)).toEqual(await readBy(way, attempts, options, OTHERS));
  });

  it('in phase search is told to no model that does not write its name, and runs for one that does', async () => {
    const filter = filterOf(['search']);
    const guesses = attempts.filter((action) => !isExact(action));
    expect(await readBy(way, guesses, { filter }, CATALOG)).toEqual(await readBy(way, guesses, { filter }, OTHERS));
    const { does, ran } = modeRig(way, { options: { filter } });
    const written = attempts.filter((action) => isExact(action) && action.type !== 'search');
    // A call of a tool that is not there may load it alone.
    await does([...written, ...written]);
    // A program asks all phases at each call.
    expect(ran.includes(SECRET)).toBe(way.mode !== 'code');
  });

  it('in phase load is not suggested (natively nothing is: there Mastra answers)', async () => {
    const there = modeRig(way, { options: { filter: filterOf(['load']) } });
    const type = { call: 'bridge', load: 'load', native: 'call', code: 'program' } as const;
    await there.does([{ type: type[way.mode], name: 'getWeather' }]);
    const isProgram = way.mode === 'code';
    expect(lastResult(there)).toMatch(isProgram ? /no function for .*getWeather/ : /"getWeather\\?" not found/);
    expect(lastResult(there)).not.toContain('Did you mean');
    if (way.mode !== 'native') expect(there.sent.at(-1)?.json).not.toContain(SECRET);
  });

  it('any more when its call is to run does not run', async () => {
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
    let denied = await questionsFrom(permitted.asked);
    // After the call a step may ask once more.
    for (let last = permitted.asked - 1; last > 0 && denied.ran.length > 0; last--) denied = await questionsFrom(last);
    expect(denied.ran).toEqual([]);
    expect(denied.events).toContainEqual({ type: 'call-denied', toolName: SECRET });
    expect(lastResult(denied)).toContain('not available');
  });

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

  it('is asked about in three phases, with the name, the tool and the request context, and anew in each request', async () => {
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

const real = realTools();

/** Neighbours of real catalogs, with what they are for. */
function someTools(random: Random): Readonly<Record<string, string>> {
  const start = Math.floor(random() * (real.length - 20));
  return Object.fromEntries(real.slice(start, start + 20).map(({ id, description = '' }) => [id, description]));
}

/** What a model may do that knows the names of all tools, and makes mistakes. */
function randomAction(way: Way, names: readonly string[], random: Random): Action {
  const name = pick(names, random);
  const [first, ...others] = name.split('_');
  const query = [`select:${first}_*`, others.join(' ')];
  const patterns: readonly Action[] =
    way.execution === 'server' ? [] : Array(4).fill({ type: 'search', query, wanted: [name], tool: way.search });
  return pick([...attemptsAt(way, name), ...patterns], random);
}

it.each(WAYS)('with $way, a model that does what it likes runs and reads nothing forbidden', async (way) => {
  const random = randomFrom(WAYS.indexOf(way));
  const catalog = someTools(random);
  const names = Object.keys(catalog);
  const forbidden = new Set(names.filter(() => random() < 0.5));
  const actions = Array.from({ length: 8 }, () => randomAction(way, names, random));
  const denied = pick(['load', 'active'], random);
  const filter: ToolSearchFilter = ({ toolName, phase }) => phase !== denied || !forbidden.has(toolName);
  const { ask, does, ran } = modeRig(way, { catalog, options: { filter } });
  await does(actions);
  const permitted = names.find((name) => /^[a-z]+(_[a-z]+)+$/.test(name) && !forbidden.has(name));
  if (permitted) await ask(`use ${permitted}`);
  if (permitted) expect(ran).toContain(permitted);
  expect(ran.filter((id) => forbidden.has(id))).toEqual([]);
  const options = { filter: async ({ toolName }: { toolName: string }) => !forbidden.has(toolName) };
  const visible = Object.fromEntries(Object.entries(catalog).filter(([name]) => !forbidden.has(name)));
  expect(await readBy(way, actions, options, catalog)).toEqual(await readBy(way, actions, options, visible));
});
