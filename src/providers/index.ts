/** Known rules by which providers refuse tools. Each provider has its own file. */
import { asRecord } from '../util/record.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';
import type { Provider } from './provider.ts';

export { type Adaptation, adapt, faultsOf, isAccepted, validatable } from './adapt.ts';
export type { Fault, Provider } from './provider.ts';
export type { Renaming } from './renaming.ts';

export const providers: readonly Provider[] = [anthropic, openai, google, bedrock];

/**
 * Returns the providers that check the tools of a model: its own, and that of its host. Empty for a model of an unknown
 * provider.
 */
export function providersOf(model: unknown): readonly Provider[] {
  try {
    const { provider, modelId } = asRecord(model) ?? {};
    if (typeof provider !== 'string' || typeof modelId !== 'string') return [];
    return providers.filter((one) => one.serves({ provider, modelId }));
  } catch {
    return [];
  }
}
