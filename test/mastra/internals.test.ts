import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Agent } from '@mastra/core/agent';
import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { expect, it, onTestFinished, vi } from 'vitest';
import { call, calls, email, rig, toolRecord, weather } from '../support/harness.ts';

it('quotes lines that stand in the installed @mastra/core', () => {
  const source = readFileSync('src/mastra/internals.ts', 'utf8');
  const quotes = [...source.matchAll(/```js\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  const lines = quotes
    .map((line) => line.replace(/^ \*\s*/, ''))
    .filter((line) => line !== '' && !line.startsWith('//'));
  expect(lines.length).toBeGreaterThan(5);
  const dist = 'node_modules/@mastra/core/dist';
  const files = readdirSync(dist).filter((file) =>
    /^(?:agent-|create-durable|utils-|trip-wire|toolchecks|tools?-|validation).*\.js$/.test(file),
  );
  const code = files.map((file) => readFileSync(path.join(dist, file), 'utf8')).join('\n');
  expect(lines.filter((line) => !code.includes(line))).toEqual([]);
});

/** What an agent in call mode, or with tools that run on a miss, reports in a process where Agent is this class. */
async function run(options: Partial<ToolSearchProcessorOptions>, ofActual: (actual: typeof Agent) => typeof Agent) {
  vi.resetModules();
  vi.doMock('@mastra/core/agent', async (original) => {
    const actual = await original<typeof import('@mastra/core/agent')>();
    return { ...actual, Agent: ofActual(actual.Agent) };
  });
  onTestFinished(() => {
    vi.doUnmock('@mastra/core/agent');
    vi.resetModules();
  });
  const events: ToolSearchEvent[] = [];
  const { ToolSearchProcessor } = await import('../../src/index.ts');
  const tools = toolRecord(weather(), email());
  const processor = new ToolSearchProcessor({ tools, ...options, onEvent: (event) => void events.push(event) });
  const script = calls(call('get_weather', { city: 'Bern' }), call('get_weather', { city: 'Bern' }));
  const { agent, model } = rig({ tools }, { script, agent: { inputProcessors: [processor as never] } });
  await agent.generate('go');
  return { model, off: events.filter(({ type }) => type === 'call-off') };
}

it.each<Partial<ToolSearchProcessorOptions>>([{ mode: 'call' }, { onMiss: 'run' }])(
  'is checked without a word on the console, and where it has changed, load mode is taken, which is said once: %j',
  async (options) => {
    const words = (['error', 'warn', 'info', 'log'] as const).map((kind) => vi.spyOn(console, kind));
    expect((await run(options, (actual) => actual)).off).toEqual([]);
    expect(words.flatMap(({ mock }) => mock.calls)).toEqual([]);
    vi.restoreAllMocks();

    const { model, off } = await run(options, (actual) => {
      class Changed extends actual {
        override stream(): never {
          throw new Error('no such method');
        }
      }
      return Changed as never;
    });
    expect([model.sent(0), model.sent(1).includes('get_weather')]).toEqual([['search_tools', 'load_tool'], true]);
    expect(off).toMatchObject([{ error: { message: expect.stringContaining('@mastra/core has changed') } }]);
  },
);
