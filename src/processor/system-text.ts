import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { Services, Step } from '../meta-tools/step.ts';
import type { NativePlan } from '../native/plan.ts';
import * as prompts from '../prompts.ts';
import { injectedCatalog } from './injected-catalog.ts';

/** The texts that tell the model of its tools: how to search, hints of this request, the injected catalog. */
export async function systemTexts(
  step: Step,
  plan: NativePlan | undefined,
  services: Services,
): Promise<readonly string[]> {
  const { names } = services.options.metaTools;
  const asSent: prompts.MetaToolNames = plan ? { ...names, search: plan.searchName } : names;
  const injected = await injectedCatalog(step, asSent, services);
  const how = plan?.execution === 'server' ? prompts.hostedSearchText() : prompts.systemText(asSent, step.autoLoad);
  return [how, ...step.state.hints, injected];
}

/**
 * Writes texts under a tag of their own, in place of those of the step before: a DurableAgent keeps all system messages
 * over its steps, a plain agent the tagged ones.
 */
export function writeSystemText(
  { messageList }: ProcessInputStepArgs,
  texts: readonly string[],
  { options }: Services,
): void {
  const tag = `tool-search:${options.metaTools.names.search}`;
  // A list that is not Mastra's own may lack the method.
  messageList.clearSystemMessages?.(tag);
  for (const text of texts) if (text !== '') messageList.addSystem(text, tag);
}
