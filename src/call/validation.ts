import { createTool } from '@mastra/core/tools';
import { makeCoreTool } from '@mastra/core/utils';
import type { CatalogEntry } from '../catalog/entry.ts';
import { ownEntries, resolve } from '../catalog/parameters.ts';
import { inputJsonSchema } from '../catalog/read-document.ts';
import { providerSchema } from '../mastra/provider-schema.ts';
import { asRecord } from '../util/record.ts';
import { clean } from '../util/text.ts';

type Execute = (input: unknown, context: object) => Promise<unknown>;
type Standard = { readonly '~standard'?: { readonly jsonSchema?: { input(options: object): unknown } } };
type Converted = { readonly jsonSchema?: unknown };

/**
 * The mistakes in the arguments of a call, as Mastra words them; undefined where it would run the tool with them. They are
 * cast as Mastra casts them, first by the schema that the model reads.
 */
export async function mistakesIn(
  args: unknown,
  { name, tool, isResolved }: CatalogEntry,
  model: unknown,
): Promise<string | undefined> {
  const own = schemaOf(tool);
  const schemas = [isResolved ? undefined : await orUndefined(() => providerSchema(tool, name, model)), own];
  let input = args;
  for (const schema of schemas) {
    if (schema === undefined) continue;
    const answer = asRecord(await orUndefined(() => checked(name, schema, input)));
    // A schema that cannot be asked is the tool's own fault, and told by the tool.
    if (!answer) return undefined;
    if (answer['error'] === true) return String(answer['message']);
    input = answer['value'];
  }
  return undefined;
}

/** The JSON schema of a tool's parameters as Mastra would send it to this model; undefined where there is none. */
export function definitionOf({ name, tool, isResolved }: CatalogEntry, model: unknown): unknown {
  try {
    const shaped = isResolved ? undefined : (providerSchema(tool, name, model) as Standard | undefined);
    const own = (tool as { parameters?: Converted }).parameters;
    const converted = isResolved ? own : (makeCoreTool(tool, { name } as never).parameters as Converted | undefined);
    const schema = shaped?.['~standard']?.jsonSchema?.input({ target: 'draft-07' }) ?? converted?.jsonSchema;
    if (!asRecord(schema)) return undefined;
    const { $schema: _, ...rest } = schema as Record<string, unknown>;
    const text = JSON.stringify(rest);
    // Without what a person does not see and a model reads.
    return JSON.parse(clean(text, text.length)) as unknown;
  } catch {
    return undefined;
  }
}

/** The names of a tool's own parameters; none where its schema cannot be read. */
export function parameterNames(tool: object | undefined): ReadonlySet<string> {
  try {
    const root = inputJsonSchema(tool ?? {});
    const { allOf, anyOf, oneOf } = resolve(root, root) ?? {};
    const parts = [root, ...[allOf, anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : []))];
    return new Set(parts.flatMap((part) => ownEntries(resolve(part, root)?.['properties']).map(([name]) => name)));
  } catch {
    return new Set();
  }
}

function schemaOf(tool: object): unknown {
  const { inputSchema, parameters } = tool as { readonly inputSchema?: unknown; readonly parameters?: unknown };
  return inputSchema ?? parameters;
}

/** Lets Mastra check and cast the arguments, with a tool that does nothing. */
function checked(name: string, inputSchema: unknown, input: unknown): Promise<unknown> {
  const probe = createTool({ id: name, inputSchema, execute: async (value: unknown) => ({ value }) } as never);
  return (probe as unknown as { readonly execute: Execute }).execute(input, {});
}

async function orUndefined<Value>(ask: () => Value | Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
