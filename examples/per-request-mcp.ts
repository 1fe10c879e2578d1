// Tools that differ from request to request: MCP servers started with the caller's own token. The agent's `tools` are
// a function of the request, and `includeResolvedTools` makes them searchable without sending them.
// Run it with: npm run example:per-request-mcp
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { scriptedModel, toolNames } from '../test/support/scripted-model.ts';
import { mcpClient, server } from './support/mcp-servers.ts';
import { taskScript } from './support/task-script.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'per-request-mcp-'));
writeFileSync(path.join(folder, 'plan.txt'), 'Buy bread.');

// Ada may read files, Grace may draw charts; both have a server that knows their token.
const clients = {
  ada: mcpClient('ada', {
    account: server('mcp-server-everything', [], { CALLER_TOKEN: 'token-of-ada' }),
    files: server('mcp-server-filesystem', [folder]),
  }),
  grace: mcpClient('grace', {
    account: server('mcp-server-everything', [], { CALLER_TOKEN: 'token-of-grace' }),
    charts: server('mcp-server-chart'),
  }),
};

const model = scriptedModel(
  taskScript([
    { search: 'environment variables', values: {} },
    { search: 'read text file', values: { path: path.join(folder, 'plan.txt') } },
  ]),
);

// One agent and one processor serve both.
const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'You help.',
  model,
  tools: ({ requestContext }) => clients[requestContext.get('user') as keyof typeof clients].listTools(),
  inputProcessors: [new ToolSearchProcessor({ includeResolvedTools: true })],
  defaultOptions: { maxSteps: 20 },
});

try {
  for (const user of ['ada', 'grace'] as const) {
    const before = model.calls.length;
    const requestContext = new RequestContext([['user', user]]);
    const { text, steps } = await agent.generate('Which token do I have, and what is my plan?', { requestContext });
    const results = JSON.stringify(steps.flatMap((step) => step.toolResults.map((result) => result.payload.result)));
    const other = user === 'ada' ? 'grace' : 'ada';
    assert.ok(results.includes(`token-of-${user}`), `${user} has no token`);
    assert.ok(!results.includes(`token-of-${other}`), `${user} got the token of ${other}`);
    assert.equal(results.includes('Buy bread.'), user === 'ada');

    console.log(`${user}: ${Object.keys(await clients[user].listTools()).length} tools, of which the model was sent`);
    for (const call of model.calls.slice(before)) console.log(`  ${toolNames(call).join(', ')}`);
    const note = user === 'grace' ? ' (grace has no file server)' : '';
    console.log(`  The token is that of ${user}. ${text}${note}\n`);
  }
} finally {
  await Promise.all(Object.values(clients).map((client) => client.disconnect()));
  rmSync(folder, { recursive: true, force: true });
}
