import type { Calling } from '../call/call.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { type Execute, markSent } from '../mastra/marks.ts';
import type { Step } from '../meta-tools/step.ts';
import type { ProcessorServices } from './services.ts';
import { type SentTools, type StepToSend, sendableIn, sendables, shownNames } from './step-tools.ts';

/** A step of load mode, in which calls of tools that are not sent may run. */
export function withMisses(open: StepToSend, step: Step, load: SentTools, services: ProcessorServices): SentTools {
  const { calling, args, separated, own } = open;
  if (!calling) return load;
  const { tools, model = args.model } = load;
  const others = Object.keys(tools).filter((name) => !Object.hasOwn(own, name));
  const sent = calling.runMisses({ step, args, model, own, others, handed: separated.handed, runOf: runOf(services) });
  markSent(sent.added);
  const all = { ...tools, ...sent.tools };
  const isDurable = open.mayBeDurable;
  return {
    tools: all,
    activeTools: isDurable ? shownNames(open, all, sent.activeTools) : sent.activeTools,
    model: sent.model,
  };
}

/** Runs calls that belong to no step. */
const runOf =
  ({ handover }: ProcessorServices) =>
  (entry: CatalogEntry): Execute =>
    handover.resumed(entry);

/** Sends the meta-tools of call mode and what is resident. */
export function sendThroughBridge(
  calling: Calling,
  open: StepToSend,
  step: Step,
  pinned: readonly CatalogEntry[],
  services: ProcessorServices,
): SentTools {
  const { args, own, separated, state } = open;
  // What is preselected was told with its definition, and is called through the bridge as everything else.
  step.loaded.clear();
  const sendable = sendableIn(open, (name) => step.resident.has(name), services);
  const parts = {
    step,
    args,
    own,
    handed: separated.handed,
    sendable,
    runOf: runOf(services),
    pinned: sendables(pinned, sendable),
  };
  const { tools, activeTools, model, added } = calling.send(parts);
  markSent(added);
  state.sent = new Set(activeTools);
  return { tools, activeTools: open.mayBeDurable ? shownNames(open, tools, activeTools) : activeTools, model };
}
