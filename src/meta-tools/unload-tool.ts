import { createTool, type Tool } from '@mastra/core/tools';
import { z } from 'zod';
import { emptyNames, unloadDescription, unloadedMany } from '../prompts.ts';
import { echo } from '../util/text.ts';
import { lenientSchema, readTexts } from './lenient-schema.ts';
import type { Services, Step } from './step.ts';

export interface UnloadToolInput {
  toolNames: string[];
}

export interface UnloadToolResult {
  success: boolean;
  message: string;
  unloaded?: string[] | undefined;
  /** Names of tools that were not loaded; those that are always sent cannot be unloaded. */
  notLoaded?: string[] | undefined;
}

/** Names in one call; the rest is ignored. */
const MAX_NAMES = 100;

const resultSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  unloaded: z.array(z.string()).optional(),
  notLoaded: z.array(z.string()).optional(),
});

/** `unload_tool` for one step. */
export function createUnloadTool(
  name: string,
  step: Step,
  services: Services,
): Tool<UnloadToolInput, UnloadToolResult> {
  const { names, unloadDescription: description } = services.options.metaTools;
  return createTool({
    id: name,
    description: description ?? unloadDescription(names),
    inputSchema: lenientSchema(
      { toolNames: { type: 'array', items: { type: 'string' }, description: 'Exact names of loaded tools' } },
      ['toolNames'],
      (input) => ({ toolNames: readTexts(input['toolNames']) ?? [] }),
    ) as never,
    outputSchema: resultSchema as never,
    execute: ((input: UnloadToolInput) => unload(input, step, services)) as never,
  }) as unknown as Tool<UnloadToolInput, UnloadToolResult>;
}

async function unload({ toolNames }: UnloadToolInput, step: Step, services: Services): Promise<UnloadToolResult> {
  const asked = [...new Set(toolNames.filter((name) => name !== ''))].slice(0, MAX_NAMES);
  if (asked.length === 0) return { success: false, message: emptyNames() };
  const loaded = asked.flatMap((name) => step.catalog.get(name) ?? []).filter(({ name }) => step.loaded.has(name));
  // What the request was not sent it cannot know to be loaded.
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
  if (unloaded.size > 0) services.reporter.report({ type: 'unload', toolNames: [...unloaded] });
  return {
    success: notLoaded.length === 0,
    message: unloadedMany([...unloaded], notLoaded),
    ...(unloaded.size > 0 ? { unloaded: [...unloaded] } : {}),
    ...(notLoaded.length > 0 ? { notLoaded } : {}),
  };
}
