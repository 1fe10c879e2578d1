import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilter, ToolSearchFilterPhase } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, tool, toolRecord } from '../../support/agent.ts';
import { lastToolResult, systemText } from '../../support/scripted-model.ts';
import { ASKS_FOR_WEATHER, inThread, MODES, office, officeWith } from './office.ts';

const PHASES: readonly ToolSearchFilterPhase[] = ['search', 'load', 'active'];
/** A filter of the weather alone. */
const filterOf =
  (isAllowed: (phase: string, user?: unknown) => boolean): ToolSearchFilter =>
  ({ toolName, phase, requestContext }) =>
    toolName !== 'get_weather' || isAllowed(phase, requestContext?.get('user'));

describe.each(
  PHASES.flatMap((denied) => [
    { denied, of: 'the constructor' },
    { denied, of: 'the agent' },
  ]),
)('a tool of $of that the phase $denied denies', ({ denied, of }) => {
  const start = (filter: ToolSearchFilter, tools = office(), toolCalls: ReturnType<typeof call>[] = []) => {
    const isOwn = of === 'the agent';
    const options = { filter, onMiss: 'error' as const, tools: isOwn ? {} : tools, includeResolvedTools: isOwn };
    return officeWith(options, calls(...toolCalls), isOwn ? { tools } : {});
  };

  it('is not preselected, does not run, leaves no trace, and its place to the next one', async () => {
    const more = { ...office(), ...toolRecord(tool('get_forecast', 'Get the current weather of a city.')) };
    for (const mode of MODES) {
      const filter = filterOf((phase) => phase !== denied);
      const { say, model, decisions } = start(filter, more, [call('get_weather')]);
      expect(await say(ASKS_FOR_WEATHER, {}, mode)).toEqual([['get_forecast'], ['get_forecast']]);
      expect(lastToolResult(model.calls[1]!.prompt)?.isError).toBe(true);
      expect(JSON.stringify(decisions())).not.toContain('get_weather');
      expect(systemText(model.calls[0]!.prompt)).not.toContain('get_weather');
    }
  });

  it('is preselected for those only who may have it', async () => {
    const { say } = start(filterOf((phase, user) => phase !== denied || user === 'ada'));
    const sent = [];
    for (const user of ['ada', 'eve', 'ada']) {
      const requestContext = new RequestContext<unknown>([['user', user]]);
      sent.push(...(await say(ASKS_FOR_WEATHER, { requestContext, ...inThread('t') })));
    }
    expect(sent).toEqual([['get_weather'], [], ['get_weather']]);
  });
});

describe('a right that changes in a run', () => {
  it.each<[isAllowed: (step: number) => boolean, isSent: boolean[]]>([
    [(step) => step < 1, [true, false, false]],
    [(step) => step >= 1, [false, false, false]],
  ])('takes the tool away when it goes, and does not bring it when it comes: %s', async (isAllowed, isSent) => {
    let step = 0;
    const { say } = officeWith({ filter: filterOf(() => isAllowed(step)) }, (received) => {
      step = received.step + 1;
      return step < 3 ? { toolCalls: [call('list_holidays')] } : { text: 'done' };
    });
    const sent = await say(ASKS_FOR_WEATHER);
    expect(sent.map((names) => names.includes('get_weather'))).toEqual(isSent);
  });

  it('does not let a call run that was made before it went', async () => {
    let isAllowed = true;
    const { say, model, events } = officeWith({ filter: filterOf(() => isAllowed) }, (received) => {
      isAllowed = false;
      return calls(call('get_weather'))(received);
    });
    await say(ASKS_FOR_WEATHER);
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: true });
    expect(events).toContainEqual({ type: 'call-denied', toolName: 'get_weather' });
  });
});
