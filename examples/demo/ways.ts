import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';

/** A way for the tools to reach the model. */
export interface Way {
  readonly name: string;
  /** The part of an agent that the tools are given to. One processor serves all runs. */
  agentPart(tools: Record<string, MastraTool>): {
    tools?: Record<string, MastraTool>;
    inputProcessors?: InputProcessor[];
  };
}

export const allSent: Way = { name: 'all tools sent', agentPart: (tools) => ({ tools }) };

/** Time enough on a busy machine: the figures shall be the same on each. */
const timeouts = { preselect: 10_000 };

/** The way whose steps are told. */
export const search: Way = withProcessor('tool search', (tools) => new ToolSearchProcessor({ tools }));

export const others: readonly Way[] = [
  withProcessor('@mastra/core', (tools) => new CoreProcessor({ tools })),
  withProcessor('with preselect', (tools) => new ToolSearchProcessor({ tools, preselect: true, timeouts })),
  withProcessor("mode: 'call'", (tools) => new ToolSearchProcessor({ tools, mode: 'call' })),
  withProcessor(
    "mode: 'call', preselect",
    (tools) => new ToolSearchProcessor({ tools, mode: 'call', preselect: true, timeouts }),
  ),
];

function withProcessor(name: string, create: (tools: Record<string, MastraTool>) => InputProcessor): Way {
  return { name, agentPart: (tools) => ({ inputProcessors: [create(tools)] }) };
}
