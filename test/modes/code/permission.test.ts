import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { memoryStore } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { recordingTool } from '../../native/rig/world.ts';
import { approve, call, calls, fillerTools, inMastra, newMemory, rig, tool, toolRecord } from '../../support/agent.ts';
import { type Answer, codeRun, program, search, transport } from './setup.ts';

const told = (code: string): string =>
  `return await (async () => { ${code} })().then(() => 'ran', (error) => error.message)`;
const NONE = 'Find functions with search_tools, then write the program anew.';

it.each(['search', 'load', 'active'] as const)(
  'a tool that is forbidden in %s looks like one that nobody has',
  async (denied) => {
    const ran: string[] = [];
    const { answer } = await codeRun(
      {
        tools: toolRecord(recordingTool(ran, 'pay_bill'), recordingTool(ran, 'get_bill')),
        filter: ({ toolName, phase }) => toolName !== 'pay_bill' || phase !== denied,
      },
      [
        `const told = [];
       for (const name of ['pay_bill', 'pay_pill']) await external(name, {}).catch((error) => told.push(error.message.replace(name, '*')));
       await external_pay_bill({}).catch((error) => told.push(error.message.replace('pay_bill', '*')));
       return [...told, (await external_get_bill({})).ran];`,
      ],
    );
    const same = `There is no function for "*". ${NONE}`;
    expect(answer.result).toEqual([same, same, same, 'get_bill']);
    expect(ran).toEqual(['get_bill']);
  },
);

it('asks the filter at each call: a right that goes in mid-program is gone', async () => {
  const ran: string[] = [];
  let isOpen = true;
  const closing = tool('close', 'Closes.', { execute: async () => (isOpen = false) });
  const { answer } = await codeRun(
    {
      tools: toolRecord(recordingTool(ran, 'pay_bill'), closing),
      filter: ({ toolName }) => toolName !== 'pay_bill' || isOpen,
    },
    [
      search('pay bill'),
      `await external_pay_bill({}); await external_close({}); ${told('await external_pay_bill({})')}`,
    ],
  );
  expect(answer.result).toContain('There is no function');
  expect(ran).toEqual(['pay_bill']);
});

it('gives two users at once what each may use', async () => {
  const ran: string[] = [];
  const users = ['ann', 'bob'].map((user) => new RequestContext([['user', user]]));
  const tools = toolRecord(recordingTool(ran, 'of_ann'), recordingTool(ran, 'of_bob'));
  const answers = await Promise.all(
    users.map((requestContext) =>
      codeRun(
        { tools, filter: ({ toolName, requestContext: of }) => toolName === `of_${String(of?.get('user' as never))}` },
        [
          `const may = [];
           for (const name of ['of_ann', 'of_bob']) await external(name, {}).then(() => may.push(name), () => {});
           return may;`,
        ],
        { run: { requestContext } },
      ),
    ),
  );
  expect(answers.map(({ answer }) => answer.result)).toEqual([['of_ann'], ['of_bob']]);
  expect(ran.toSorted()).toEqual(['of_ann', 'of_bob']);
});

it('leaves an approval to a call of the tool itself, for which it is loaded', async () => {
  const ran: string[] = [];
  const paying = tool('pay_bill', 'Pay a bill.', {
    execute: async () => ran.push('pay_bill'),
    requireApproval: async () => true,
  });
  const memory = newMemory();
  const made = await codeRun(
    { tools: { ...toolRecord(paying), ...fillerTools(3) } },
    [told('await external_pay_bill({})'), call('pay_bill')],
    {
      agent: { memory } as never,
      run: { memory: { thread: 't', resource: 'r' } },
    },
  );
  expect(ran).toEqual([]);
  const { events, model } = made;
  expect(events).toContainEqual(expect.objectContaining({ type: 'load-on-miss', loaded: 'pay_bill' }));
  expect(model.sent(0)).toEqual(['search_tools', 'execute_typescript']);
  expect(model.sent(1)).toEqual(['search_tools', 'execute_typescript', 'pay_bill']);
  expect(JSON.stringify(model.calls[1]!.prompt)).toContain(
    'It is in your list from your next turn on: call it directly',
  );
});

it('runs the approved call of such a tool', async () => {
  const ran: string[] = [];
  const paying = tool('pay_bill', 'Pay a bill.', { execute: async () => ran.push('pay_bill'), requireApproval: true });
  const script = calls(program(told('await external_pay_bill({})')), call('pay_bill'));
  const options = { tools: toolRecord(paying), mode: 'code', code: { transport } } as const;
  const { agent, model } = rig(options, { script, agent: { memory: newMemory() } });
  inMastra(agent);
  const waiting = await agent.generate('go', { memory: { thread: 't', resource: 'r' }, maxSteps: 4 } as never);
  expect(waiting.finishReason).toBe('suspended');
  expect(ran).toEqual([]);
  await approve(agent, waiting as never);
  expect(ran).toEqual(['pay_bill']);
  expect(model.sent(-1)).toContain('pay_bill');
});

it('asks for the approval that the whole run wants', async () => {
  const ran: string[] = [];
  const { answer } = await codeRun(
    { tools: toolRecord(recordingTool(ran, 'get_bill')) },
    [told('await external_get_bill({})')],
    {
      run: { requireToolApproval: ({ toolName }: { toolName: string }) => toolName !== 'execute_typescript' },
    },
  );
  expect(answer.result).toContain('it needs an approval');
  expect(ran).toEqual([]);
});

it('runs no program where no tool may be called', async () => {
  const ran: string[] = [];
  const tools = toolRecord(recordingTool(ran, 'get_bill'));
  const { answer } = await codeRun({ tools }, ['return external_get_bill({})'], { run: { toolChoice: 'none' } });
  expect(answer).toMatchObject({ success: false, message: expect.stringContaining('No tool may be called now') });
  expect(ran).toEqual([]);
});

it('runs no tool in a program that suspends, runs at the client or at the provider', async () => {
  const suspending = (id: string, more: object) =>
    createTool({
      id,
      description: id,
      inputSchema: z.object({}),
      execute: async (_, { agent }) => {
        await agent?.suspend?.({});
        return 'went on';
      },
      ...more,
    }) as never;
  const clients = createTool({ id: 'clients', description: 'Client.', inputSchema: z.object({}) }) as never;
  const tools = {
    ...toolRecord(suspending('asks', { suspendSchema: z.object({}) }), suspending('asks_late', {}), clients),
    providers: { type: 'provider', id: 'anthropic.web_search_20250305', args: {} } as never,
  };
  const { answer } = await codeRun({ tools }, [
    `const told = [];
     for (const name of ['asks', 'asks_late', 'clients', 'providers'])
       await external(name, {}).then(() => told.push('ran ' + name), (error) => told.push(error.message));
     return told;`,
  ]);
  expect(answer.result).toHaveLength(4);
  for (const text of answer.result as string[]) expect(text).toMatch(/cannot run in a program|no function for/);
});

it('asks the hooks of the agent, which see the tool, and may veto', async () => {
  const ran: string[] = [];
  const heard: string[] = [];
  const hooks = {
    beforeToolCall: ({ toolName, input }: { toolName: string; input: unknown }) => {
      heard.push(`${toolName} ${JSON.stringify(input)}`);
      return toolName === 'pay_bill' ? { proceed: false, output: 'Not on Sundays.' } : undefined;
    },
  };
  const tools = toolRecord(recordingTool(ran, 'pay_bill'), recordingTool(ran, 'get_bill'));
  const { answer } = await codeRun(
    { tools },
    [
      `const got = await external_get_bill({ text: 'a' }); return [got.ran, ${told('await external_pay_bill({})').replace('return ', '')}]`,
    ],
    { agent: { hooks } as never },
  );
  expect(ran).toEqual(['get_bill']);
  expect(answer.result).toEqual(['get_bill', 'The call of "pay_bill" was stopped before it ran. Not on Sundays.']);
  expect(heard).toContain('get_bill {"text":"a"}');
});

it('gives the tool the context of the run', async () => {
  const seen: unknown[] = [];
  const seeing = tool('see', 'Sees.', {
    execute: (async (
      _: unknown,
      context: { requestContext: RequestContext; agent?: { agentId?: string; toolCallId?: string } },
    ) => {
      const { requestContext, agent } = context;
      seen.push(requestContext.get('user' as never), agent?.agentId, agent?.toolCallId);
    }) as never,
  });
  await codeRun({ tools: toolRecord(seeing) }, ['await external_see({}); await external_see({})'], {
    run: { requestContext: new RequestContext([['user', 'ann']]) },
  });
  expect(seen).toEqual(['ann', 'test-agent', 'call-1:1', 'ann', 'test-agent', 'call-1:2']);
});

it('finds over a store that forgets as over one that remembers: nothing is loaded for a program', async () => {
  const store = memoryStore();
  const { answer, processor } = await codeRun(
    { tools: { ...toolRecord(recordingTool([], 'get_bill')), ...fillerTools(20) }, storage: store },
    [search('get bill'), 'return (await external_get_bill({})).ran'],
  );
  expect((answer as Answer).result).toBe('get_bill');
  expect(processor.getStateStats().threadCount).toBe(0);
});
