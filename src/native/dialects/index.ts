import type { NativeModel, ProviderSearch } from '../../kit.ts';
import type { Dialect } from '../dialect.ts';
import { anthropic } from './anthropic/dialect.ts';
import { openai } from './openai/dialect.ts';

/** All dialects, by name. */
export const dialects: Map<string, Dialect> = new Map([anthropic, openai].map((dialect) => [dialect.name, dialect]));

/** The dialect of a model that has a tool search. */
export function dialectOf(model: NativeModel): Dialect | undefined {
  return [...dialects.values()].find((dialect) => dialect.speaks(model) && dialect.hasSearch(model.modelId ?? ''));
}

/** Whether the result of a provider's search lacks what it found. */
export function isForgottenSearch(origin: ProviderSearch | undefined, result: unknown): boolean {
  return origin?.side === 'server' && dialects.get(origin.dialect)?.isForgotten(result) === true;
}
