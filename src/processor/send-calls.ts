import type { Calling } from '../call/call.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { Execute } from '../mastra/marks.ts';
import type { Step } from '../meta-tools/step.ts';
import type { ProcessorServices } from './services.ts';
import { type SentTools, type StepToSend, sendableIn, sendables, wrappedResult } from './step-tools.ts';

/** A step of load mode, in which calls of tools that are not sent may run. */
export function withMisses(open: StepToSend, step: Step, load: SentTools, services: ProcessorServices): SentTools {
  const { calling, args, separated, own } = open;
  if (!calling) return load;
  const { tools, model = args.model } = load;
  const others = Object.keys(tools).filter((name) => !Object.hasOwn(own, name));
  const sent = calling.runMisses({ step, args, model, own, others, handed: separated.handed, runOf: runOf(services) });
  return wrappedResult(open, { ...sent, tools: { ...tools, ...sent.tools } });
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
  const sent = calling.send(parts);
  state.sent = new Set(sent.activeTools);
  return wrappedResult(open, sent);
}
