import { createTool } from '@mastra/core/tools';
import { ToolSearchError, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, fillerTools, tool, toolRecord, weather } from '../../support/agent.ts';
import { codeRun, program, search, transport } from './setup.ts';

const ordering = () =>
  toolRecord(
    createTool({
      id: 'list_orders',
      description: 'List the orders of a customer.',
      inputSchema: z.object({ customer: z.string().describe('Its id'), limit: z.number().optional() }),
      outputSchema: z.object({ orders: z.array(z.object({ id: z.string(), total: z.number() })) }),
      execute: async ({ customer }) => ({
        orders: [
          { id: `${customer}-1`, total: 40 },
          { id: `${customer}-2`, total: 2 },
        ],
      }),
    }) as never,
    weather(),
  );

describe('a program', () => {
  it('calls what a search declares, and returns what it computes', async () => {
    const { values, answer, model, events } = await codeRun({ tools: { ...ordering(), ...fillerTools(30) } }, [
      search('list the orders of a customer'),
      `const { orders }: { orders: { total: number }[] } = await external_list_orders({ customer: 'c7' });
       console.log('read', orders.length);
       return orders.reduce((sum, { total }) => sum + total, 0);`,
    ]);
    const [found] = (values[0] as { results: { name: string; declaration: string }[] }).results;
    expect(found?.declaration).toBe(
      `/** List the orders of a customer. */
declare function external_list_orders(input: { /* Its id */ customer: string; limit?: number }): Promise<{ orders: { id: string; total: number }[] }>;`,
    );
    expect(answer).toEqual({ success: true, result: 42, logs: ['read 2'] });
    expect(model.calls.map((_, at) => model.sent(at))).toEqual(Array(3).fill(['search_tools', 'execute_typescript']));
    const told = events.filter(({ type }) => type === 'call-through' || type === 'call');
    expect(told).toMatchObject([
      { type: 'call-through', toolName: 'list_orders' },
      { type: 'call', toolName: 'list_orders', ok: true },
    ]);
  });

  it('searches, and calls what it finds by its name', async () => {
    const { answer } = await codeRun({ tools: { ...ordering(), ...fillerTools(30) } }, [
      `const { results } = await search_tools('orders of a customer');
       const { orders } = await external(results[0].name, { customer: 'x' });
       return orders.map(({ id }) => id);`,
    ]);
    expect(answer).toEqual({ success: true, result: ['x-1', 'x-2'] });
  });

  it('finds a lazy tool with the names of its parameters, and calls it', async () => {
    const { list_orders: orders } = ordering();
    const lazy = {
      id: 'list_orders',
      description: 'List the orders of a customer.',
      parameters: ['customer', 'page size'],
      resolve: () => orders,
    };
    const { values, answer } = await codeRun({ tools: { list_orders: lazy, ...fillerTools(30) } as never }, [
      search('list the orders of a customer'),
      `const { orders } = await external_list_orders({ customer: 'c7' });
       return orders.length;`,
    ]);
    expect((values[0] as { results: { declaration: string }[] }).results[0]?.declaration).toBe(
      `/** List the orders of a customer. */
declare function external_list_orders(input: { customer?: unknown; "page size"?: unknown }): Promise<unknown>;`,
    );
    expect(answer).toMatchObject({ success: true, result: 2 });
  });

  it('reads why a call did not run, and may go on', async () => {
    const { answer } = await codeRun({ tools: ordering() }, [
      `const told = [];
       for (const call of [() => external_list_orders({ customer: 5 }), () => external_no_such({}), () => external('nor this')])
         await call().catch((error) => told.push(error.message));
       return told;`,
    ]);
    const [misfit, unknown, other] = answer.result as string[];
    expect(misfit).toMatch(
      /^The input of "list_orders" does not fit, and it was not run\. [\s\S]*customer[\s\S]*declare function/,
    );
    expect(unknown).toBe(
      'There is no function for "no_such". Find functions with search_tools, then write the program anew.',
    );
    expect(other).toContain('There is no function for "nor this"');
  });

  it('is told with the line where it failed, and that its calls were made', async () => {
    const { answer } = await codeRun({ tools: ordering() }, ['const a = 1;\nthrow new TypeError("bad " + a);']);
    expect(answer).toMatchObject({ success: false, error: { name: 'TypeError', message: 'bad 1', line: 2 } });
    expect(answer.message).toContain('do not repeat those that change something');
  });

  it('calls the tools that are sent, too', async () => {
    const own = { own_tool: tool('own_tool', 'Own.', { execute: async () => 'mine' }) };
    const { answer, model } = await codeRun(
      { tools: ordering(), alwaysLoaded: ['get_weather'] },
      ['return [await external_own_tool({}), await external_get_weather({})]'],
      { agent: { tools: own } as never },
    );
    expect(answer).toMatchObject({ success: true, result: ['mine', expect.anything()] });
    expect(model.sent(0)).toEqual(expect.arrayContaining(['own_tool', 'get_weather']));
    const system = JSON.stringify(model.calls[0]!.prompt.filter(({ role }) => role === 'system'));
    expect(system).toContain('declare function external_get_weather');
  });

  it('is no program where there is none', async () => {
    const { answer } = await codeRun({ tools: ordering() }, [call('execute_typescript', { code: ' ' })]);
    expect(answer).toMatchObject({ success: false, message: 'execute_typescript needs a program in "code".' });
  });
});

it.each(['find-tools', '1search', 'delete', 'await', 'external'])('refuses to call its search %s', (name) => {
  const make = () =>
    new ToolSearchProcessor({
      tools: fillerTools(1),
      mode: 'code',
      code: { transport },
      metaTools: { search: { name } },
    });
  expect(make).toThrow(`a name that a program can call with mode: 'code', such as "find_tools"; got "${name}"`);
});

it('calls a search of another name', async () => {
  const { answer } = await codeRun({ tools: ordering(), metaTools: { search: { name: 'find_tools' } } }, [
    `return (await find_tools('orders of a customer')).results[0].name`,
  ]);
  expect(answer.result).toBe('list_orders');
});

it('runs a program in a Markdown fence, with its own line numbers', async () => {
  const { values } = await codeRun({ tools: fillerTools(3) }, [
    '```ts\nconst one: number = 1;\nreturn one\n```',
    '```\nreturn 2```\n',
    '\nconst broken = ;\nreturn 3',
  ]);
  expect(values.slice(0, 2)).toEqual([
    { success: true, result: 1 },
    { success: true, result: 2 },
  ]);
  expect(values[2]).toMatchObject({ success: false, error: { name: 'SyntaxError', line: 2 } });
});

it('does not run a tool with an input that is no object', async () => {
  const { answer, events } = await codeRun({ tools: toolRecord(weather()) }, [
    `const tell = (error) => error.message;
     return [await external_get_weather('x').catch(tell), await external('get_weather', ['x']).catch(tell), await external_get_weather()];`,
  ]);
  const refused = expect.stringMatching(/was not run\. The input has to be one object\.\n.*declare function/s);
  expect(answer.result).toEqual([refused, refused, { ran: 'get_weather', input: {} }]);
  expect(events.filter(({ type }) => type === 'call-through')).toHaveLength(1);
});

it('says where programs run, or refuses', () => {
  const made = (options: object) => () => new ToolSearchProcessor({ tools: ordering(), ...options });
  const invalid = (message: string) =>
    expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(message) });
  expect(made({ mode: 'code' })).toThrow(ToolSearchError);
  expect(made({ mode: 'code' })).toThrow(invalid('quickJsTransport()'));
  expect(made({ mode: 'code', code: {} })).toThrow(invalid('new LocalSandbox()'));
  const remote = { run: async () => ({ success: true }) };
  expect(made({ mode: 'code', code: { transport: remote } })).toThrow(invalid('"code.sandbox"'));
  expect(made({ mode: 'code', code: { transport, id: 'search_tools' } })).toThrow(invalid('"code.id"'));
  expect(made({ mode: 'code', code: { transport: {} } })).toThrow(invalid('"code.transport"'));
  expect(made({ code: { transport } })).toThrow(invalid(`used with mode: 'code'`));
  expect(made({ mode: 'code', code: { transport }, search: { autoLoad: true } })).toThrow(invalid('"search.autoLoad"'));
  expect(made({ mode: 'code', code: { transport }, metaTools: { systemText: 'firm' } })).toThrow(
    invalid('"metaTools.systemText"'),
  );
});

it('answers a call of a function as if it were a tool with how it is called', async () => {
  const { model } = await codeRun({ tools: ordering() }, [call('get_weather'), program('return 1')]);
  expect(JSON.stringify(model.calls[1]!.prompt)).toContain('is a function for programs: call it in a program');
});
