import { hash } from 'node:crypto';
import { agentKey, isAcceptedName, repairName } from './names.ts';
import { isMastraTool, isProviderTool } from './tool.ts';

/** Tools that Mastra's own prompts and memory know by their key alone. */
const KNOWN_BY_KEY: readonly string[] = ['updateWorkingMemory', 'setWorkingMemory'];

/** What @mastra/core calls a tool: its `id`, else its key. */
export function originalNameOf(key: string, tool: object): string {
  const { id } = tool as { id?: unknown };
  if (typeof id !== 'string' || id === '' || isMadeUp(id, tool)) return key;
  return id;
}

/** Whether the `id` of a tool may be what the model calls: a provider's is not. */
export function isCalledById(key: string, tool: object): boolean {
  return !isProviderTool(tool) && !KNOWN_BY_KEY.includes(key) && !isPerhapsByChance(tool);
}

/** Mastra gives an AI SDK tool with a description an `id` that nobody wrote: a hash of that. */
function isMadeUp(id: string, tool: object): boolean {
  if (isMastraTool(tool) || !id.startsWith('tool-')) return false;
  const { description } = tool as { description?: unknown };
  if (typeof description !== 'string' || description === '') return false;
  return id === `tool-${hash('sha256', description, 'hex').slice(0, 8)}`;
}

/**
 * Without a description, Mastra makes the `id` by chance, anew in each run: no name for the model. It cannot be told from
 * one that somebody wrote, by which a filter may deny the tool.
 */
function isPerhapsByChance(tool: object): boolean {
  const { id } = tool as { id?: unknown };
  if (isMastraTool(tool) || typeof id !== 'string' || !/^tool-[0-9a-z]{1,7}$/.test(id)) return false;
  return !(tool as { description?: unknown }).description;
}

/** How a tool of a request is called. */
export interface ResolvedName {
  readonly name: string;
  readonly originalName: string;
  /** Whether another tool has the name that this one would have by its `id`. */
  readonly isShared: boolean;
}

/**
 * The names of a request's own tools, by key: as in @mastra/core their `id`, in a form that providers accept. A tool keeps
 * its key where the `id` is the key or the name of another, so that Mastra, which looks for a call's tool by key first,
 * never finds the wrong one.
 */
export function resolvedNames(
  tools: Iterable<readonly [key: string, tool: object]>,
  isTaken: (name: string) => boolean,
): ReadonlyMap<string, ResolvedName> {
  const all = [...tools];
  const names = new Map<string, ResolvedName>();
  const used = new Set(all.flatMap(([key]) => [key, agentKey(key)]));
  const odd: { key: string; originalName: string }[] = [];
  const isUsed = (name: string): boolean => used.has(name) || isTaken(name);
  const add = (key: string, originalName: string, name: string, isShared = false): void => {
    used.add(name);
    names.set(key, { name, originalName, isShared });
  };
  for (const [key, tool] of all) {
    const originalName = originalNameOf(key, tool);
    if (originalName === key || originalName === agentKey(key) || !isCalledById(key, tool))
      add(key, originalName, agentKey(key));
    else if (!isAcceptedName(originalName)) odd.push({ key, originalName });
    else if (isUsed(originalName)) add(key, originalName, agentKey(key), true);
    else add(key, originalName, originalName);
  }
  // Only now, so that a repaired name never takes the place of a tool that really has it.
  for (const { key, originalName } of odd) {
    const name = repairName(originalName, (other) => other !== key && isUsed(other));
    const isFree = name === key || !isUsed(name);
    add(key, originalName, isFree ? name : agentKey(key));
  }
  return names;
}
