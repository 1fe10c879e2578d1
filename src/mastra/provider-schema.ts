import { makeCoreTool } from '@mastra/core/utils';
import type { MastraTool } from './tool.ts';

type Issues = readonly { readonly message: string; readonly path?: readonly PropertyKey[] }[];
type Validated = { readonly value: unknown } | { readonly issues: Issues };

interface CoreSchema {
  readonly jsonSchema?: unknown;
  readonly validate?: (value: unknown) => { success: true; value: unknown } | { success: false; error: Error };
}

type InputSchema = MastraTool['inputSchema'];

/** By tool and model: the same object over all steps. */
const schemas = new WeakMap<object, WeakMap<object, InputSchema>>();

/**
 * The tool's input schema as Mastra's compatibility layer shapes it for the model's provider, so that a tool loaded
 * in the middle of a run has the same schema as on the next request, where Mastra converts it itself.
 * Undefined when the tool has no schema or Mastra cannot convert it.
 */
export function providerSchema(tool: MastraTool, name: string, model: unknown): InputSchema {
  if (typeof model !== 'object' || model === null || !tool.inputSchema) return undefined;
  const byModel = schemas.get(tool) ?? new WeakMap<object, InputSchema>();
  schemas.set(tool, byModel);
  if (!byModel.has(model)) byModel.set(model, convertSchema(tool, name, model));
  return byModel.get(model);
}

function convertSchema(tool: MastraTool, name: string, model: object): InputSchema {
  const original = tool.inputSchema as unknown as { '~standard'?: { validate(value: unknown): Validated } };
  let converted: CoreSchema;
  try {
    converted = makeCoreTool(tool, { name, model } as never).parameters as CoreSchema;
  } catch {
    return undefined;
  }
  const { jsonSchema, validate } = converted;
  if (typeof jsonSchema !== 'object' || jsonSchema === null || typeof validate !== 'function') return undefined;

  const issuesOf = (value: unknown, error: Error): Issues => {
    // The tool's own schema says where the fault is; the converted one only joins the messages.
    const own = original['~standard']?.validate(value);
    return own && 'issues' in own && own.issues ? own.issues : [{ message: error.message }];
  };
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'mastra-tool-search',
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
      validate: (value: unknown): Validated => {
        const result = validate(value);
        return result.success ? { value: result.value } : { issues: issuesOf(value, result.error) };
      },
    },
  };
  return schema as unknown as InputSchema;
}
