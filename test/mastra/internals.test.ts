import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { call, calls, email, rig, toolRecord, weather } from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';

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

it('is checked without a word on the console', async () => {
  const words = (['error', 'warn', 'info', 'log'] as const).map((kind) => vi.spyOn(console, kind));
  vi.resetModules();
  const { internalsFault } = await import('../../src/mastra/internals.ts');
  expect(await internalsFault()).toBeUndefined();
  expect(words.flatMap(({ mock }) => mock.calls)).toEqual([]);
  vi.restoreAllMocks();
});

describe('where the inside of Mastra has changed', () => {
  afterEach(() => {
    vi.doUnmock('@mastra/core/agent');
    vi.resetModules();
  });

  /** An agent of a process whose check of Mastra's inside fails. */
  async function changed(options: Partial<ToolSearchProcessorOptions>, script: ReturnType<typeof calls>) {
    const events: ToolSearchEvent[] = [];
    vi.resetModules();
    vi.doMock('@mastra/core/agent', async (original) => {
      const actual = await original<typeof import('@mastra/core/agent')>();
      class Changed extends actual.Agent {
        override stream(): never {
          throw new Error('no such method');
        }
      }
      return { ...actual, Agent: Changed };
    });
    const { ToolSearchProcessor } = await import('../../src/index.ts');
    const tools = toolRecord(weather(), email());
    const processor = new ToolSearchProcessor({ tools, ...options, onEvent: (event) => void events.push(event) });
    return { ...rig({ tools }, { script, agent: { inputProcessors: [processor as never] } }), events };
  }

  it.each<{ options: Partial<ToolSearchProcessorOptions> }>([
    { options: { mode: 'call' } },
    { options: { onMiss: 'run' } },
  ])('takes load mode, and says so once: $options', async ({ options }) => {
    const made = await changed(
      options,
      calls(call('get_weather', { city: 'Bern' }), call('get_weather', { city: 'Bern' })),
    );
    await made.agent.generate('go');
    expect(toolNames(made.model.calls[0]!)).toEqual(['search_tools', 'load_tool']);
    expect(toolNames(made.model.calls[1]!)).toContain('get_weather');
    const off = made.events.filter(({ type }) => type === 'call-off');
    expect(off).toHaveLength(1);
    expect(String((off[0] as { error?: unknown }).error)).toContain('@mastra/core has changed');
  });
});
