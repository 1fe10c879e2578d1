/**
 * Schemas of tools as models receive them: shaped by Mastra's compatibility layers, and mended if the provider would
 * refuse that shape.
 *
 * @module
 */
import { toStandardSchema } from '@mastra/core/schema';
import { makeCoreTool } from '@mastra/core/utils';
import { inputJsonSchema } from '../catalog/document.ts';
import { copyTool, isProviderTool, type MastraTool } from '../catalog/tool.ts';
import { messageOf } from '../errors.ts';
import {
  adapt,
  isAccepted,
  type Provider,
  providers,
  providersOf,
  type Renaming,
  validatable,
} from '../providers/index.ts';
import { unusedDefinitions, withoutUnused } from '../util/json-schema.ts';
import { asRecord } from '../util/record.ts';

export const ANYTHING: object = acceptAll(() => ({ type: 'object' }));

/** A schema in Mastra's form that accepts every input. */
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

type InputSchema = MastraTool['inputSchema'];

function schemaOf(json: object): InputSchema {
  return acceptAll(() => json) as unknown as InputSchema;
}

/** The result of a conversion. Errors are cached like schemas. */
type Conversion = { readonly schema: InputSchema | undefined } | { readonly error: unknown };

/** Cache: conversions by tool and model, so that all steps send the same object. */
const conversions = new WeakMap<object, WeakMap<object, Conversion>>();
const NO_MODEL = {};

/**
 * Returns the tool's input schema as Mastra's compatibility layer shapes it for the model's provider, so that a catalog
 * tool has the same form as the agent's own tools. The schema accepts every input: the tool's own schema validates it
 * after the agent's hooks.
 *
 * @throws what Mastra would throw when the tool is sent, or the request.
 */
export function providerSchema(tool: MastraTool, name: string, model: unknown): InputSchema | undefined {
  if (isProviderTool(tool)) return undefined;
  const key = typeof model === 'object' && model !== null ? model : NO_MODEL;
  const byModel = conversions.get(tool) ?? new WeakMap<object, Conversion>();
  conversions.set(tool, byModel);
  let conversion = byModel.get(key);
  if (!conversion) {
    conversion = convert(tool, name, key === NO_MODEL ? undefined : key);
    // In the middle of a run, Mastra converts without the model.
    if ('error' in conversion && key !== NO_MODEL) conversion = convert(tool, name, undefined);
    byModel.set(key, conversion);
  }
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

/** Whether Mastra can convert the tool before a run, for any model. A failure there would end the run. */
export function isConvertible(tool: MastraTool, name: string): boolean {
  const isWhole =
    convertible.get(tool) ?? [undefined, ...LAYERS].every((model) => !('error' in convert(tool, name, model)));
  convertible.set(tool, isWhole);
  return isWhole;
}

function convert(tool: MastraTool, name: string, model: object | undefined): Conversion {
  try {
    const settings = { name, model, requireApproval: tool.requireApproval, backgroundConfig: tool.background };
    const { jsonSchema } = (makeCoreTool(tool, settings as never).parameters ?? {}) as {
      readonly jsonSchema?: unknown;
    };
    // A request is JSON, which has no cycles and no BigInts.
    if (jsonSchema !== undefined) JSON.stringify(jsonSchema);
    const json = asRecord(jsonSchema);
    return { schema: tool.inputSchema && json ? schemaOf(withoutUnused(json)) : undefined };
  } catch (error) {
    return { error };
  }
}

// Schemas that a provider refuses

/** Replaces Mastra's schema of a tool, which the provider refuses, or which has unused definitions. */
export interface MendedSchema {
  readonly schema: InputSchema;
  /** Whether the tool must not be sent as a strict one. */
  readonly isLoose: boolean;
  /** Translates between the tool's own parameter names and those of the schema. Absent if all are the same. */
  readonly renaming?: Renaming | undefined;
}

/** The schema with which a tool has to be sent, or the reason why the tool cannot be sent. */
export type Mending = MendedSchema | { readonly refusal: string };

/** The providers that read the tools of a model, and the cache key of all models with the same mended schemas. */
interface Readers {
  readonly key: string;
  readonly providers: readonly Provider[];
}

const NOBODY: Readers = { key: '', providers: [] };
const readers = new WeakMap<object, Readers>();

function readersOf(model: unknown): Readers {
  if (typeof model !== 'object' || model === null) return NOBODY;
  const known = readers.get(model);
  if (known) return known;
  const providers = providersOf(model);
  const { modelId } = asRecord(model) ?? {};
  const made = { key: providers.length > 0 ? `${providers.map(({ name }) => name).join()} ${modelId}` : '', providers };
  readers.set(model, made);
  return made;
}

/** Cache: mendings by tool, then by the key of the readers. Nearly all tools have none. */
const mendings = new WeakMap<object, Map<string, Mending | undefined>>();

/**
 * Returns how a tool has to be sent to a model. Undefined if Mastra's own schema can be sent.
 *
 * @param converted - returns the JSON schema that Mastra makes of the tool for the model.
 */
export function mendingOf(
  tool: MastraTool,
  name: string,
  model: unknown,
  converted: () => unknown,
): Mending | undefined {
  if (isProviderTool(tool)) return undefined;
  const { key, providers } = readersOf(model);
  const ofTool = mendings.get(tool) ?? new Map<string, Mending | undefined>();
  mendings.set(tool, ofTool);
  if (!ofTool.has(key)) ofTool.set(key, mend(tool, name, model, providers, converted));
  return ofTool.get(key);
}

function mend(
  tool: MastraTool,
  name: string,
  model: unknown,
  all: readonly Provider[],
  converted: () => unknown,
): Mending | undefined {
  const refusing = all.find(({ toolName }) => toolName && !toolName.test(name));
  if (refusing) return { refusal: `${refusing.title} refuses its name.` };
  const json = asRecord(converted());
  if (!json) return undefined;
  try {
    const original = asRecord(inputJsonSchema(tool)) ?? json;
    if (isAccepted(json, all) && !isDamaged(json, original, all)) {
      if (unusedDefinitions(original).length === 0) return undefined;
      return { schema: schemaOf(withoutUnused(json)), isLoose: false };
    }
    const adapted = adapt(original, all);
    if ('refusal' in adapted) return adapted;
    const { schema, renaming, isLoose } = adapted;
    const inputSchema = toStandardSchema(schema as never) as NonNullable<InputSchema>;
    const shaped = convert(
      copyTool(tool, { inputSchema, ...(isLoose ? { strict: false } : {}) }),
      name,
      model as object,
    );
    if ('error' in shaped) return { refusal: messageOf(shaped.error) };
    const final = jsonOf(shaped.schema) ?? schema;
    if (isAccepted(final, all)) return { schema: schemaOf(final), isLoose, renaming };
    const again = adapt(final, all);
    return 'refusal' in again ? again : { schema: schemaOf(again.schema), isLoose, renaming };
  } catch (error) {
    return { refusal: messageOf(error) };
  }
}

/** Returns the JSON schema inside a schema that was made in this file. */
export function jsonOf(schema: unknown): Record<string, unknown> | undefined {
  const standard = asRecord(asRecord(schema)?.['~standard']);
  const { input } = asRecord(standard?.['jsonSchema']) ?? {};
  return typeof input === 'function'
    ? asRecord((input as (options: object) => unknown)({ target: 'draft-07' }))
    : undefined;
}

/** Whether Mastra's conversion has lost parameters. That happens if a schema combines others at its root. */
function isDamaged(json: object, original: object, all: readonly Provider[]): boolean {
  const combines = (schema: object): boolean => ['anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in schema);
  if (all.length === 0 || !combines(original) || combines(json)) return false;
  const adapted = adapt(original, all);
  if ('refusal' in adapted) return false;
  const there = asRecord((json as { properties?: unknown }).properties) ?? {};
  return Object.keys(asRecord(adapted.schema['properties']) ?? {}).some((name) => !Object.hasOwn(there, name));
}

/** Cache: by tool. */
const renamings = new WeakMap<object, Renaming | undefined>();

/** Returns the renaming of a tool, regardless of the model: a call may be resumed with another model. */
export function renamingOf(tool: MastraTool): Renaming | undefined {
  if (!renamings.has(tool)) renamings.set(tool, readRenaming(tool));
  return renamings.get(tool);
}

function readRenaming(tool: MastraTool): Renaming | undefined {
  try {
    const schema = asRecord(inputJsonSchema(tool));
    const renamers = providers.filter(({ renames }) => renames);
    if (!schema || isAccepted(schema, renamers)) return undefined;
    const adapted = adapt(schema, renamers);
    return 'refusal' in adapted ? undefined : adapted.renaming;
  } catch {
    return undefined;
  }
}

/** Cache: by tool. */
const validators = new WeakMap<object, MastraTool>();

/**
 * Returns the tool with a schema that Mastra's validator can use. The validator refuses every input if a schema breaks
 * the rules of JSON schema, and fails at arrays without `items`. For such a tool, the result has an equivalent schema;
 * any other tool is returned as it is.
 */
export function withValidSchema(tool: MastraTool): MastraTool {
  const known = validators.get(tool);
  if (known) return known;
  const schema = validSchemaOf(tool);
  const inputSchema = schema && (toStandardSchema(schema as never) as NonNullable<InputSchema>);
  const made = inputSchema ? copyTool(tool, { inputSchema }) : tool;
  validators.set(tool, made);
  return made;
}

function validSchemaOf(tool: MastraTool): object | undefined {
  try {
    const schema = asRecord(inputJsonSchema(tool));
    return schema && validatable(schema);
  } catch {
    return undefined;
  }
}

/** Whether the input of a call must be translated, or validated with another schema, before Mastra can run the tool. */
export function isReshaped(tool: MastraTool): boolean {
  return renamingOf(tool) !== undefined || withValidSchema(tool) !== tool;
}

/**
 * Wraps a function of a tool, such as `requireApproval`, so that it receives the input with the tool's own parameter
 * names.
 */
export function readingOwnNames(tool: MastraTool, read: unknown): unknown {
  if (typeof read !== 'function') return read;
  return (input: unknown, ...others: unknown[]): unknown => read(restored(tool, input), ...others);
}

/** Translates the input of a call to the tool's own parameter names, if the model was sent others. */
export function restored(tool: MastraTool, input: unknown): unknown {
  return renamingOf(tool)?.restore(input) ?? input;
}
