import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { type ChangingServers, changingServers } from '../support/changing-mcp.ts';
import { call, newMemory, rig } from '../support/harness.ts';
import { type Script, type ToolResult, toolNames, toolResults, userText } from '../support/scripted-model.ts';

export type ToolCall = ReturnType<typeof call>;

export interface Thread {
  readonly servers: ChangingServers;
  readonly events: readonly ToolSearchEvent[];
  /** What the first step of a run was sent, and the results of its calls. */
  run(...toolCalls: ToolCall[]): Promise<{ sent: string[]; results: ToolResult[] }>;
}

/** Makes the calls that the user's text lists, one a step. */
const asTheUserSays: Script = ({ prompt, step }) => {
  const next = (JSON.parse(userText(prompt)) as ToolCall[])[step];
  return next ? { toolCalls: [next] } : { text: 'done' };
};

/** One thread of an agent whose runs each ask these servers: descriptions by server and name of the tool. */
export function threadOver(
  id: string,
  tools: Readonly<Record<string, Readonly<Record<string, string>>>>,
  options: (servers: ChangingServers) => ToolSearchProcessorOptions = ({ client }) => ({
    tools: () => client.listTools(),
  }),
): Thread {
  const servers = changingServers(id, tools);
  const events: ToolSearchEvent[] = [];
  const { agent, model } = rig(
    // The first run starts the servers. What the user says here are calls, with the words of tools.
    {
      onEvent: (event) => events.push(event),
      timeouts: { tools: 120_000 },
      search: { useMessage: false },
      ...options(servers),
    },
    { script: asTheUserSays, agent: { memory: newMemory() } },
  );
  return {
    servers,
    events,
    async run(...toolCalls) {
      const before = model.calls.length;
      const turn = { memory: { thread: 'thread-1', resource: 'user-1' }, maxSteps: 9 };
      await agent.generate(JSON.stringify(toolCalls), turn);
      const calls = model.calls.slice(before);
      const last = calls.at(-1)!.prompt;
      const results = toolResults(last.slice(last.findLastIndex(({ role }) => role === 'user')));
      return { sent: toolNames(calls[0]!), results };
    },
  };
}

export const search = (query: string): ToolCall => call('search_tools', { query });

/** The names that a search found. */
export const found = (result: ToolResult | undefined): string[] =>
  ((result?.value as { results?: { name: string }[] } | undefined)?.results ?? []).map(({ name }) => name);

export const textOf = (result: ToolResult | undefined): string => JSON.stringify(result?.value);
