import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { type MastraTool, ToolSearchProcessor, type ToolSource } from 'mastra-tool-search';

type Tools = Record<string, MastraTool>;

/** A way for the tools to reach the model. */
export interface Way {
  readonly name: string;
  /** Whether the tools may lie outside the process. */
  readonly takesSource: boolean;
  /** The part of an agent that the tools are given to, themselves or where they lie. One processor serves all runs. */
  agentPart(
    tools: Tools,
    source?: ToolSource,
  ): {
    tools?: Tools;
    inputProcessors?: InputProcessor[];
  };
}

export const allSent: Way = { name: 'all tools sent', takesSource: false, agentPart: (tools) => ({ tools }) };

/** Time enough on a busy machine: the figures shall be the same on each. */
const timeouts = { preselect: 10_000 };

/** The way whose steps are told. */
export const search: Way = withProcessor('tool search', (tools) => new ToolSearchProcessor({ tools }));

export const others: readonly Way[] = [
  {
    name: '@mastra/core',
    takesSource: false,
    agentPart: (tools) => ({ inputProcessors: [new CoreProcessor({ tools })] }),
  },
  withProcessor('with preselect', (tools) => new ToolSearchProcessor({ tools, preselect: true, timeouts })),
  withProcessor("mode: 'call'", (tools) => new ToolSearchProcessor({ tools, mode: 'call' })),
  withProcessor(
    "mode: 'call', preselect",
    (tools) => new ToolSearchProcessor({ tools, mode: 'call', preselect: true, timeouts }),
  ),
];

function withProcessor(name: string, create: (tools: Tools | ToolSource) => InputProcessor): Way {
  return { name, takesSource: true, agentPart: (tools, source) => ({ inputProcessors: [create(source ?? tools)] }) };
}
