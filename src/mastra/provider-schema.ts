import { makeCoreTool } from '@mastra/core/utils';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { ToolProblems } from '../catalog/catalog.ts';
import { copyTool, isProviderTool, type MastraTool } from '../catalog/tool.ts';
import { messageOf } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';

/** Lets every input pass. */
export const ANYTHING: object = acceptAll(() => ({ type: 'object' }));

/** A schema in the form that Mastra takes, which lets every input pass. */
function acceptAll(jsonSchema: () => object): object {
  return {
    '~standard': {
      version: 1,
      vendor: 'mastra-tool-search',
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      validate: (value: unknown) => ({ value }),
    },
  };
}

interface CoreSchema {
  readonly jsonSchema?: unknown;
}

type InputSchema = MastraTool['inputSchema'];

/** The outcome of a conversion; a fault is remembered like a schema. */
type Conversion = { readonly schema: InputSchema | undefined } | { readonly error: unknown };

/** Cache: conversions by tool and model, so that all steps send the same object. */
const conversions = new WeakMap<object, WeakMap<object, Conversion>>();
const NO_MODEL = {};

/**
 * The tool's input schema as Mastra's compatibility layer shapes it for the model's provider, so that a tool has the
 * same schema as the agent's own. It lets every input pass: the tool's own is validated behind the agent's hooks. Undefined
 * when the tool has no schema.
 *
 * @throws what Mastra throws, or the request would, when the tool is sent.
 */
export function providerSchema(tool: MastraTool, name: string, model: unknown): InputSchema | undefined {
  if (isProviderTool(tool)) return undefined;
  const key = typeof model === 'object' && model !== null ? model : NO_MODEL;
  const byModel = conversions.get(tool) ?? new WeakMap<object, Conversion>();
  conversions.set(tool, byModel);
  const conversion = byModel.get(key) ?? convert(tool, name, key);
  byModel.set(key, conversion);
  if ('error' in conversion) throw conversion.error;
  return conversion.schema;
}

/** Sample models, one for each of Mastra's compatibility layers. */
const LAYERS: readonly object[] = [
  { provider: 'openai.responses', modelId: 'gpt-4.1' },
  { provider: 'openai.responses', modelId: 'o3' },
  { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
  { provider: 'google.generative-ai', modelId: 'gemini-3-pro' },
  { provider: 'deepseek.chat', modelId: 'deepseek-chat' },
  { provider: 'meta', modelId: 'llama-4' },
];
const convertible = new WeakMap<object, boolean>();

/** Whether Mastra can convert the tool before a run, whatever the model: a failure there would end the run. */
export function isConvertible(tool: MastraTool, name: string): boolean {
  const isWhole = convertible.get(tool) ?? [undefined, ...LAYERS].every((model) => isConverted(tool, name, model));
  convertible.set(tool, isWhole);
  return isWhole;
}

function isConverted(tool: MastraTool, name: string, model: object | undefined): boolean {
  try {
    converted(tool, name, model);
    return true;
  } catch {
    return false;
  }
}

function convert(tool: MastraTool, name: string, model: object): Conversion {
  try {
    if (model !== NO_MODEL) return { schema: converted(tool, name, model) };
  } catch {
    // In the middle of a run, Mastra converts without the model.
  }
  try {
    return { schema: converted(tool, name, undefined) };
  } catch (error) {
    return { error };
  }
}

function converted(tool: MastraTool, name: string, model: object | undefined): InputSchema | undefined {
  const settings = { name, model, requireApproval: tool.requireApproval, backgroundConfig: tool.background };
  const { jsonSchema } = (makeCoreTool(tool, settings as never).parameters ?? {}) as CoreSchema;
  // A request is JSON: it has no place for a cycle or a BigInt.
  if (jsonSchema !== undefined) JSON.stringify(jsonSchema);
  if (!tool.inputSchema || typeof jsonSchema !== 'object' || jsonSchema === null) return undefined;
  return acceptAll(() => jsonSchema) as unknown as InputSchema;
}

/** Whether requests can hold tools. What none can hold is reported once, and remembered. */
export class SchemaCompatibility {
  readonly #problems: ToolProblems;
  readonly #incompatible = new WeakSet<object>();

  constructor(reporter: Reporter) {
    this.#problems = new ToolProblems(reporter);
  }

  /** Whether a tool can be sent to a model. What the agent itself has is Mastra's business. */
  isCompatible({ name, tool, isResolved }: CatalogEntry, model: unknown): boolean {
    if (isResolved) return true;
    try {
      providerSchema(tool, name, model);
      copyTool(tool, {});
      this.#incompatible.delete(tool);
      return true;
    } catch (error) {
      this.refuse(name, tool, error);
      return false;
    }
  }

  /** Whether a tool is known to be one that cannot be sent. */
  isRefused(tool: object): boolean {
    return this.#incompatible.has(tool);
  }

  refuse(name: string, tool: object, error: unknown): void {
    this.#incompatible.add(tool);
    this.#problems.report(name, 'unsendable', messageOf(error));
  }
}
