// Runs in a folder where the packed package and one pair of peers are installed: what is promised of permissions, hooks,
// approvals and restarts, each with a real Agent. @mastra/core below the peer range breaks some of them.
import assert from 'node:assert/strict';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { z } from 'zod';
import { lastToolResult, scriptedModel, toolNames } from './scripted-model.ts';

/** A tool that notes its runs. */
function noting(id, runs, more = {}) {
  return createTool({
    id,
    description: `Does ${id.replaceAll('_', ' ')}.`,
    inputSchema: z.object({ text: z.string().optional() }),
    execute: async () => {
      runs.push(id);
      return { ran: id };
    },
    ...more,
  });
}

const call = (toolName, input = {}) => ({ toolCalls: [{ toolName, input }] });
const load = (toolName) => call('load_tool', { toolName });
/** Answers each step of a run with one of these, then ends it. */
const replies =
  (...all) =>
  ({ step }) =>
    all[step] ?? { text: 'done' };

function agentOf(options, script, more = {}) {
  const model = scriptedModel(script, { version: 'v2' });
  const inputProcessors = [new ToolSearchProcessor(options)];
  const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors, ...more });
  return { agent, model };
}

/** An app whose tool waits for an approval, over a storage that outlives it. */
function startWithApproval(kind, storage, runs, denied = new Set()) {
  const tools = { pay_bill: noting('pay_bill', runs, { requireApproval: true }) };
  const filter = ({ toolName }) => !denied.has(toolName);
  const made = agentOf({ tools, filter }, replies(load('pay_bill'), call('pay_bill')));
  const agent = kind === 'DurableAgent' ? createDurableAgent({ agent: made.agent, cleanupTimeoutMs: 0 }) : made.agent;
  new Mastra({ agents: { a: agent }, logger: false, storage });
  return { ...made, agent };
}

async function approves(kind, restarts, isDenied) {
  const runs = [];
  const storage = new InMemoryStore();
  const denied = new Set();
  const before = startWithApproval(kind, storage, runs, denied);
  const waiting = await before.agent.generate('Pay the bill.');
  const { toolCallId } = waiting.suspendPayload;
  assert.deepEqual(runs, []);
  if (isDenied) denied.add('pay_bill');
  const after = restarts ? startWithApproval(kind, storage, runs, denied) : before;
  await after.agent.approveToolCallGenerate({ runId: waiting.runId, toolCallId });
  assert.deepEqual(runs, isDenied ? [] : ['pay_bill']);
  assert.equal(lastToolResult(after.model.calls.at(-1).prompt)?.isError, isDenied);
}

const promises = {
  async 'a right that is withdrawn in mid-run: the tool neither runs nor is sent again'() {
    for (const own of [false, true]) {
      const runs = [];
      const denied = new Set();
      const tools = { secret: noting('secret', runs) };
      const filter = ({ toolName }) => !denied.has(toolName);
      const script = ({ step }) => {
        if (step === 0) return load('secret');
        if (step === 1) {
          denied.add('secret');
          return call('secret');
        }
        return { text: 'done' };
      };
      const options = own ? { includeResolvedTools: true, filter } : { tools, filter };
      const { agent, model } = agentOf(options, script, own ? { tools } : {});
      await agent.generate('go', { maxSteps: 5 });
      assert.deepEqual(runs, []);
      assert.ok(toolNames(model.calls[1]).includes('secret'));
      assert.ok(!toolNames(model.calls[2]).includes('secret'));
    }
  },
  async 'a veto of beforeToolCall holds for a loaded tool'() {
    const runs = [];
    const seen = [];
    const beforeToolCall = ({ toolName }) => {
      seen.push(toolName);
      return toolName === 'pay_bill' ? { proceed: false, output: { vetoed: true } } : undefined;
    };
    const script = replies(load('pay_bill'), call('pay_bill'));
    const { agent, model } = agentOf({ tools: { pay_bill: noting('pay_bill', runs) } }, script, {
      hooks: { beforeToolCall },
    });
    await agent.generate('go', { maxSteps: 5 });
    assert.deepEqual(
      seen.filter((name) => name === 'pay_bill'),
      ['pay_bill'],
    );
    assert.deepEqual(runs, []);
    assert.deepEqual(lastToolResult(model.calls.at(-1).prompt, 'pay_bill').value, { vetoed: true });
  },
  async 'an approval in the same process, and after a restart'() {
    for (const kind of ['Agent', 'DurableAgent'])
      for (const restarts of [false, true])
        for (const isDenied of [false, true]) await approves(kind, restarts, isDenied);
  },
  async 'a missed call is loaded, and call_tool runs what was not'() {
    const runs = [];
    const tools = { pay_bill: noting('pay_bill', runs), send_email: noting('send_email', runs) };
    const twice = replies(call('pay_bill'), call('pay_bill'));
    const loaded = agentOf({ tools }, twice);
    await loaded.agent.generate('go', { maxSteps: 5 });
    assert.deepEqual(runs, ['pay_bill']);
    assert.deepEqual(toolNames(loaded.model.calls[1]), ['search_tools', 'load_tool', 'pay_bill']);
    const bridged = call('call_tool', { toolName: 'send_email', arguments: {} });
    const ran = agentOf({ tools, mode: 'call' }, replies(bridged));
    await ran.agent.generate('go', { maxSteps: 5 });
    assert.deepEqual(runs, ['pay_bill', 'send_email']);
    assert.deepEqual(toolNames(ran.model.calls[1]), ['search_tools', 'call_tool']);
  },
  async 'a DurableAgent loads a tool, and runs it'() {
    const runs = [];
    const tools = { pay_bill: noting('pay_bill', runs) };
    const { agent, model } = agentOf({ tools }, replies(load('pay_bill'), call('pay_bill')));
    const durable = createDurableAgent({ agent });
    new Mastra({ agents: { durable }, logger: false, storage: new InMemoryStore() });
    const { output, cleanup } = await durable.stream('go', { maxSteps: 5 });
    assert.equal(await output.text, 'done');
    cleanup();
    assert.deepEqual(runs, ['pay_bill']);
    assert.deepEqual(toolNames(model.calls[1]), ['search_tools', 'load_tool', 'pay_bill']);
  },
};

for (const [title, check] of Object.entries(promises)) {
  try {
    await check();
    console.log(`ok      ${title}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`not ok  ${title}\n        ${String(error?.stack ?? error).replaceAll('\n', '\n        ')}`);
  }
}
process.exit();
