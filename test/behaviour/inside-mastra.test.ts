import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { MCPClient, MCPServer } from '@mastra/mcp';
import { Memory } from '@mastra/memory';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askingTool, call, calls, email, load, rig, searchLoadCall, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, type Script, scriptedModel, toolNames, toolResults } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());

describe('structured output', () => {
  const schema = z.object({ city: z.string(), degrees: z.number() });
  const told = { city: 'Rome', degrees: 21 };
  const thenJson =
    (script: Script): Script =>
    async (received) => {
      const reply = await script(received);
      return reply.toolCalls ? reply : { text: JSON.stringify(told) };
    };

  it.each(['load', 'call'] as const)('comes after the search and the call, in mode %s', async (mode) => {
    const script =
      mode === 'load'
        ? searchLoadCall('weather')
        : calls(
            call('search_tools', { query: 'weather' }),
            call('call_tool', { toolName: 'get_weather', arguments: {} }),
          );
    const { agent, model } = rig({ tools: tools(), mode }, { script: thenJson(script) });
    const { object } = await agent.generate('What is the weather?', { structuredOutput: { schema } });
    expect(object).toEqual(told);
    expect(toolResults(model.calls.at(-1)!.prompt).at(-1)?.isError).toBe(false);
  });

  it('of a second model', async () => {
    const second = scriptedModel(() => ({ text: JSON.stringify(told) }));
    const { agent, model } = rig({ tools: tools() });
    const options = { structuredOutput: { schema, model: second as never } };
    const stream = await agent.stream('What is the weather?', options);
    expect(await stream.object).toEqual(told);
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
    expect(second.calls.flatMap(toolNames)).toEqual([]);
  });
});

describe("an agent as a workflow's step", () => {
  const inputSchema = z.object({ prompt: z.string() });
  const outputSchema = z.object({ text: z.string() });

  it('runs a loaded tool', async () => {
    const { agent, model } = rig({ tools: tools() });
    const workflow = createWorkflow({ id: 'weather', inputSchema, outputSchema }).then(createStep(agent)).commit();
    new Mastra({ agents: { agent }, workflows: { workflow }, storage: new InMemoryStore(), logger: false });
    const run = await workflow.createRun();
    const result = await run.start({ inputData: { prompt: 'What is the weather?' } });
    expect(result).toMatchObject({ status: 'success', result: { text: 'done' } });
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
  });

  it('is suspended by a loaded tool, and resumed', async () => {
    const script = calls(load('ask_boss'), call('ask_boss'));
    const { agent, model } = rig({ tools: toolRecord(askingTool('ask_boss')) }, { script });
    const step = createStep({
      id: 'ask',
      inputSchema,
      outputSchema,
      suspendSchema: z.object({ runId: z.string() }),
      resumeSchema: z.object({ answer: z.string() }),
      execute: async ({ inputData, resumeData, suspendData, suspend }) => {
        const answer = resumeData
          ? await agent.resumeGenerate(resumeData, { runId: (suspendData as { runId: string }).runId })
          : await agent.generate(inputData.prompt);
        if (answer.finishReason === 'suspended') return suspend({ runId: answer.runId! });
        return { text: answer.text };
      },
    });
    const workflow = createWorkflow({ id: 'asking', inputSchema, outputSchema }).then(step).commit();
    new Mastra({ agents: { agent }, workflows: { workflow }, storage: new InMemoryStore(), logger: false });
    const run = await workflow.createRun();
    expect((await run.start({ inputData: { prompt: 'Ask.' } })).status).toBe('suspended');
    const result = await run.resume({ step: 'ask', resumeData: { answer: 'yes' } });
    expect(result).toMatchObject({ status: 'success', result: { text: 'done' } });
    expect(lastToolResult(model.calls.at(-1)!.prompt, 'ask_boss')?.value).toEqual({ answer: 'yes' });
  });
});

describe('MCPServer', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => void (await Promise.all(ends.splice(0).map((end) => end()))));

  it('exposes the agent, which searches and calls within one call of the client', async () => {
    const { agent, model } = rig({ tools: tools() }, { agent: { description: 'Tells the weather.' } });
    const mcp = new MCPServer({ id: 'weather', name: 'Weather', version: '1.0.0', tools: {}, agents: { agent } });
    const http = createServer((req, res) => {
      void mcp.startHTTP({ url: new URL(req.url ?? '', 'http://127.0.0.1'), httpPath: '/mcp', req, res });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const client = new MCPClient({ servers: { weather: { url: new URL(`http://127.0.0.1:${port}/mcp`) } } });
    ends.push(async () => {
      await client.disconnect();
      await mcp.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    });
    const { weather_ask_agent: ask, ...others } = await client.listTools();
    expect(others).toEqual({});
    const answer = await ask?.execute?.({ message: 'What is the weather?' } as never, {} as never);
    expect(JSON.stringify(answer)).toContain('done');
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
  });
});

describe('sub-agents as tools', () => {
  const fields = [
    'taxes',
    'visas',
    'contracts',
    'patents',
    'wages',
    'rents',
    'loans',
    'insurance',
    'pensions',
    'customs',
  ];
  const subAgents = () =>
    Object.fromEntries(
      [...fields, ...fields.map((field) => `${field}_abroad`)].map((field) => [
        `${field}_expert`,
        new Agent({
          id: `${field}-expert`,
          name: field,
          description: `Answers questions about ${field.replace('_', ' ')}.`,
          instructions: 'Answer.',
          model: scriptedModel(() => ({ text: `about ${field}` })) as never,
        }),
      ]),
    );

  it('are searched, loaded and asked among twenty', async () => {
    const { agent, model } = rig(
      { includeResolvedTools: true },
      {
        script: searchLoadCall('question about pensions', { prompt: 'When do I get mine?' }),
        agent: { agents: subAgents(), memory: new Memory({ storage: new InMemoryStore() }) },
      },
    );
    const { text } = await agent.generate('When do I get my pension?', {
      memory: { thread: 't', resource: 'r' },
      maxSteps: 6,
    });
    expect(text).toBe('done');
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool']);
    const result = lastToolResult(model.calls.at(-1)!.prompt);
    expect(result?.toolName).toBe('agent-pensions_expert');
    expect(JSON.stringify(result?.value)).toContain('about pensions');
  });
});
