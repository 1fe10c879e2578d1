import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { MCPClient, MCPServer } from '@mastra/mcp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { through } from '../modes/call/setup.ts';
import { askingTool, call, calls, load, META, rig, searchLoadCall, toolRecord, weather } from '../support/agent.ts';
import { lastToolResult, type Script, scriptedModel, toolNames } from '../support/scripted-model.ts';

const tools = toolRecord(weather());
const RAN = { ran: 'get_weather' };

describe('structured output', () => {
  const schema = z.object({ city: z.string(), degrees: z.number() });
  const told = { city: 'Rome', degrees: 21 };
  const json = JSON.stringify(told);

  it.each<[mode: 'load' | 'call', script: Script]>([
    ['load', searchLoadCall('weather')],
    ['call', calls(call('search_tools', { query: 'weather' }), through('get_weather'))],
  ])('comes after the search and the call, in mode %s', async (mode, script) => {
    const thenJson: Script = async (received) => {
      const reply = await script(received);
      return reply.toolCalls ? reply : { text: json };
    };
    const { agent, model } = rig({ tools, mode }, { script: thenJson });
    const { object } = await agent.generate('What is the weather?', { structuredOutput: { schema } });
    expect([object, model.result()]).toEqual([told, expect.objectContaining(RAN)]);
  });

  it('of a second model', async () => {
    const second = scriptedModel(() => ({ text: json }));
    const { agent, model } = rig({ tools });
    const structuredOutput = { schema, model: second as never };
    const stream = await agent.stream('What is the weather?', { structuredOutput });
    expect([await stream.object, model.result()]).toEqual([told, expect.objectContaining(RAN)]);
    expect(second.calls.flatMap(toolNames)).toEqual([]);
  });
});

describe("an agent as a workflow's step", () => {
  const inputSchema = z.object({ prompt: z.string() });
  const outputSchema = z.object({ text: z.string() });
  const done = { status: 'success', result: { text: 'done' } };
  const runOf = async (step: never, agent: Agent) => {
    const workflow = createWorkflow({ id: 'workflow', inputSchema, outputSchema }).then(step).commit();
    new Mastra({ agents: { agent }, workflows: { workflow }, storage: new InMemoryStore(), logger: false } as never);
    return workflow.createRun();
  };
  const inputData = { prompt: 'What is the weather?' };

  it('runs a loaded tool', async () => {
    const { agent, model } = rig({ tools });
    const run = await runOf(createStep(agent) as never, agent);
    expect(await run.start({ inputData })).toMatchObject(done);
    expect(model.result()).toMatchObject(RAN);
  });

  it('is suspended by a loaded tool, and resumed', async () => {
    const script = calls(load('ask_boss'), call('ask_boss'));
    const { agent, model } = rig({ tools: toolRecord(askingTool('ask_boss')) }, { script });
    const step = createStep({
      ...{ id: 'ask', inputSchema, outputSchema },
      suspendSchema: z.object({ runId: z.string() }),
      resumeSchema: z.object({ answer: z.string() }),
      execute: async ({ inputData, resumeData, suspendData, suspend }) => {
        const { runId } = (suspendData ?? {}) as { runId: string };
        const answer = await (resumeData
          ? agent.resumeGenerate(resumeData, { runId })
          : agent.generate(inputData.prompt));
        if (answer.finishReason === 'suspended') return suspend({ runId: answer.runId! });
        return { text: answer.text };
      },
    });
    const run = await runOf(step as never, agent);
    expect((await run.start({ inputData })).status).toBe('suspended');
    expect(await run.resume({ step: 'ask', resumeData: { answer: 'yes' } })).toMatchObject(done);
    expect(lastToolResult(model.calls.at(-1)!.prompt, 'ask_boss')?.value).toEqual({ answer: 'yes' });
  });
});

it('MCPServer exposes the agent, which searches and calls within one call of the client', async () => {
  const { agent, model } = rig({ tools }, { agent: { description: 'Tells the weather.' } });
  const mcp = new MCPServer({ id: 'weather', name: 'Weather', version: '1.0.0', tools: {}, agents: { agent } });
  const http = createServer((req, res) => {
    void mcp.startHTTP({ url: new URL(req.url ?? '', 'http://127.0.0.1'), httpPath: '/mcp', req, res });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const client = new MCPClient({ servers: { weather: { url: new URL(`http://127.0.0.1:${port}/mcp`) } } });
  onTestFinished(async () => {
    await client.disconnect();
    await mcp.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const { weather_ask_agent: ask, ...others } = await client.listTools();
  expect(others).toEqual({});
  const answer = await ask?.execute?.({ message: 'What is the weather?' } as never, {} as never);
  expect(JSON.stringify(answer)).toContain('done');
  expect(model.result()).toMatchObject(RAN);
});

it('sub-agents as tools are searched, loaded and asked among twenty', async () => {
  const subjects = 'taxes visas contracts patents wages rents loans insurance pensions customs'.split(' ');
  const expert = (field: string) =>
    new Agent({
      id: `${field}-expert`,
      name: field,
      description: `Answers questions about ${field.replace('_', ' ')}.`,
      instructions: 'Answer.',
      model: scriptedModel(() => ({ text: `about ${field}` })) as never,
    });
  const fields = [...subjects, ...subjects.map((field) => `${field}_abroad`)];
  const agents = Object.fromEntries(fields.map((field) => [`${field}_expert`, expert(field)]));
  const script = searchLoadCall('question about pensions', { prompt: 'When do I get mine?' });
  const { agent, model } = rig({ includeResolvedTools: true }, { script, agent: { agents } });
  expect((await agent.generate('When do I get my pension?', { maxSteps: 6 })).text).toBe('done');
  expect(model.sent(0)).toEqual(META);
  const result = lastToolResult(model.calls.at(-1)!.prompt);
  expect(result?.toolName).toBe('agent-pensions_expert');
  expect(JSON.stringify(result?.value)).toContain('about pensions');
});
