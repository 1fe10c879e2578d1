import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilter, ToolSearchFilterPhase } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { type Mode, run } from '../agent/missed-calls.ts';
import { pick, randomFrom } from '../bench/speed/random.ts';
import { call, calls, email, fillerTools, tool, toolRecord, weather } from '../support/harness.ts';
import { realTools } from '../support/real-tools.ts';
import { lastToolResult, systemText, toolResults } from '../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];
const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
/** How a model may try to get at a tool. */
const attempts = [
  { how: 'through the bridge', called: through('secret') },
  { how: 'by its name alone', called: call('secret') },
  { how: 'in another spelling', called: through('functions.Secret') },
  { how: 'by the bridge through the bridge', called: through('call_tool', { toolName: 'secret', arguments: {} }) },
  { how: 'by a place of the bridge', called: call('call_tool.0') },
];
/** The ways in which a tool runs that was not sent, each with the attempts that it may answer. */
const ways = [
  { way: "mode: 'call'", options: { mode: 'call' }, tried: attempts, fair: through('get_weather') },
  {
    way: "onMiss: 'run'",
    options: { mode: 'load', onMiss: 'run' },
    tried: attempts
      .filter(({ called }) => called.toolName !== 'call_tool')
      .concat([
        { how: 'in another spelling', called: call('functions.Secret') },
        { how: 'by a place of the search', called: call('search_tools.0') },
      ]),
    fair: call('get_weather'),
  },
] as const;
const phases: readonly ToolSearchFilterPhase[] = ['load', 'active'];
const faults: readonly {
  readonly fault: string;
  readonly filterOf: (phase: ToolSearchFilterPhase) => ToolSearchFilter;
}[] = [
  {
    fault: 'denies',
    filterOf:
      (denied) =>
      ({ toolName, phase }) =>
        toolName !== 'secret' || phase !== denied,
  },
  {
    fault: 'throws',
    filterOf:
      (denied) =>
      ({ toolName, phase }) => {
        if (toolName === 'secret' && phase === denied) throw new Error('no idea');
        return true;
      },
  },
  {
    fault: 'never answers',
    filterOf:
      (denied) =>
      ({ toolName, phase }) =>
        toolName === 'secret' && phase === denied ? new Promise<boolean>(() => {}) : true,
  },
];

describe.each(sizes)('a tool of a $size catalog that the filter does not permit', ({ fillers }) => {
  describe.each(modes)('in %s', (mode) => {
    describe.each(faults)('as it $fault', ({ filterOf }) => {
      it.each(
        ways.flatMap(({ tried, ...way }) =>
          phases.flatMap((phase) => tried.map((attempt) => ({ phase, ...way, ...attempt }))),
        ),
      )('in phase $phase does not run $how, with $way', async ({ phase, called, options, fair }) => {
        const execute = vi.fn(async () => 'ran');
        const made = callRig(
          {
            tools: { ...toolRecord(tool('secret', 'Secret.', { execute }), weather()), ...fillers },
            filter: filterOf(phase),
            timeouts: { filter: 20 },
            ...options,
          },
          calls(called, fair),
        );
        await run(made, mode);
        expect(execute).not.toHaveBeenCalled();
        const [refused, ran] = toolResults(made.model.calls.at(-1)!.prompt);
        expect(JSON.stringify(refused?.value)).toMatch(/not found/);
        expect(ran?.value).toMatchObject({ ran: 'get_weather' });
      });
    });
  });

  it('in phase search is named nowhere, and runs for who knows its exact name', async () => {
    const { agent, model } = callRig(
      {
        tools: { ...toolRecord(tool('secret', 'Secret.'), weather()), ...fillers },
        filter: ({ toolName, phase }) => toolName !== 'secret' || phase !== 'search',
        injectCatalog: 'names',
      },
      calls(
        call('search_tools', { query: 'secret' }),
        call('search_tools', { query: 'select:secret' }),
        through('Secret'),
        through('secrt'),
        through('secret'),
      ),
    );
    await agent.generate('go', { maxSteps: 9 });
    const results = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => JSON.stringify(value));
    for (const result of results.slice(0, 4)) expect(result).not.toMatch(/"secret"|secret\?/);
    expect(results[4]).toContain('"ran":"secret"');
    expect(systemText(model.calls[0]!.prompt)).not.toContain('secret');
    expect(systemText(model.calls[0]!.prompt)).toContain('get_weather');
  });

  it('any more when its call is to run does not run', async () => {
    const execute = vi.fn(async () => 'ran');
    let asked = 0;
    const { agent, model, events } = callRig(
      {
        tools: { ...toolRecord(tool('secret', 'Secret.', { execute })), ...fillers },
        // Permitted as the call is read, and not when it runs.
        filter: ({ phase }) => phase !== 'active' || ++asked === 1,
      },
      calls(through('secret')),
    );
    await agent.generate('go');
    expect(execute).not.toHaveBeenCalled();
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({
      toolName: 'call_tool',
      isError: true,
      value: expect.stringContaining('"secret" is not available'),
    });
    expect(events).toContainEqual({ type: 'call-denied', toolName: 'secret' });
  });

  it('for one user runs for another, on one instance at once', async () => {
    const { agent, model } = callRig(
      {
        tools: { ...toolRecord(tool('secret', 'Secret.')), ...fillers },
        filter: ({ requestContext }) => requestContext?.get('user') === 'ann',
      },
      calls(through('secret')),
    );
    const turns = ['ann', 'bob', 'ann', 'bob'].map((user) =>
      agent.generate(user, { requestContext: new RequestContext([['user', user]]) }),
    );
    await Promise.all(turns);
    const ended = model.calls.filter(({ step }) => step === 1);
    expect(ended).toHaveLength(4);
    for (const { prompt } of ended) {
      const isAnn = JSON.stringify(prompt).includes('"text":"ann"');
      expect(JSON.stringify(lastToolResult(prompt)?.value).includes('"ran":"secret"')).toBe(isAnn);
    }
  });
});

it('runs nothing that is forbidden, whatever a model writes', async () => {
  const random = randomFrom(7);
  const ran: string[] = [];
  const all = realTools().slice(0, 120);
  const tools = Object.fromEntries(
    all.map(({ id, description }) => [id, tool(id, description, { execute: async () => void ran.push(id) })]),
  );
  const names = Object.keys(tools);
  for (let round = 0; round < 60; round++) {
    const forbidden = new Set(names.filter(() => random() < 0.5));
    const denied = pick<ToolSearchFilterPhase>(['load', 'active'], random);
    const name = (): string => {
      const real = pick(names, random);
      const at = Math.floor(random() * real.length);
      const camel = real.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      return pick([real, real, camel, `functions.${real}`, real.slice(0, at) + real.slice(at + 1), `${real} `], random);
    };
    const written = (): { toolName: string; input: unknown } =>
      pick(
        [
          () => through(name()),
          () => call(name()),
          () => ({ toolName: 'call_tool', input: { name: name() } }),
          () => ({ toolName: 'call_tool', input: JSON.stringify({ toolName: name(), arguments: '{}' }) }),
          () => through('call_tool', { toolName: name() }),
        ],
        random,
      )();
    ran.length = 0;
    const { agent } = callRig(
      { tools, filter: ({ toolName, phase }) => phase !== denied || !forbidden.has(toolName) },
      ({ step }) => (step < 3 ? { toolCalls: Array.from({ length: 4 }, written) } : { text: 'done' }),
    );
    await agent.generate('go');
    expect(ran.filter((id) => forbidden.has(id))).toEqual([]);
  }
});

it('tells a request nothing of tools that it may not see', async () => {
  const visible = toolRecord(weather());
  const script = calls(
    call('search_tools', { query: 'email' }),
    through('send_emial'),
    through('sendEmail'),
    call('send_email', { text: 'x' }),
    call('send_email', 'no JSON'),
    call('search_tools', { query: 'select:send_*,send_email' }),
  );
  const forbidding = callRig(
    { tools: { ...visible, ...toolRecord(email()) }, filter: ({ toolName }) => toolName !== 'send_email' },
    script,
  );
  const lacking = callRig({ tools: visible, filter: () => true }, script);
  await forbidding.agent.generate('go');
  await lacking.agent.generate('go');
  const read = ({ model }: typeof lacking): string =>
    JSON.stringify(model.calls.at(-1)!.prompt, (key, value) => (key === 'createdAt' ? undefined : value));
  expect(read(forbidding)).toBe(read(lacking));
});
