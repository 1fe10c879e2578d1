// A real Agent over the tools of six real MCP servers. Run it with: npm run demo
// With the tools in PostgreSQL instead of the process: npm run demo -- --source postgres
// With a real model: npm run demo -- --model anthropic (or openai), and the key in the environment.
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Agent } from '@mastra/core/agent';
import type { ModelRouterLanguageModel } from '@mastra/core/llm';
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context';
import type { MastraTool, ToolSource } from 'mastra-tool-search';
import { type Script, type ScriptedModel, scriptedModel, shownTools } from '../../test/support/scripted-model.ts';
import { mcpClient } from '../support/mcp-servers.ts';
import { taskScript, textOf } from '../support/task-script.ts';
import { chosenModel } from './models.ts';
import { inPostgres, type Outside } from './postgres.ts';
import { type RecordedCall, recording } from './recording.ts';
import { describeSteps, printResult } from './report.ts';
import { demoIn, type Task } from './tasks.ts';
import { allSent, others, search, type Way } from './ways.ts';

const { values } = parseArgs({ options: { model: { type: 'string' }, source: { type: 'string' } } });
if (values.source !== undefined && values.source !== 'postgres') {
  console.error(`--source must be postgres; got "${values.source}". Without it, the tools are in the process.`);
  process.exit(2);
}
const realModel = chosenModel(values.model);
// What call_tool returns is the tool's own.
const metaTools = ['search_tools', 'load_tool'];

type Model = ScriptedModel<'v3'> | ModelRouterLanguageModel;

/** Decides from the tools whose definitions a model would have read. */
function reading(task: Task): Script {
  const script = taskScript(task.needs);
  return (call) => script({ ...call, tools: shownTools(call) });
}

/** What a task took in one way. */
interface Run {
  readonly calls: readonly RecordedCall[];
  readonly isDone: boolean;
  readonly story: readonly string[];
}

async function run(task: Task, agentPart: ReturnType<Way['agentPart']>, way: Way): Promise<Run> {
  task.prepare();
  const { model, calls } = recording<Model>(realModel ?? scriptedModel<'v3'>(reading(task), way.model));
  const instructions = 'Do what the user asks with the tools. Search for a tool when you have none that fits.';
  const agent = new Agent({ id: 'demo', name: 'Demo', instructions, model, ...agentPart });
  const requestContext = new RequestContext<unknown>(way.isWithoutThread ? [] : [[MASTRA_THREAD_ID_KEY, task.title]]);
  const { steps } = await agent.generate(task.text, { maxSteps: 20, requestContext });
  const results = steps.flatMap((step) => step.toolResults.map(({ payload }) => payload));
  const own = results.filter(({ toolName }) => !metaTools.includes(toolName));
  const isDone = task.isDone(own.map(({ result }) => textOf(result)).join('\n'));
  return { calls, isDone, story: describeSteps(steps, calls) };
}

async function runAll(
  tasks: readonly Task[],
  way: Way,
  tools: Record<string, MastraTool>,
  source?: ToolSource,
): Promise<readonly Run[]> {
  const agentPart = way.agentPart(tools, source);
  const runs: Run[] = [];
  for (const task of tasks) runs.push(await run(task, agentPart, way));
  return runs;
}

// The user names the folder, and every word of the user is searched: no random letters, and always as many.
const folder = path.join(realpathSync(tmpdir()), `demo-${String(process.pid).padStart(7, '0')}`);
mkdirSync(folder);
const { servers, tasks } = demoIn(folder);
const client = mcpClient('demo', servers);
let outside: Outside | undefined;
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

  outside = values.source === undefined ? undefined : await inPostgres(tools);
  if (outside) console.log(`${outside.told}. The processor has what a run meets.\n`);

  const everything = await runAll(tasks, allSent, tools);
  const searched = await runAll(tasks, search, tools, outside?.source);
  const rows = [
    { name: allSent.name, runs: everything },
    { name: search.name, runs: searched },
  ];
  // A real model is paid for.
  for (const way of realModel ? [] : others.filter(({ takesSource }) => takesSource || !outside)) {
    rows.push({ name: way.name, runs: await runAll(tasks, way, tools, outside?.source) });
  }
  printResult(rows);
  console.log('\nWhat happened with tool search:');
  for (const [index, { title, text }] of tasks.entries()) {
    console.log(`\n${title}\n  user: ${text}\n${searched[index]?.story.join('\n')}`);
  }
  const failed = rows.filter(({ runs }) => runs.some(({ isDone }) => !isDone)).map(({ name }) => name);
  if (failed.length > 0) throw new Error(`Not all done: ${failed.join(', ')}`);
} finally {
  await outside?.stop();
  await client.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
