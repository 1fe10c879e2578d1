import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../../src/index.ts';
import { asRecord } from '../../../src/util/record.ts';
import type { LabelledSet } from '../retrieval/sets.ts';
import { toolsOfSet } from '../turns/tools.ts';
import type { ModelBenchOptions } from './options.ts';
import { type DrawnTask, shuffle } from './tasks.ts';

export type WayName = 'core' | 'load' | 'autoLoad' | 'load+preselect' | 'call' | 'call+preselect' | 'oracle';

/** How the tools of a set reach the model: the options of ours, or another way. */
export const WAYS: Readonly<Record<WayName, Partial<ToolSearchProcessorOptions> | 'core' | 'oracle'>> = {
  core: 'core',
  load: {},
  autoLoad: { search: { autoLoad: true } },
  'load+preselect': { preselect: true },
  call: { mode: 'call' },
  'call+preselect': { mode: 'call', preselect: true },
  oracle: 'oracle',
};

/** A way over one set. */
export interface Way {
  readonly name: WayName;
  agentFor(task: DrawnTask): Agent;
  /** The tools that ran, in order; emptied before each run. */
  readonly executed: string[];
  /** Absent where ours is not. */
  readonly processor?: ToolSearchProcessor;
}

/** Tools besides the right ones that the oracle sends. */
const OTHERS = 4;

export function wayOver(name: WayName, set: LabelledSet, { url, key, setup, seed }: ModelBenchOptions): Way {
  const executed: string[] = [];
  const tools = toolsOfSet(set.tools, (id) => executed.push(id));
  const agentWith = (rest: { inputProcessors: InputProcessor[] } | { tools: Record<string, MastraTool> }): Agent => {
    // Whatever the provider of the id: with a url, Mastra asks nothing but that.
    const model = { id: `custom/${setup.model}` as const, url, apiKey: key };
    const agent = new Agent({
      id: 'bench',
      name: 'Bench',
      instructions: 'You are a helpful assistant.',
      model,
      ...rest,
    } as never);
    new Mastra({ agents: { bench: agent }, logger: false });
    return agent;
  };
  const own = WAYS[name];
  if (own === 'oracle') {
    const agentFor = ({ id, right }: DrawnTask): Agent => {
      const shuffled = shuffle(Object.entries(tools), ([tool]) => `${seed} ${id} ${tool}`);
      const others = new Set(
        shuffled
          .filter(([tool]) => !right.has(tool))
          .slice(0, OTHERS)
          .map(([tool]) => tool),
      );
      return agentWith({ tools: Object.fromEntries(shuffled.filter(([tool]) => right.has(tool) || others.has(tool))) });
    };
    return { name, executed, agentFor };
  }
  if (own === 'core') {
    const agent = agentWith({ inputProcessors: [new CoreProcessor({ tools })] });
    return { name, executed, agentFor: () => agent };
  }
  const processor = new ToolSearchProcessor({ ...optionsOf(name, setup.options), tools });
  const agent = agentWith({ inputProcessors: [processor] });
  return { name, executed, processor, agentFor: () => agent };
}

/** The options of a way of ours, with others in them; those of a group, such as `search`, stand side by side. */
export function optionsOf(
  name: WayName,
  options: Readonly<Record<string, unknown>>,
): Partial<ToolSearchProcessorOptions> {
  const own = asRecord(WAYS[name]) ?? {};
  const groups = Object.entries(options).map(([group, value]) => {
    const [before, after] = [asRecord(own[group]), asRecord(value)];
    return [group, before && after ? { ...before, ...after } : value];
  });
  return { ...own, ...Object.fromEntries(groups) };
}
