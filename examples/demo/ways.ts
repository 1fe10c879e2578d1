import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { type MastraTool, ToolSearchProcessor, type ToolSource } from 'mastra-tool-search';
import { quickJsTransport } from 'mastra-tool-search/quickjs';

type Tools = Record<string, MastraTool>;

/** A way for the tools to reach the model. */
export interface Way {
  readonly name: string;
  /** Whether the tools may lie outside the process. */
  readonly takesSource: boolean;
  /** Whether its runs have no thread. @mastra/core has such runs share what they load. */
  readonly isWithoutThread?: boolean;
  /** The model that the scripted one passes itself off as, where that matters. */
  readonly model?: { readonly provider: string; readonly modelId: string };
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

const core: Way = {
  name: '@mastra/core',
  takesSource: false,
  agentPart: (tools) => ({ inputProcessors: [new CoreProcessor({ tools })] }),
};

export const others: readonly Way[] = [
  core,
  { ...core, name: '@mastra/core, no threads', isWithoutThread: true },
  withProcessor('with preselect', (tools) => new ToolSearchProcessor({ tools, preselect: true, timeouts })),
  withProcessor("mode: 'call'", (tools) => new ToolSearchProcessor({ tools, mode: 'call' })),
  withProcessor(
    "mode: 'call', preselect",
    (tools) => new ToolSearchProcessor({ tools, mode: 'call', preselect: true, timeouts }),
  ),
  withProcessor(
    "mode: 'code', QuickJS",
    (tools) => new ToolSearchProcessor({ tools, mode: 'code', code: { transport: quickJsTransport() } }),
  ),
  {
    ...withProcessor("mode: 'native', Anthropic", (tools) => new ToolSearchProcessor({ tools, mode: 'native' })),
    model: { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
  },
];

function withProcessor(name: string, create: (tools: Tools | ToolSource) => InputProcessor): Way {
  return { name, takesSource: true, agentPart: (tools, source) => ({ inputProcessors: [create(source ?? tools)] }) };
}
