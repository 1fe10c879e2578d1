import type { ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { EXECUTIONS } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];
const forms = EXECUTIONS.flatMap((execution) => kinds.map((kind) => ({ kind, execution })));

// What holds in every mode is in test/modes.
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
    const isSent = execution === 'server' || (kind === 'anthropic' && execution === 'client');
    expect(asked).toBeLessThan(301 * (isSent ? 3 : 1) + 60);
    if (isSent) expect(there.sent.at(-1)?.deferred.length).toBe(304);
  });
});
