import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { run, turn, withMemory } from '../../agent/missed-calls.ts';
import { STEP, traced } from '../../events/traced.ts';
import { call, type Rig, rig, tool, toolRecord } from '../../support/harness.ts';
import { type ModelReply, toolResults } from '../../support/scripted-model.ts';
import { through } from './setup.ts';

type Called = ReturnType<typeof call>;

/** What no text may have: the key of a place for calls of tools that are not sent. */
const PLACE = /(?:search_tools|call_tool)\.\d/;
/** The same, in the list of tools that Mastra tells a model that calls another one. */
const LISTED = new RegExp(`Available tools:[^"]*${PLACE.source}`);
const NAMES = Array.from({ length: 40 }, (_, n) => `tool_${n}`);

const modes: readonly { readonly options: Partial<ToolSearchProcessorOptions>; readonly calling: typeof through }[] = [
  { options: { onMiss: 'run' }, calling: call },
  { options: { mode: 'call', onMiss: 'run' }, calling: through },
  { options: { mode: 'call', onMiss: 'load' }, calling: through },
];
const answers: readonly { readonly what: string; readonly calls: (calling: typeof through) => readonly Called[] }[] = [
  { what: 'one tool and a name that no tool has', calls: (calling) => [calling('tool_0'), call('nope_nope')] },
  { what: 'a name that no tool has and one tool', calls: (calling) => [call('nope_nope'), calling('tool_0')] },
  {
    what: 'one tool and a place',
    calls: (calling) => [calling('tool_0'), call('search_tools.0'), call('call_tool.0')],
  },
  { what: 'one tool and what every object has', calls: (calling) => [calling('tool_0'), call('constructor')] },
  {
    what: 'one tool and forty names that no tool has',
    calls: (calling) => [calling('tool_0'), ...NAMES.map((name) => call(`nope_${name}`))],
  },
  { what: 'forty tools', calls: (calling) => NAMES.map((name) => calling(name)) },
];

/** An agent whose model answers with these calls at once, then one at a time. */
function placesRig(
  options: Partial<ToolSearchProcessorOptions>,
  first: readonly Called[],
  then: readonly Called[],
): Rig & {
  readonly ran: string[];
  readonly events: ToolSearchEvent[];
} {
  const ran: string[] = [];
  const events: ToolSearchEvent[] = [];
  const tools = toolRecord(
    ...NAMES.map((id) => tool(id, `Does ${id}.`, { execute: async () => ({ ran: ran.push(id) }) })),
  );
  const script = ({ step }: { step: number }): ModelReply => {
    const calls = step === 0 ? first : then.slice(step - 1, step);
    return calls.length > 0 ? { toolCalls: [...calls] } : { text: 'done' };
  };
  const setup = { script, agent: withMemory() };
  return { ...rig({ tools, onEvent: (event) => events.push(event), ...options }, setup), ran, events };
}

describe.each(modes)('with $options', ({ options, calling }) => {
  describe.each(answers)('an answer that calls $what', ({ what, calls }) => {
    it.each(['generate', 'stream', 'durable'] as const)('names no place anywhere (%s)', async (mode) => {
      const made = placesRig(options, calls(calling), [calling('tool_1')]);
      await run(made, mode, turn);
      const memory = await made.agent.getMemory();
      const stored = await memory?.recall({ threadId: 't', resourceId: 'r' });
      // A model may have written the name itself.
      const inner = what.endsWith('place') ? LISTED : PLACE;
      const results = made.model.calls.map(({ prompt }) => toolResults(prompt));
      for (const said of [results, made.events, stored]) expect(JSON.stringify(said)).not.toMatch(inner);
      expect(JSON.stringify(made.model.calls.map(({ tools }) => tools))).not.toMatch(PLACE);
      expect(JSON.stringify(stored)).toContain('done');
      // Nothing is lost for the steps that follow.
      expect(made.ran).toContain('tool_1');
      // Beyond so many names, a DurableAgent runs no missed call at once.
      if (!(what.includes('forty names') && mode === 'durable' && options.mode !== 'call'))
        expect(made.ran).toContain('tool_0');
      expect(made.model.calls).toHaveLength(3);
    });
  });

  it('names no place in spans and chunks of a run that misses tools', async () => {
    const made = placesRig(options, [calling('tool_0'), call('nope_nope')], [calling('tool_1')]);
    const { agent, spans } = traced(made.agent);
    const { fullStream } = await agent.stream('go', turn as never);
    const chunks: unknown[] = [];
    for await (const chunk of fullStream as AsyncIterable<unknown>) chunks.push(chunk);
    expect(JSON.stringify(chunks)).not.toMatch(PLACE);
    // Mastra writes what a processor returns into the span of that.
    const others = (await spans()).filter(({ name }) => name !== STEP);
    const said = others.map(({ name, input, output, attributes, errorInfo }) => [
      name,
      input,
      output,
      attributes,
      errorInfo,
    ]);
    expect(JSON.stringify(said)).not.toMatch(PLACE);
  });
});
