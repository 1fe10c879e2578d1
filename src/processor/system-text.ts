import type { ProcessInputStepArgs } from '@mastra/core/processors';
import * as prompts from '../meta-tools/prompts.ts';
import type { Services, Step } from '../meta-tools/step.ts';
import type { NativePlan } from '../native/plan.ts';

/**
 * The texts that tell the model of its tools: how to search, hints of this request, the injected catalog.
 *
 * @param ownText - how to search and call, in a mode with words of its own.
 */
export async function systemTexts(
  step: Step,
  plan: NativePlan | undefined,
  services: Services,
  ownText?: string,
): Promise<readonly string[]> {
  const { names, systemText } = services.options.metaTools;
  const asSent: prompts.MetaToolNames = plan ? { ...names, search: plan.searchName } : names;
  const injected = await injectedIn(step, asSent, services);
  const isHosted = plan?.execution === 'server';
  const usual = isHosted ? prompts.hostedSearchText() : prompts.systemText(asSent, step.autoLoad);
  const firm = prompts.firmSystemText(asSent, step.autoLoad, step.bridge?.name);
  const how = systemText === 'firm' ? firm : (systemText ?? ownText ?? usual);
  return [how, ...step.state.hints, injected];
}

async function injectedIn(step: Step, names: prompts.MetaToolNames, services: Services): Promise<string> {
  if (!services.options.injectCatalog) return '';
  const { injectedCatalog } = await import('./injected-catalog.ts');
  return injectedCatalog(step, names, services);
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
