// Tools whose schemas providers refuse reach the model in every mode, over the real provider packages.
import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { createTool } from '@mastra/core/tools';
import { expect, it } from 'vitest';
import { type Execution, goalRig, say } from '../native/rig/rig.ts';
import { serviceOf } from '../native/rig/services.ts';
import { email, type MastraTool, toolRecord, weather } from '../support/harness.ts';
import { type Provider, REFUSED_KINDS, type RefusedKind, refuseSchemas } from '../support/strict-schemas.ts';

interface Way {
  readonly way: string;
  readonly mode: 'load' | 'native';
  readonly execution?: Execution;
  readonly processor?: Partial<ToolSearchProcessorOptions>;
}

const WAYS: readonly Way[] = [
  { way: 'load', mode: 'load' },
  { way: 'load with autoLoad', mode: 'load', processor: { search: { autoLoad: true } } },
  { way: 'load, sent whole', mode: 'load', processor: { passthroughBelow: 50 } as never },
  { way: 'load, pinned', mode: 'load', processor: { alwaysLoaded: ['bad_tool'] } },
  { way: 'load, preselected', mode: 'load', processor: { preselect: true, timeouts: { preselect: 10_000 } } },
  { way: 'native, client', mode: 'native', execution: 'client' },
  { way: 'native, server', mode: 'native', execution: 'server' },
  { way: 'native, append', mode: 'native', execution: 'append' },
];
const CASES = (['anthropic', 'openai'] as const).flatMap((provider) => WAYS.map((way) => ({ provider, ...way })));

it.each(CASES)('$provider, $way', async ({ provider, mode, execution = 'client', processor }) => {
  for (const kind of REFUSED_KINDS.filter(({ isKnown }) => isKnown)) {
    const ran: unknown[] = [];
    const refusals: unknown[] = [];
    const service = serviceOf(provider, (sent) => {
      const error = refuseSchemas(sent.body!);
      if (error) refusals.push(error);
      return error;
    });
    const bad = createTool({ id: 'bad_tool', description: 'Does bad tool.', inputSchema: kind.inputSchema as never, execute: async (input: unknown) => { ran.push(input); return { ok: true }; } } as never) as MastraTool;
    const rig = goalRig({ dialect: provider, execution }, { mode, service, tools: toolRecord(weather(), email(), bad), ...(processor ? { processor } : {}) });
    const { text } = await say(rig.agent, 'generate', 'use bad_tool', { maxSteps: 12 });
    expect([kind.kind, refusals, text, ran.length, rig.faults()]).toEqual([kind.kind, [], 'done', 1, []]);
  }
});
