import { echo } from '../util/text.ts';
import * as prompts from './prompts.ts';
import type { Services, Step } from './step.ts';

/**
 * What the model gets back from `unload_tool`.
 *
 * @example
 * ```ts
 * const unloadedBy = ({ unloaded = [] }: UnloadToolResult) => unloaded;
 * ```
 */
export interface UnloadToolResult {
  success: boolean;
  message: string;
  unloaded?: string[] | undefined;
  /** Names of tools that were not loaded; those that are always sent cannot be unloaded. */
  notLoaded?: string[] | undefined;
}

/** Names in one call; the rest is ignored. */
const MAX_NAMES = 100;

/** Answers a call, and reports it. */
export async function unload(toolNames: readonly string[], step: Step, services: Services): Promise<UnloadToolResult> {
  const asked = [...new Set(toolNames.filter((name) => name !== ''))].slice(0, MAX_NAMES);
  if (asked.length === 0) return { success: false, message: prompts.emptyNames() };
  const loaded = asked.flatMap((name) => step.catalog.get(name) ?? []).filter(({ name }) => step.loaded.has(name));
  // The request must not learn of a loaded tool that it was not sent.
  const sent = new Set(await step.permissions.allowed(loaded, 'active'));
  const unloaded = new Set<string>();
  const notLoaded: string[] = [];
  for (const name of asked) {
    const entry = step.catalog.get(name);
    if (entry && sent.has(entry)) unloaded.add(entry.name);
    else notLoaded.push(echo(name));
  }
  for (const name of unloaded) step.loaded.delete(name);
  await services.registry.remove(
    step.state,
    [...unloaded].flatMap((name) => step.catalog.spellingsOf(name)),
  );
  if (unloaded.size > 0)
    services.reporter.report({ type: 'unload', toolNames: [...unloaded], by: 'model' }, step.origin);
  return {
    success: notLoaded.length === 0,
    message: prompts.unloadedMany([...unloaded], notLoaded),
    ...(unloaded.size > 0 ? { unloaded: [...unloaded] } : {}),
    ...(notLoaded.length > 0 ? { notLoaded } : {}),
  };
}
