import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilter, ToolSearchFilterPhase } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, tool, toolRecord } from '../../support/harness.ts';
import { lastToolResult, systemText } from '../../support/scripted-model.ts';
import { ASKS_FOR_WEATHER, inThread, MODES, office, officeWith, withMemory } from './office.ts';

const PHASES: readonly ToolSearchFilterPhase[] = ['search', 'load', 'active'];

/** The processor's tools, and the agent's own. */
const SOURCES = [
  { of: 'the constructor', options: {}, agent: {} },
  { of: 'the agent', options: { tools: {}, includeResolvedTools: true }, agent: { tools: office() } },
];
const CASES = SOURCES.flatMap((source) => PHASES.map((denied) => ({ ...source, denied })));

describe.each(CASES)('a tool of $of that the phase $denied denies', ({ denied, options, agent }) => {
  const filter: ToolSearchFilter = ({ toolName, phase }) => toolName !== 'get_weather' || phase !== denied;

  it.each(MODES)('is not preselected, does not run, and leaves no trace, in %s', async (mode) => {
    const { say, model, decisions } = officeWith({ filter, onMiss: 'error', ...options }, ['get_weather'], { agent });
    const steps = await say(ASKS_FOR_WEATHER, {}, mode);
    expect(steps.flat()).not.toContain('get_weather');
    expect(lastToolResult(model.calls[1]!.prompt)?.isError).toBe(true);
    expect(JSON.stringify(decisions())).not.toContain('get_weather');
    expect(systemText(model.calls[0]!.prompt)).not.toContain('get_weather');
  });

  it('leaves its place to the next one', async () => {
    const tools = { ...office(), ...toolRecord(tool('get_forecast', 'Get the current weather of a city.')) };
    const isOwn = 'includeResolvedTools' in options;
    const { say } = officeWith({ tools, filter, ...options }, [], { agent: isOwn ? { tools } : {} });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([['get_forecast']]);
  });

  it('is preselected for those only who may have it', async () => {
    const forAda: ToolSearchFilter = ({ toolName, phase, requestContext }) =>
      toolName !== 'get_weather' || phase !== denied || requestContext?.get('user') === 'ada';
    const { say } = officeWith({ filter: forAda, ...options }, [], { agent: { ...agent, ...withMemory() } });
    const as = (user: string): object => ({ requestContext: new RequestContext<unknown>([['user', user]]) });
    const sent = [];
    for (const user of ['ada', 'eve', 'ada'])
      sent.push(...(await say(ASKS_FOR_WEATHER, { ...as(user), ...inThread('t') })));
    expect(sent).toEqual([['get_weather'], [], ['get_weather']]);
  });
});

describe('a right that changes in a run', () => {
  /** What the steps of a run are sent when the right is there at the first one, or comes after it. */
  const steps = (isAllowed: (step: number) => boolean, phases: readonly ToolSearchFilterPhase[]) => {
    let step = 0;
    const made = officeWith(
      { filter: ({ toolName, phase }) => toolName !== 'get_weather' || !phases.includes(phase) || isAllowed(step) },
      [],
      {
        script: (received) => {
          step = received.step + 1;
          return step < 3 ? { toolCalls: [call('list_holidays')] } : { text: 'done' };
        },
      },
    );
    return made.say(ASKS_FOR_WEATHER);
  };

  it('takes the tool away when it goes, and does not bring it when it comes', async () => {
    const isSent = (sent: string[][]) => sent.map((names) => names.includes('get_weather'));
    expect(isSent(await steps((step) => step < 1, PHASES))).toEqual([true, false, false]);
    expect(isSent(await steps((step) => step >= 1, PHASES))).toEqual([false, false, false]);
  });

  it('does not let a call run that was made before it went', async () => {
    let isAllowed = true;
    const { say, model, events } = officeWith(
      { filter: ({ toolName }) => toolName !== 'get_weather' || isAllowed },
      [],
      {
        script: ({ step }) => {
          isAllowed = false;
          return step === 0 ? { toolCalls: [call('get_weather')] } : { text: 'done' };
        },
      },
    );
    await say(ASKS_FOR_WEATHER);
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: true });
    expect(events).toContainEqual({ type: 'call-denied', toolName: 'get_weather' });
  });
});

describe('a filter that is at fault', () => {
  const fail = (): never => {
    throw new Error('no database');
  };
  it.each<[how: string, filter: ToolSearchFilter]>([
    ['throws', fail],
    ['rejects', async () => fail()],
  ])('that %s lets nothing be preselected', async (_, filter) => {
    const { say, decisions } = officeWith({ filter });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([[]]);
    expect(decisions()).toEqual([{ tools: [], reason: 'no-match' }]);
  });

  it('that is slow lets the run go on without, and the tool still be found', async () => {
    const filter = (): Promise<boolean> => new Promise((resolve) => setTimeout(() => resolve(true), 300));
    const { say, decisions } = officeWith({ filter, timeouts: { preselect: 50 } });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([[]]);
    expect(decisions()).toEqual([{ tools: [], reason: 'timeout' }]);
  });
});
