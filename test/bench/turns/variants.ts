import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../../src/index.ts';
import type { AgentOf } from './cost.ts';
import { timed } from './timed.ts';

/** A way to send the tools of a catalog. */
export interface Variant {
  readonly name: string;
  make(tools: Record<string, MastraTool>): AgentOf;
}

const instructions = 'Do what the user asks with the tools. Search for a tool when you have none that fits.';

export const variants: readonly Variant[] = [
  { name: 'all sent', make: (tools) => (model) => ({ agent: agentOf(model, { tools }), spent: () => 0 }) },
  { name: '@mastra/core', make: (tools) => withProcessor(new CoreProcessor({ tools })) },
  ours('load', {}),
  ours('load + autoLoad', { search: { autoLoad: true } }),
  ours('load + preselect', { preselect: true }),
  ours('call', { mode: 'call' }),
  ours('call + preselect', { mode: 'call', preselect: true }),
  ours('native', { mode: 'native' }),
  ours('native + preselect', { mode: 'native', preselect: true }),
];

function ours(name: string, options: Omit<ToolSearchProcessorOptions, 'tools'>): Variant {
  return {
    name,
    make(tools) {
      const processor = new ToolSearchProcessor({ ...options, tools });
      processor.__registerMastra(new Mastra({ logger: false }));
      return withProcessor(processor);
    },
  };
}

function withProcessor(processor: InputProcessor): AgentOf {
  const { processor: inputProcessor, spent } = timed(processor);
  return (model) => ({ agent: agentOf(model, { inputProcessors: [inputProcessor] }), spent });
}

function agentOf(model: unknown, rest: object): Agent {
  return new Agent({ id: 'bench', name: 'Bench', instructions, model, ...rest } as never);
}
