import { hash } from 'node:crypto';
import { ToolSearchError } from '../errors.ts';
import { didYouMean, likeliestNames } from '../scorers/words/suggest.ts';
import { isMastraTool, isProviderTool } from './tool.ts';

/** Letters of a hash: enough that no two names of one catalog share them. */
const HASH_LENGTH = 8;

/**
 * A name that providers accept in place of one that they refuse, always the same: refused characters become `_`. A name
 * that is too long, or whose like is taken, keeps its beginning and ends in a hash of the whole.
 */
export function repairName(name: string, isTaken: (name: string) => boolean): string {
  const repaired = name.replace(/[^A-Za-z0-9_-]/gu, '_');
  if (isAcceptedName(repaired) && !isTaken(repaired)) return repaired;
  const start = repaired.slice(0, MAX_NAME - HASH_LENGTH - 1);
  return `${start}_${hash('sha256', name, 'hex').slice(0, HASH_LENGTH)}`;
}

/** A key that Mastra leaves as it is. */
const KEPT_KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** The key under which Mastra keeps a tool among an agent's own: what its `formatTools` makes of a name. */
export function agentKey(name: string): string {
  if (KEPT_KEY.test(name)) return name;
  const repaired = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(repaired) ? repaired : `_${repaired}`).slice(0, 63);
}

/** Tools that Mastra's own prompts and memory know by their key alone. */
const KNOWN_BY_KEY: readonly string[] = ['updateWorkingMemory', 'setWorkingMemory'];

/** The name by which @mastra/core calls a tool: its `id`, else its key. */
export function originalNameOf(key: string, tool: object): string {
  const { id } = tool as { id?: unknown };
  if (typeof id !== 'string' || id === '' || isMadeUp(id, tool)) return key;
  return id;
}

/** Whether the model may call a tool by its `id`. A provider's tool is called by its key. */
export function isCalledById(key: string, tool: object): boolean {
  return !isProviderTool(tool) && !KNOWN_BY_KEY.includes(key) && !isPerhapsByChance(tool);
}

/** Whether Mastra made the `id`: for an AI SDK tool with a description it is a hash of that. */
function isMadeUp(id: string, tool: object): boolean {
  if (isMastraTool(tool) || !id.startsWith('tool-')) return false;
  const { description } = tool as { description?: unknown };
  if (typeof description !== 'string' || description === '') return false;
  return id === `tool-${hash('sha256', description, 'hex').slice(0, 8)}`;
}

/**
 * Whether Mastra may have made the `id` by chance, anew in each run, as it does for a tool without a description. Such
 * an `id` is no name for the model; a filter is asked by it, as somebody may have written it after all.
 */
function isPerhapsByChance(tool: object): boolean {
  const { id } = tool as { id?: unknown };
  if (isMastraTool(tool) || typeof id !== 'string' || !/^tool-[0-9a-z]{1,7}$/.test(id)) return false;
  return !(tool as { description?: unknown }).description;
}

interface ResolvedName {
  readonly name: string;
  readonly originalName: string;
  /** Whether its `id` is taken by another tool, so that it is called by its key. */
  readonly isShared: boolean;
}

/**
 * The names of a request's own tools, by key: as in @mastra/core their `id`, in a form that providers accept. A tool
 * whose `id` is the key or the name of another tool is called by its key: Mastra looks for the tool of a call by key
 * first, and would find the wrong one.
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

/**
 * Refuses names in an option that none of the constructor's tools is called by.
 *
 * @param remark - the end of the message, with the space before it.
 * @throws ToolSearchError `invalid-option`
 */
export function refuseUnknownNames(
  option: string,
  written: Iterable<string>,
  catalog: { get(name: string): { readonly name: string } | undefined; readonly names: Iterable<string> },
  remark = '',
): void {
  for (const spelling of written) {
    const name = catalog.get(spelling)?.name;
    if (name === spelling) continue;
    const hint = didYouMean(name === undefined ? likeliestNames(spelling, catalog.names) : [name]);
    throw new ToolSearchError(
      'invalid-option',
      `"${option}" has "${spelling}", which is none of "tools".${hint}${remark}`,
    );
  }
}

/** Characters of a name that all large providers accept. */
export const MAX_NAME = 64;
const ACCEPTED_NAME = /^[A-Za-z0-9_-]+$/;

/** Whether every large provider accepts the name for a tool, and a record of Mastra's can have it for a key. */
export function isAcceptedName(name: string): boolean {
  return name.length <= MAX_NAME && ACCEPTED_NAME.test(name) && name !== '__proto__';
}
