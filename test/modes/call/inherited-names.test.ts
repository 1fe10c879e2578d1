import { describe, expect, it } from 'vitest';
import { type Mode, run } from '../../agent/missed-calls.ts';
import { call, calls, fillerTools, tool, weather } from '../../support/harness.ts';
import { toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

const NAMES = ['constructor', 'toString', 'hasOwnProperty'];
const named = (name: string) => Object.fromEntries([[name, tool(name, 'Subject.')]]);
const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];

describe.each(sizes)('in a $size catalog', ({ fillers }) => {
  describe.each(NAMES)('a tool called %s, as something of every object is,', (name) => {
    const written = { text: 'x' };

    it.each(modes)('runs through the bridge, in %s', async (mode) => {
      const tools = { ...named(name), ...fillers };
      const made = callRig({ tools }, calls(through(name, written), call(name, written)));
      await run(made, mode);
      const results = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value);
      expect(results).toEqual(Array(2).fill({ ran: name, input: written }));
    });

    it("is loaded with onMiss: 'run', and runs then", async () => {
      const tools = { ...named(name), ...fillers };
      const made = callRig({ tools, mode: 'load', onMiss: 'run' }, calls(call(name, written), call(name, written)));
      await made.agent.generate('go');
      expect(toolResults(made.model.calls.at(-1)!.prompt).at(-1)?.value).toEqual({ ran: name, input: written });
    });
  });

  describe.each([...NAMES, '__proto__'])('a call of %s, which is no tool,', (name) => {
    it.each(modes)('is answered, in %s', async (mode) => {
      const ways = [
        { options: {}, written: [through(name), call(name)] },
        { options: { mode: 'load', onMiss: 'run' }, written: [call(name)] },
      ];
      for (const { options, written } of ways) {
        const tools = { get_weather: weather(), ...fillers };
        const made = callRig({ tools, ...options } as never, calls(...written));
        await run(made, mode);
        const results = toolResults(made.model.calls.at(-1)!.prompt);
        expect(results).toHaveLength(written.length);
        for (const { value } of results) expect(JSON.stringify(value)).toMatch(/not found/);
      }
    });
  });
});
