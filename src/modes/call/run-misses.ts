import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { CatalogEntry } from '../../catalog/entry.ts';
import type { Execute, HandedTool, HandedTools } from '../../mastra/marks.ts';
import { ActiveTools } from '../../mastra/withholding.ts';
import type { Services, Step } from '../../meta-tools/step.ts';
import { StepCalls } from './step-calls.ts';

/** A step of load mode. */
interface LoadStep {
  readonly step: Step;
  readonly args: ProcessInputStepArgs;
  /** The model of the step, wrapped or not. */
  readonly model: unknown;
  /** The names of the agent's own tools that are not searched. */
  readonly own: readonly string[];
  /** The names of the other tools that are sent. */
  readonly others: readonly string[];
  /** The tools that were handed over before the run. */
  readonly handed: HandedTools;
  /** What was handed over of a tool, or serves as that. */
  readonly handedFor: (entry: CatalogEntry) => HandedTool | undefined;
  /** Runs a call that belongs to no step. */
  readonly runOf: (entry: CatalogEntry) => Execute;
  readonly mayBeDurable: boolean;
}

/** What a step has besides, so that calls of tools can run that it does not send. */
export interface MissTools {
  readonly places: Readonly<Record<string, object>>;
  readonly activeTools: string[];
  readonly model: unknown;
}

/** Lets calls of tools run that a step of load mode does not send. */
export function runMisses(parts: LoadStep, services: Services): MissTools {
  const { args, model, own, others } = parts;
  const calls = new StepCalls({ ...parts, model: args.model, received: args.tools ?? {}, services, runsMisses: true });
  const visible = ActiveTools.of(args.activeTools, own, others);
  return { places: calls.places, activeTools: visible.list, model: calls.wrap(visible, (prompt) => prompt, model) };
}
