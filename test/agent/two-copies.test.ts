import type { ToolSearchProcessor as Processor } from 'mastra-tool-search';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call, calls, fillerTools, load, rig, tool, toolRecord } from '../support/harness.ts';
import { lastToolResult, toolNames } from '../support/scripted-model.ts';

/** Two copies of the package in one process, as ESM and CommonJS, or two versions, are. */
let copies: readonly (typeof Processor)[];
beforeAll(async () => {
  const load = async () => {
    vi.resetModules();
    return (await import('../../src/index.ts')).ToolSearchProcessor;
  };
  copies = [await load(), await load()];
});

const META = ['search_tools', 'load_tool'];
const OTHER_META = ['find_work', 'take_work'];
const metaTools = { search: { name: 'find_work' }, load: { name: 'take_work' } };

describe.each([
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
])('two copies of the package, over a $size catalog,', ({ fillers }) => {
  const tools = () => ({ ...toolRecord(tool('subject')), ...fillers });
  const work = () => ({ ...toolRecord(tool('create_issue')), ...fillers });

  it('have two classes', () => {
    expect(copies[0]).not.toBe(copies[1]);
  });

  it('recognise what the other one handed over, where Mastra asks one for tools and the other for steps', async () => {
    let turn = 0;
    const inputProcessors = () => {
      const Copy = copies[turn++ % 2]!;
      return [new Copy({ tools: tools() })];
    };
    const { agent, model } = rig(
      { tools: {} },
      { script: calls(load('subject'), call('subject')), agent: { inputProcessors } },
    );
    for (let run = 0; run < 2; run++) {
      await agent.generate('go');
      turn += 1;
    }
    const run = [META, [...META, 'subject'], [...META, 'subject']];
    expect(model.calls.map(toolNames)).toEqual([...run, ...run]);
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'subject' });
  });

  it.each([0, 1])('work side by side on one agent, copy %d first', async (first) => {
    const [One, Other] = [copies[first]!, copies[1 - first]!];
    const seen: string[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(toolName) };
    const { agent, model } = rig(
      { tools: {} },
      {
        script: calls(
          load('subject'),
          call('take_work', { toolName: 'create_issue' }),
          call('create_issue'),
          call('subject'),
        ),
        agent: {
          hooks,
          inputProcessors: [
            new One({ tools: tools() }),
            new Other({ tools: work(), metaTools, includeResolvedTools: true }),
          ],
        } as never,
      },
    );
    await agent.generate('go', { maxSteps: 8 });
    expect(new Set(toolNames(model.calls[0]!))).toEqual(new Set([...META, ...OTHER_META]));
    expect(new Set(toolNames(model.calls.at(-1)!))).toEqual(
      new Set([...META, ...OTHER_META, 'subject', 'create_issue']),
    );
    expect(seen).toEqual(['create_issue', 'subject']);
  });
});
