// Tools of the caller, without giving them to the agent: `tools` is a function of the request. It is called once in each
// run; here it lists what the MCP servers of the user have, started with that user's token.
// Run it with: npm run example:per-user-tools
import assert from 'node:assert/strict';
import { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import type { MCPClient } from '@mastra/mcp';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { scriptedModel, toolNames, userText } from '../test/support/scripted-model.ts';
import { mcpClient, server } from './support/mcp-servers.ts';
import { taskScript } from './support/task-script.ts';

const users = ['ada', 'grace', 'edsger'] as const;
type User = (typeof users)[number];

/** One client for each user, made when the user first comes. */
const clients = new Map<User, MCPClient>();
function clientOf(user: User): MCPClient {
  const known = clients.get(user);
  if (known) return known;
  const account = server('mcp-server-everything', [], { CALLER_TOKEN: `token-of-${user}` });
  // Only Grace may draw charts.
  const client = mcpClient(
    `per-user-${user}`,
    user === 'grace' ? { account, charts: server('mcp-server-chart') } : { account },
  );
  clients.set(user, client);
  return client;
}

let calls = 0;
const processor = new ToolSearchProcessor({
  tools: async ({ requestContext }) => {
    calls += 1;
    // A server that is down or slow costs its own tools only.
    const client = clientOf(requestContext?.get('user') as User);
    const { tools, errors } = await client.listToolsWithErrors({ perServerTimeoutMs: 30_000 });
    for (const [name, error] of Object.entries(errors)) console.warn(`Without the server ${name}: ${error}`);
    return tools;
  },
  // The first run of a user waits for the servers to start.
  timeouts: { tools: 35_000 },
});

const model = scriptedModel(taskScript([{ search: 'environment variables', values: {} }]));
const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'You help.',
  model,
  inputProcessors: [processor],
  defaultOptions: { maxSteps: 20 },
});

/** What the tools of a run answered. */
async function ask(user: User): Promise<string> {
  const requestContext = new RequestContext([['user', user]]);
  const { steps } = await agent.generate(`I am ${user}. Which token do I have?`, { requestContext });
  return JSON.stringify(steps.flatMap((step) => step.toolResults.map((result) => result.payload.result)));
}

try {
  // All at once, each twice, over one agent and one processor.
  const asked = [...users, ...users];
  const answers = await Promise.all(asked.map(ask));
  for (const [position, user] of asked.entries()) {
    for (const other of users) {
      const hasToken = answers[position]?.includes(`token-of-${other}`);
      assert.equal(hasToken, other === user, `${user} ${hasToken ? 'got' : 'did not get'} the token of ${other}`);
    }
  }
  assert.equal(calls, asked.length);

  const found = async (user: User): Promise<string> => {
    const requestContext = new RequestContext<unknown>([['user', user]]);
    const [best] = await processor.search('draw a pie chart', { requestContext, limit: 1 });
    return best?.name ?? 'nothing';
  };
  assert.match(await found('grace'), /^charts_/);
  assert.doesNotMatch(await found('ada'), /^charts_/);

  for (const user of users) {
    const own = model.calls.filter(({ prompt }) => userText(prompt).includes(`I am ${user}.`));
    const sent = new Set(own.map((call) => toolNames(call).join(', ')));
    console.log(`${user} got the token of ${user}; "draw a pie chart" finds ${await found(user)}. The model was sent`);
    for (const names of sent) console.log(`  ${names}`);
  }
  console.log(`${asked.length} runs, ${asked.length} lists of tools.`);
} finally {
  await Promise.all([...clients.values()].map((client) => client.disconnect()));
}
