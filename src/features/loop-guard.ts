import { repeatedTools } from '../loaded/conversation/conversation.ts';
import type { StepMode } from '../modes/mode.ts';
import { forcedName, type Step } from '../step/step.ts';
import type { Feature } from './feature.ts';

/** Withholds meta-tools whose calls the run keeps repeating. */
export const loopGuard: Feature = {
  loaded(step, mode) {
    step.tools.spend(spentIn(step, mode));
  },
};

/** The meta-tools to withhold; none if the model would have no tool left, or if `toolChoice` forces one of them. */
function spentIn({ args, calls, tools }: Step, { metaNames, mandatory }: StepMode): ReadonlySet<string> {
  const all = repeatedTools(calls, metaNames);
  const repeated = new Set([...all].filter((name) => !mandatory.includes(name)));
  const isNeeded =
    repeated.has(forcedName(args.toolChoice) ?? '') || tools.callable.every((name) => repeated.has(name));
  return isNeeded ? new Set() : repeated;
}
