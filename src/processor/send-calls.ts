import type { CatalogEntry } from '../catalog/entry.ts';
import type { Step } from '../meta-tools/step.ts';
import type { Calling } from '../modes/call/call.ts';
import type { ProcessorServices } from './services.ts';
import { type SentTools, type StepToSend, sendableIn, sendables, wrappedResult } from './step-tools.ts';

/**
 * Sends the meta-tools of call mode and what is resident.
 *
 * @param forced - the tool that the model has to call through the bridge.
 */
export function sendThroughBridge(
  calling: Calling,
  open: StepToSend,
  step: Step,
  pinned: readonly CatalogEntry[],
  forced: CatalogEntry | undefined,
  services: ProcessorServices,
): SentTools {
  const { args, own, separated, state, mayBeDurable } = open;
  // What is preselected was told with its definition, and is called through the bridge as everything else.
  step.loaded.clear();
  const sendable = sendableIn(open, (name) => step.resident.has(name), services);
  const parts = {
    step,
    args,
    own,
    forced,
    handed: separated.handed,
    handedFor: (entry: CatalogEntry) => services.handover.handedFor(entry, separated.handed),
    sendable,
    mayBeDurable,
    runOf: (entry: CatalogEntry) => services.handover.resumed(entry, args.model),
    pinned: sendables(pinned, sendable),
  };
  const sent = calling.send(parts);
  state.sent = new Set(sent.activeTools);
  return wrappedResult(open, sent);
}
