import type { MastraTool } from '../catalog/tool.ts';
import { createMetaTool, type ObjectSchema, readTexts, TEXT, TEXTS } from './meta-tool.ts';
import * as prompts from './prompts.ts';
import { duringCall, type Services, type Step } from './step.ts';
import type { UnloadToolResult } from './unload.ts';

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

const RESULT: ObjectSchema<keyof UnloadToolResult> = {
  properties: { success: { type: 'boolean' }, message: TEXT, unloaded: TEXTS, notLoaded: TEXTS },
  required: ['success', 'message'],
};

/** `unload_tool` for one step. The code that answers it is a chunk of the package, which the first call loads. */
export function createUnloadTool(name: string, step: Step, services: Services): MastraTool {
  const { names, unloadDescription: description } = services.options.metaTools;
  return createMetaTool<UnloadToolInput, UnloadToolResult>({
    name,
    description: description ?? prompts.unloadDescription(names),
    parameters: {
      properties: { toolNames: { ...TEXTS, description: 'Exact names of loaded tools' } },
      required: ['toolNames'],
    },
    result: RESULT,
    read: (fields) => ({ toolNames: readTexts(fields['toolNames']) ?? [] }),
    execute: async (input, context) => {
      const { unload } = await import('./unload.ts');
      return unload(input.toolNames, duringCall(step, context), services);
    },
  });
}
