import type { MastraTool } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Registry } from '../loaded/registry.ts';
import type { ResolvedMetaTools } from '../options/meta-tools.ts';
import type { Step } from '../processor/step.ts';
import { echo } from '../util/text.ts';
import { createMetaTool, duringCall, listed, objectSchema, readTexts, TEXT, TEXTS } from './meta-tool.ts';
import * as prompts from './prompts.ts';

/**
 * What the model sends to `unload_tool`.
 *
 * @example
 * ```ts
 * const input: UnloadToolInput = { toolNames: ['send_email'] };
 * ```
 */
export interface UnloadToolInput {
  toolNames: string[];
}

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

const PARAMETERS = objectSchema<keyof UnloadToolInput>(
  { toolNames: { ...TEXTS, description: 'Exact names of loaded tools' } },
  ['toolNames'],
);

const RESULT = objectSchema<keyof UnloadToolResult>(
  { success: { type: 'boolean' }, message: TEXT, unloaded: TEXTS, notLoaded: TEXTS },
  ['success', 'message'],
);

/** Names in one call; the rest is ignored. */
const MAX_NAMES = 100;

export function createUnloadTool(
  name: string,
  step: Step,
  { names, unloadDescription }: ResolvedMetaTools,
  registry: Registry,
  reporter: Reporter,
): MastraTool {
  return createMetaTool<UnloadToolInput, UnloadToolResult>({
    name,
    description: unloadDescription ?? prompts.unloadDescription(names),
    parameters: PARAMETERS,
    result: RESULT,
    read: (fields) => ({ toolNames: readTexts(fields['toolNames']) ?? [] }),
    execute: (input, context) => unload(input.toolNames, duringCall(step, context), registry, reporter),
  });
}

async function unload(
  toolNames: readonly string[],
  step: Step,
  registry: Registry,
  reporter: Reporter,
): Promise<UnloadToolResult> {
  const { catalog, tools, permissions } = step;
  const asked = [...new Set(toolNames.filter((name) => name !== ''))].slice(0, MAX_NAMES);
  if (asked.length === 0) return { success: false, message: prompts.emptyNames() };
  // The request must not learn of a loaded tool that it was not sent.
  const maySee = (name: string): boolean => tools.isLoaded(name) && !tools.isHidden(name) && !permissions.isAborted;
  const unloaded = new Set<string>();
  const notLoaded: string[] = [];
  for (const name of asked) {
    const entry = catalog.get(name);
    if (entry && maySee(entry.name)) unloaded.add(entry.name);
    else notLoaded.push(echo(name));
  }
  tools.unload(unloaded);
  await registry.remove(
    step.state,
    [...unloaded].flatMap((name) => catalog.spellingsOf(name)),
  );
  if (unloaded.size > 0) reporter.report({ type: 'unload', toolNames: [...unloaded], by: 'model' }, step.origin);
  return {
    success: notLoaded.length === 0,
    message: prompts.unloadedMany([...unloaded], notLoaded),
    ...listed({ unloaded: [...unloaded], notLoaded }),
  };
}
