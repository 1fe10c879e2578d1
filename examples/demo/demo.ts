// A real Agent over the tools of six real MCP servers. Run it with: npm run demo
// With a real model: npm run demo -- --model anthropic (or openai), and the key in the environment.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Agent } from '@mastra/core/agent';
import type { ModelRouterLanguageModel } from '@mastra/core/llm';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { type ScriptedModel, scriptedModel } from '../../test/support/scripted-model.ts';
import { mcpClient } from '../support/mcp-servers.ts';
import { fill, taskScript, textOf } from '../support/task-script.ts';
import { chosenModel } from './models.ts';
import { definitionTokens, type RecordedCall, recording } from './recording.ts';
import { describeSteps, number, printResult, type Row } from './report.ts';
import { demoIn, type Task } from './tasks.ts';

const { values } = parseArgs({ options: { model: { type: 'string' } } });
const realModel = chosenModel(values.model);
const metaTools = ['search_tools', 'load_tool'];

type Model = ScriptedModel<'v3'> | ModelRouterLanguageModel;

interface Run {
  readonly calls: readonly RecordedCall[];
  /** The names of the tools that ran, meta-tools left out, in order. */
  readonly used: readonly string[];
}

/** Runs the task with tool search. */
async function runWithSearch(
  task: Task,
  processor: ToolSearchProcessor,
): Promise<Run & { readonly story: readonly string[] }> {
  const { model, calls } = recording<Model>(realModel ?? scriptedModel<'v3'>(taskScript(task.needs)));
  const agent = assistant(model, { inputProcessors: [processor] });
  const { steps } = await agent.generate(task.text, { maxSteps: 20 });
  const results = steps.flatMap((step) => step.toolResults.map(({ payload }) => payload));
  const own = results.filter(({ toolName }) => !metaTools.includes(toolName));
  if (!task.isDone(own.map(({ result }) => textOf(result)).join('\n'))) throw new Error(`Not done: ${task.title}`);
  return { calls, used: own.map(({ toolName }) => toolName), story: describeSteps(steps, calls) };
}

/** Runs the task again with all tools sent, with a model that knows at once which ones to call. */
async function runWithEverything(task: Task, tools: Record<string, MastraTool>, used: readonly string[]): Promise<Run> {
  const known: Record<string, unknown> = Object.assign({}, ...task.needs.map((need) => need.values));
  const direct = scriptedModel(({ step, tools: sent }) => {
    const tool = sent.find((candidate) => candidate.name === used[step]);
    if (tool?.type !== 'function') return { text: 'Done.' };
    return { toolCalls: [{ toolName: tool.name, input: fill(tool.inputSchema, known) ?? {} }] };
  });
  const { model, calls } = recording(direct);
  await assistant(model, { tools }).generate(task.text, { maxSteps: 20 });
  return { calls, used };
}

function assistant(
  model: Model,
  rest: { tools?: Record<string, MastraTool>; inputProcessors?: ToolSearchProcessor[] },
): Agent {
  const instructions = 'Do what the user asks with the tools. Search for a tool when you have none that fits.';
  return new Agent({ id: 'demo', name: 'Demo', instructions, model, ...rest });
}

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tool-search-demo-')));
const { servers, tasks } = demoIn(folder);
const client = mcpClient('demo', servers);
try {
  const tools = await client.listTools();
  const perServer = Object.keys(servers).map((name) => {
    return `${name} ${Object.values(tools).filter((tool) => tool.mcpMetadata?.serverName === name).length}`;
  });
  if (perServer.some((entry) => entry.endsWith(' 0')))
    throw new Error(`A server has no tools: ${perServer.join(', ')}`);
  console.log(`${Object.keys(tools).length} tools of ${perServer.length} MCP servers: ${perServer.join(', ')}`);
  console.log(
    `The model is ${realModel ? realModel.modelId : 'scripted: it decides from what it receives, see support/task-script.ts'}.\n`,
  );

  const processor = new ToolSearchProcessor({ tools });
  const rows: Row[] = [];
  for (const task of tasks) {
    const search = await runWithSearch(task, processor);
    const everything = await runWithEverything(task, tools, search.used);
    const [first] = everything.calls;
    if (!first) throw new Error('The model was not called.');
    const story = [
      ...search.story,
      `  All tools sent instead: about ${number(definitionTokens(first))} tokens in every call.`,
    ];
    rows.push({ title: task.title, story, search: search.calls, everything: everything.calls });
  }
  printResult(rows);
  console.log(
    '\nTokens of tool definitions, added up over all calls of the model; those for search and load count too.',
  );
  console.log('Last line: the messages as well. A token is estimated as four characters of the JSON that was sent.');
  console.log('\nWhat happened:');
  for (const [index, { title, story }] of rows.entries()) {
    console.log(`\n${title}\n  user: ${tasks[index]?.text}\n${story.join('\n')}`);
  }
} finally {
  await client.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
