// Runs in a folder where the packed package and one pair of peers are installed: search, load, call, with a real Agent.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { z } from 'zod';
import { lastToolResult, scriptedModel, systemText, toolNames } from './scripted-model.ts';

const tools = {
  weather: createTool({
    id: 'get_weather',
    description: 'Get the current weather of a city',
    inputSchema: z.object({ city: z.string().describe('Name of the city') }),
    execute: async ({ city }) => ({ forecast: `Sunny in ${city}` }),
  }),
  email: createTool({
    id: 'send_email',
    description: 'Send an email message',
    inputSchema: z.object({ to: z.string() }),
    execute: async () => ({ sent: true }),
  }),
};

/** Searches, loads what was found if that is needed, and calls it. */
function searchLoadCall({ prompt, tools: received }) {
  const called = lastToolResult(prompt, 'get_weather');
  if (called) return { text: called.value.forecast };
  const names = received.map((tool) => tool.name);
  if (names.includes('get_weather')) return { toolCalls: [{ toolName: 'get_weather', input: { city: 'Bern' } }] };
  const found = lastToolResult(prompt, 'search_tools')?.value.results[0]?.name;
  if (!found) return { toolCalls: [{ toolName: 'search_tools', input: { query: 'current weather' } }] };
  return { toolCalls: [{ toolName: 'load_tool', input: { toolName: found } }] };
}

function setUp(options = {}, version = 'v2') {
  const model = scriptedModel(searchLoadCall, { version });
  const processor = new ToolSearchProcessor({ tools, ...options });
  const agent = new Agent({
    id: 'assistant',
    name: 'Assistant',
    instructions: 'Help.',
    model,
    inputProcessors: [processor],
  });
  return { agent, model, processor };
}

const checks = {
  async 'search, load and call in a generated run'() {
    const { agent, model } = setUp();
    const { text } = await agent.generate('How is the weather in Bern?');
    assert.equal(text, 'Sunny in Bern');
    assert.deepEqual(model.calls.map(toolNames), [
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool', 'get_weather'],
      ['search_tools', 'load_tool', 'get_weather'],
    ]);
    assert.ok(model.calls[2].tools[2].inputSchema.properties.city, 'the loaded tool has its parameters');
  },
  async 'the same in a streamed run, with a model of specification v3'() {
    const { agent } = setUp({}, 'v3');
    const output = await agent.stream('How is the weather in Bern?');
    assert.equal(await output.text, 'Sunny in Bern');
  },
  async 'native mode: tools deferred, results as references'() {
    const script = ({ step }) => {
      if (step === 0) return { toolCalls: [{ toolName: 'search_tools', input: { query: 'current weather' } }] };
      if (step === 1) return { toolCalls: [{ toolName: 'get_weather', input: { city: 'Bern' } }] };
      return { text: 'done' };
    };
    const settings = { version: 'v3', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
    const model = scriptedModel(script, settings);
    const processor = new ToolSearchProcessor({ tools, mode: 'native' });
    const agent = new Agent({
      id: 'assistant',
      name: 'Assistant',
      instructions: 'Help.',
      model,
      inputProcessors: [processor],
    });
    assert.equal((await agent.generate('How is the weather in Bern?')).text, 'done');
    assert.equal(model.calls.length, 3);
    for (const { tools: sent } of model.calls) {
      const deferred = sent.filter((tool) => tool.providerOptions?.anthropic?.deferLoading).map((tool) => tool.name);
      assert.deepEqual(deferred, ['get_weather', 'send_email']);
    }
    const result = model.calls[1].prompt.at(-1).content[0];
    assert.deepEqual(result.output.value[0].providerOptions.anthropic, {
      type: 'tool-reference',
      toolName: 'get_weather',
    });
    assert.match(JSON.stringify(model.calls[2].prompt), /Sunny in Bern/);
  },
  async 'a loaded tool is there on the next request of the thread, and not in another thread'() {
    const { agent, model } = setUp();
    const inThread = (id) =>
      new RequestContext([
        ['mastra__threadId', id],
        ['mastra__resourceId', 'ada'],
      ]);
    await agent.generate('How is the weather in Bern?', { requestContext: inThread('one') });
    await agent.generate('And now?', { requestContext: inThread('one') });
    assert.deepEqual(toolNames(model.calls[4]), ['search_tools', 'load_tool', 'get_weather']);
    await agent.generate('And now?', { requestContext: inThread('two') });
    assert.deepEqual(toolNames(model.calls[6]), ['search_tools', 'load_tool']);
  },
  async 'autoLoad saves a turn'() {
    const { agent, model } = setUp({ search: { autoLoad: true, topK: 1, scorer: tieredScorer() } });
    const { text } = await agent.generate('How is the weather in Bern?');
    assert.equal(text, 'Sunny in Bern');
    assert.equal(model.calls.length, 3);
  },
  async 'storage in the context, a filter and the injected catalog'() {
    const filter = ({ toolName }) => toolName !== 'send_email';
    const { agent, model } = setUp({ storage: 'context', injectCatalog: true, filter });
    const { text } = await agent.generate('How is the weather in Bern?');
    assert.equal(text, 'Sunny in Bern');
    for (const { prompt } of model.calls) {
      assert.equal(
        systemText(prompt).split('Get the current weather of a city').length,
        2,
        'the catalog is there once',
      );
      assert.ok(!systemText(prompt).includes('send_email'), 'what the filter denies is not');
    }
  },
  async 'includeResolvedTools withholds the tools of the agent'() {
    const model = scriptedModel(searchLoadCall, { version: 'v2' });
    const agent = new Agent({
      id: 'assistant',
      name: 'Assistant',
      instructions: 'Help.',
      model,
      tools: { get_weather: tools.weather, send_email: tools.email },
      inputProcessors: [new ToolSearchProcessor({ includeResolvedTools: true })],
    });
    const { text } = await agent.generate('How is the weather in Bern?');
    assert.equal(text, 'Sunny in Bern');
    assert.deepEqual(toolNames(model.calls[0]), ['search_tools', 'load_tool']);
  },
  async 'Mastra asks the processor for the loaded tools'() {
    const { agent, processor } = setUp();
    let asked = 0;
    const original = processor.getLoadedToolsForRequestContext.bind(processor);
    processor.getLoadedToolsForRequestContext = (args) => {
      asked += 1;
      return original(args);
    };
    await agent.generate('How is the weather in Bern?');
    assert.ok(asked > 0, 'getLoadedToolsForRequestContext was not called');
  },
  async 'the CommonJS build works'() {
    const required = createRequire(import.meta.url)('mastra-tool-search');
    assert.equal(typeof required.ToolSearchProcessor, 'function');
    assert.equal(new required.ToolSearchProcessor({ tools }).id, 'tool-search');
  },
};

for (const [title, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok      ${title}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`not ok  ${title}\n        ${String(error?.stack ?? error).replaceAll('\n', '\n        ')}`);
  }
}
