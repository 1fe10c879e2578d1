import {
  type MastraTool,
  type ToolSearchProcessor as Processor,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  call,
  calls,
  inThread,
  load,
  META,
  newMemory,
  type Rig,
  type RigOptions,
  rig,
  runDurable,
  SIZES,
  tool,
  toolRecord,
} from '../support/harness.ts';
import { lastToolResult, toolNames } from '../support/scripted-model.ts';

/** An agent whose processors are made anew whenever Mastra asks for them. */
function perRequest(make: () => ToolSearchProcessorOptions, setup: RigOptions = {}): Rig & { made: () => number } {
  let made = 0;
  const inputProcessors = () => {
    made += 1;
    return [new ToolSearchProcessor(make())];
  };
  return { ...rig({ tools: {} }, { ...setup, agent: { ...setup.agent, inputProcessors } }), made: () => made };
}

describe.each(SIZES)('processors that are made for each request, over a $size catalog,', ({ fillers }) => {
  const catalog = (...tools: MastraTool[]) => ({ ...toolRecord(...tools), ...fillers });
  const visible = ({ toolName }: { toolName: string }) => !toolName.startsWith('secret');

  it('send what is loaded and allowed, and nothing else, in every step of every turn', async () => {
    const tools = catalog(tool('subject'), tool('secret_admin'), tool('other'));
    const { agent, model, made } = perRequest(() => ({ tools, filter: visible, storage: 'context' }), {
      script: calls(load('subject'), call('subject', { text: 'x' }), load('secret_admin'), call('secret_admin')),
      agent: { memory: newMemory() },
    });
    await agent.generate('go', { ...inThread, maxSteps: 6 });
    await agent.generate('again', { ...inThread, maxSteps: 6 });
    expect(made()).toBeGreaterThan(3);
    const sent = model.calls.map(toolNames);
    expect(sent[0]).toEqual(META);
    expect(new Set(sent.slice(1).map(String))).toEqual(new Set([[...META, 'subject'].join()]));
    expect(JSON.stringify(model.calls)).not.toContain('secret_admin description');
    expect(model.result(2, 'subject')).toMatchObject({ ran: 'subject' });
    expect(lastToolResult(model.calls.at(-1)!.prompt, 'secret_admin')?.isError).toBe(true);
  });

  it('send a loaded tool like an agent’s own, with its schema, its hooks and the id of the agent', async () => {
    const execute = vi.fn(async (_input: unknown, _context: never) => 'ran');
    const seen: string[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(toolName) };
    const script = calls(load('subject'), call('subject', { text: 'x' }));
    for (const agentHooks of [{}, { hooks }]) {
      const { agent } = perRequest(() => ({ tools: catalog(tool('subject', 'Subject.', { execute })) }), {
        script,
        agent: agentHooks as never,
      });
      await agent.generate('go');
    }
    expect(seen).toContain('subject');
    expect(execute.mock.calls[0]?.[1]).toMatchObject({ agent: { agentId: 'test-agent' } });
    expect(execute).toHaveBeenCalledTimes(2);
  });

  it('search, load and guard in a DurableAgent', async () => {
    const tools = catalog(tool('subject'), tool('secret_admin'));
    const { agent, model } = perRequest(() => ({ tools, filter: visible }), {
      script: calls(load('subject'), call('subject'), call('secret_admin')),
    });
    expect(await runDurable(agent, 'go')).toBe('done');
    expect(model.calls.map(toolNames)).toEqual([META, ...Array.from({ length: 3 }, () => [...META, 'subject'])]);
    const { value, isError } = lastToolResult(model.calls.at(-1)!.prompt)!;
    expect(isError).toBe(true);
    expect(String(value)).not.toContain('Available tools: secret');
  });

  it('search the agent’s own tools as well, and guard them', async () => {
    const { agent, model } = perRequest(
      () => ({ tools: catalog(tool('subject')), includeResolvedTools: true, filter: visible }),
      {
        script: calls(load('own'), call('own'), load('secret_own'), call('secret_own'), load('subject')),
        agent: { tools: { own: tool('own'), secret_own: tool('secret_own') } },
      },
    );
    await agent.generate('go', { maxSteps: 8 });
    expect(model.calls.map(toolNames)[0]).toEqual(META);
    expect(new Set(model.sent())).toEqual(new Set([...META, 'own', 'subject']));
    expect(model.result(2)).toMatchObject({ ran: 'own' });
  });
});

it('a processor that a function returns for each request works as one that is given at once', async () => {
  const processor = new ToolSearchProcessor({ tools: () => toolRecord(tool('subject'), tool('other')) });
  const { agent, model } = rig(
    { tools: {} },
    { script: calls(load('subject'), call('subject')), agent: { inputProcessors: () => [processor] } },
  );
  await agent.generate('go');
  expect(model.calls.map(toolNames)).toEqual([META, [...META, 'subject'], [...META, 'subject']]);
  expect(model.result()).toMatchObject({ ran: 'subject' });
});

/** Two copies of the package in one process, as ESM and CommonJS, or two versions, are. */
let copies: readonly (typeof Processor)[];
beforeAll(async () => {
  const load = async () => {
    vi.resetModules();
    return (await import('../../src/index.ts')).ToolSearchProcessor;
  };
  copies = [await load(), await load()];
});

const OTHER_META = ['find_work', 'take_work'];
const metaTools = { search: { name: 'find_work' }, load: { name: 'take_work' } };

describe.each(SIZES)('two copies of the package, over a $size catalog,', ({ fillers }) => {
  const tools = () => ({ ...toolRecord(tool('subject')), ...fillers });
  const work = () => ({ ...toolRecord(tool('create_issue')), ...fillers });

  it('recognise what the other one handed over, where Mastra asks one for tools and the other for steps', async () => {
    expect(copies[0]).not.toBe(copies[1]);
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
    expect(model.result()).toMatchObject({ ran: 'subject' });
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
    expect(new Set(model.sent(0))).toEqual(new Set([...META, ...OTHER_META]));
    expect(new Set(model.sent())).toEqual(new Set([...META, ...OTHER_META, 'subject', 'create_issue']));
    expect(seen).toEqual(['create_issue', 'subject']);
  });
});
