import type { MastraTool, ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import { message, text } from './fakes/fake-provider.ts';
import { executions, runAnthropic, runOpenAI } from './rig/package-runs.ts';

const many = (count: number, server = 'crm'): Record<string, MastraTool> =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`${server}_${n}`, `Does ${server} ${n}.`)));
const byPrefix = ({ id }: MastraTool): string | undefined => id.split('_')[0];

const problemsOf = (events: readonly ToolSearchEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-problem' ? [event] : []));
const openai = async (options: Partial<ToolSearchProcessorOptions>, turns = ['hi', 'and again']) => {
  const run = await runOpenAI(
    'openai 4',
    ({ index }) => ({ content: [message(index, 'Done.')] }),
    {
      tools: many(10),
      mode: 'native',
      ...options,
    },
    { turns },
  );
  expect(run.bodies).toHaveLength(turns.length);
  return problemsOf(run.events);
};

describe('a namespace of ten functions or more', () => {
  it.each(executions)('is reported once, over all requests: %s', async (execution) => {
    const problems = await openai({ native: { execution, namespace: byPrefix } });
    expect(problems).toMatchObject([{ toolName: 'crm', problem: 'crowded-namespace' }]);
    expect(problems[0]!.message).toContain('"crm" has 10 functions');
    expect(problems[0]!.message).toContain('native.namespace');
  });

  it('is reported for the groups that are namespaces by default', async () => {
    const problems = await openai({ native: { execution: 'server' }, groups: byPrefix });
    expect(problems.map(({ toolName }) => toolName)).toEqual(['crm']);
  });

  it('is reported once for each of several', async () => {
    const tools = { ...many(12), ...many(11, 'erp'), ...many(9, 'small') };
    const problems = await openai({ tools, native: { execution: 'server', namespace: byPrefix } });
    expect(problems.map(({ toolName }) => toolName)).toEqual(['crm', 'erp']);
  });

  it.each([
    { why: 'nine functions', options: { tools: many(9), native: { execution: 'server', namespace: byPrefix } } },
    { why: 'no namespaces', options: { native: { execution: 'server', namespace: false } } },
    { why: 'no namespaces by default', options: { native: { execution: 'client' }, groups: byPrefix } },
    {
      why: 'fewer that the filter permits',
      options: {
        tools: many(12),
        native: { execution: 'server', namespace: byPrefix },
        filter: ({ toolName }: { toolName: string }) => toolName < 'crm_3',
      },
    },
  ] as const)('is not reported with $why', async ({ options }) => {
    expect(await openai(options as Partial<ToolSearchProcessorOptions>)).toEqual([]);
  });

  it('is not reported for Anthropic, which has none', async () => {
    const options = { tools: many(12), mode: 'native', native: { execution: 'server', namespace: byPrefix } } as const;
    const { events, text: said } = await runAnthropic('anthropic 4', () => ({ content: [text('Done.')] }), options);
    expect(said).toBe('Done.');
    expect(problemsOf(events)).toEqual([]);
  });
});
