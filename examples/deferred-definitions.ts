// Definitions on demand: the catalog holds names and descriptions, and the MCP server, which wants the user's own token,
// is started when the model loads one of its tools.
// Run it with: npm run example:deferred-definitions
import assert from 'node:assert/strict';
import { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import type { MCPClient } from '@mastra/mcp';
import { ToolSearchProcessor, type ToolStub } from 'mastra-tool-search';
import { scriptedModel, toolNames } from '../test/support/scripted-model.ts';
import { mcpClient, server } from './support/mcp-servers.ts';
import { taskScript } from './support/task-script.ts';

// What a registry keeps of the server: enough to be found.
const registry = [
  { id: 'account_get-env', description: 'Returns all environment variables of the account', parameters: [] },
  { id: 'account_get-sum', description: 'Returns the sum of two numbers', parameters: ['a', 'b'] },
  { id: 'account_echo', description: 'Echoes back the input string', parameters: ['message'] },
];

/** Stands for an OAuth flow: the token is asked for when somebody needs it. */
const signIn = async (user: string) => `token-of-${user}`;

const clients = new Map<string, Promise<MCPClient>>();
function clientOf(user: string): Promise<MCPClient> {
  const started = clients.get(user) ?? start(user);
  clients.set(user, started);
  return started;
}
async function start(user: string): Promise<MCPClient> {
  console.log(`  ${user} signs in, and the server starts`);
  return mcpClient(user, { account: server('mcp-server-everything', [], { CALLER_TOKEN: await signIn(user) }) });
}

const stubs = registry.map(
  (entry): ToolStub => ({
    ...entry,
    resolve: async ({ requestContext }) => {
      const client = await clientOf(String(requestContext?.get('user')));
      const tool = (await client.listTools())[entry.id];
      if (!tool) throw new Error(`The server has no tool "${entry.id}" any more`);
      return tool;
    },
  }),
);

const model = scriptedModel(({ prompt, ...call }) => {
  const isIdle = JSON.stringify(prompt.findLast(({ role }) => role === 'user')).includes('Hello');
  return isIdle ? { text: 'Hello!' } : work({ prompt, ...call });
});
const work = taskScript([{ search: 'environment variables', values: {} }]);

const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'You help.',
  model,
  inputProcessors: [
    new ToolSearchProcessor({
      tools: Object.fromEntries(stubs.map((stub) => [stub.id, stub])),
      timeouts: { tools: 30_000 },
    }),
  ],
  defaultOptions: { maxSteps: 20 },
});

try {
  for (const [user, question] of [
    ['ada', 'Hello'],
    ['ada', 'Which token do I have?'],
    ['grace', 'Which token do I have?'],
  ] as const) {
    console.log(`${user}: ${question}`);
    const before = model.calls.length;
    const { steps } = await agent.generate(question, { requestContext: new RequestContext([['user', user]]) });
    const results = JSON.stringify(steps.flatMap((step) => step.toolResults.map((result) => result.payload.result)));
    assert.equal(results.includes(`token-of-${user}`), question !== 'Hello');
    for (const call of model.calls.slice(before)) console.log(`  the model was sent ${toolNames(call).join(', ')}`);
    if (question !== 'Hello') console.log(`  The token is that of ${user}.`);
  }
  assert.deepEqual([...clients.keys()], ['ada', 'grace']);
} finally {
  await Promise.all([...clients.values()].map(async (client) => (await client).disconnect()));
}
