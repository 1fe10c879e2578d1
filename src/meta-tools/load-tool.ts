import { createTool, type Tool } from '@mastra/core/tools';
import { z } from 'zod';
import { isPattern } from '../catalog/groups.ts';
import type { ToolContext } from '../catalog/tool.ts';
import {
  alreadyLoaded as alreadyLoadedText,
  emptyNames,
  loadDescription,
  loadedMany,
  loadedOne,
  missingNames,
  notFound as notFoundText,
  parameterDescriptions,
  roomNotes,
} from '../prompts.ts';
import { asRecord } from '../util/record.ts';
import { echo } from '../util/text.ts';
import { lenientSchema, readTexts } from './lenient-schema.ts';
import { loadByName } from './loading.ts';
import { nothingToFind } from './nothing-to-find.ts';
import { duringCall, type Services, type Step } from './step.ts';
import { withSuggestions } from './suggestions.ts';

export interface LoadToolInput {
  toolName?: string | undefined;
  toolNames?: string[] | undefined;
}

export interface LoadToolResult {
  success: boolean;
  message: string;
  /** The number of tools loaded by this call. Only for `toolNames`, as are the lists, but for `loaded` and `unloaded`. */
  loadedCount?: number | undefined;
  /** Only for `toolName`. */
  toolName?: string | undefined;
  /** For `toolName` also where the tool was loaded before. @mastra/core, after 1.71, reads loads from here alone. */
  loaded?: string[] | undefined;
  notFound?: string[] | undefined;
  alreadyLoaded?: string[] | undefined;
  /** What made room. */
  unloaded?: string[] | undefined;
}

const resultSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  loadedCount: z.number().optional(),
  toolName: z.string().optional(),
  loaded: z.array(z.string()).optional(),
  notFound: z.array(z.string()).optional(),
  alreadyLoaded: z.array(z.string()).optional(),
  unloaded: z.array(z.string()).optional(),
});

/** `load_tool` for one step. */
export function createLoadTool(step: Step, services: Services): Tool<LoadToolInput, LoadToolResult> {
  const { names, loadDescription: description } = services.options.metaTools;
  return createTool({
    id: names.load,
    description: description ?? loadDescription(names),
    inputSchema: lenientSchema(
      {
        toolName: { type: 'string', description: parameterDescriptions.toolName },
        toolNames: { type: 'array', items: { type: 'string' }, description: parameterDescriptions.toolNames },
      },
      [],
      (input) => readNames(input['toolName'], input['toolNames']),
    ) as never,
    outputSchema: resultSchema as never,
    execute: ((input: LoadToolInput, context?: ToolContext) =>
      load(input, duringCall(step, context), services)) as never,
  }) as unknown as Tool<LoadToolInput, LoadToolResult>;
}

async function load(input: LoadToolInput, step: Step, services: Services): Promise<LoadToolResult> {
  const { names } = services.options.metaTools;
  const { toolName = '', toolNames } = input;
  const asked = [...new Set([...(toolNames ?? []), toolName])].filter((name) => name !== '');
  if (asked.length === 0) {
    return { success: false, message: toolNames === undefined ? missingNames() : emptyNames() };
  }

  const chosen = asked.slice(0, step.allowance.names);
  const outcome = await loadByName(chosen, step, services, ['load']);
  const notFound = outcome.notFound.map((name) => echo(name));
  const { loaded: loadedNames, alreadyLoaded, leftOut, evicted, tooMany } = outcome;
  services.reporter.report({ type: 'load', loaded: loadedNames, alreadyLoaded, notFound });
  const unknown = await withSuggestions(outcome.notFound, step);
  const [loaded] = outcome.loaded;
  const [already] = outcome.alreadyLoaded;

  const notes = roomNotes(outcome);

  if (toolNames === undefined && !isPattern(toolName)) {
    if (loaded !== undefined) {
      const message = `${loadedOne(loaded)}${notes}`;
      return { success: true, message, toolName: loaded, loaded: [loaded], ...listed('unloaded', evicted) };
    }
    if (already !== undefined) {
      // A tool that is sent anyway was never loaded.
      const before = step.resident.has(already) ? [] : [already];
      return { success: true, message: alreadyLoadedText(already), toolName: already, ...listed('loaded', before) };
    }
    if (leftOut.length > 0) return { success: false, message: notes.trim(), toolName: echo(toolName) };
    const [missing] = unknown;
    return {
      success: false,
      message: missing ? notFoundText(missing, names, await nothingToFind(step)) : missingNames(),
      toolName: echo(toolName),
    };
  }

  const isNothing = loadedNames.length + alreadyLoaded.length + leftOut.length + tooMany.length === 0;
  const nothing = isNothing ? await nothingToFind(step) : undefined;
  const message = `${loadedMany(loadedNames, alreadyLoaded, unknown, asked.length - chosen.length)}${notes}`.trim();
  return {
    success: unknown.length + leftOut.length + tooMany.length === 0,
    message: nothing === undefined ? message : `${message}. ${nothing}`,
    loadedCount: loadedNames.length,
    ...listed('loaded', loadedNames),
    ...listed('notFound', notFound),
    ...listed('alreadyLoaded', alreadyLoaded),
    ...listed('unloaded', evicted),
  };
}

/** `toolNames` may come as one text, with commas or as JSON, and `toolName` as a list. */
function readNames(toolName: unknown, toolNames: unknown): LoadToolInput {
  const several = namesIn(toolNames);
  const one = namesIn(toolName) ?? [];
  const isOne = one.length < 2 && !Array.isArray(toolName);
  return {
    toolName: isOne ? (one[0] ?? '') : '',
    toolNames: isOne ? several : [...one, ...(several ?? [])],
  };
}

/** Names in lists of any depth, in objects that have one, and in texts with commas. Undefined when there is no value. */
function namesIn(value: unknown): string[] | undefined {
  const texts = Array.isArray(value) ? value.flat(3).map((item) => asRecord(item)?.['name'] ?? item) : value;
  return readTexts(texts)
    ?.flatMap((text) => text.split(','))
    .map((name) => name.trim());
}

/** As in core, an empty list is left out. */
function listed(
  key: 'loaded' | 'notFound' | 'alreadyLoaded' | 'unloaded',
  list: readonly string[],
): Partial<LoadToolResult> {
  return list.length > 0 ? { [key]: [...list] } : {};
}
