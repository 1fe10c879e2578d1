import type { MastraTool } from '../catalog/tool.ts';
import { asRecord } from '../util/record.ts';
import type { LoadToolInput, LoadToolResult } from './load-call.ts';
import { createMetaTool, type ObjectSchema, readTexts, TEXT, TEXTS } from './meta-tool.ts';
import * as prompts from './prompts.ts';
import { RESULTS } from './search-shapes.ts';
import { duringCall, type Services, type Step } from './step.ts';

const RESULT: ObjectSchema<keyof LoadToolResult> = {
  properties: {
    success: { type: 'boolean' },
    message: TEXT,
    loadedCount: { type: 'number' },
    toolName: TEXT,
    loaded: TEXTS,
    notFound: TEXTS,
    alreadyLoaded: TEXTS,
    unloaded: TEXTS,
    results: RESULTS,
  },
  required: ['success', 'message'],
};

/** `load_tool` for one step. */
export function createLoadTool(step: Step, services: Services): MastraTool {
  const { names, loadDescription: description } = services.options.metaTools;
  return createMetaTool<LoadToolInput, LoadToolResult>({
    name: names.load,
    description: description ?? prompts.loadDescription(names),
    parameters: {
      properties: {
        toolName: { ...TEXT, description: prompts.parameterDescriptions.toolName },
        toolNames: { ...TEXTS, description: prompts.parameterDescriptions.toolNames },
      },
      required: [],
    },
    result: RESULT,
    read: (fields) => readNames(fields['toolName'], fields['toolNames']),
    execute: async (input, context) => {
      // A chunk of the package, which the first load reads.
      const { loadTools } = await import('./load-call.ts');
      return loadTools(input, duringCall(step, context), services);
    },
  });
}

/** The names of a call, in which `toolNames` may be one text, with commas or as JSON, and `toolName` a list. */
function readNames(toolName: unknown, toolNames: unknown): LoadToolInput {
  const several = namesIn(toolNames);
  const one = namesIn(toolName) ?? [];
  const isOne = one.length < 2 && !Array.isArray(toolName);
  return {
    toolName: isOne ? (one[0] ?? '') : '',
    toolNames: isOne ? several : [...one, ...(several ?? [])],
  };
}

/** The names in a list of lists, of objects with a name or of texts with commas. Undefined where there is no value. */
function namesIn(value: unknown): string[] | undefined {
  const texts = Array.isArray(value) ? value.flat(3).map((item) => asRecord(item)?.['name'] ?? item) : value;
  return readTexts(texts)
    ?.flatMap((text) => text.split(','))
    .map((name) => name.trim());
}
