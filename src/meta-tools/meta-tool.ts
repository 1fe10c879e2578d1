import { createTool } from '@mastra/core/tools';
import type { MastraTool, ToolContext } from '../catalog/tool.ts';
import { asRecord } from '../util/record.ts';

/** The schema of one parameter, or of one field of a result, as JSON schema. */
export type FieldSchema = Readonly<Record<string, unknown>>;

/** The fields of a call or of a result, by name. */
export interface ObjectSchema<Name extends string = string> {
  readonly properties: Readonly<Record<Name, FieldSchema>>;
  readonly required: readonly Name[];
}

export const TEXT: FieldSchema = { type: 'string' };
export const TEXTS: FieldSchema = { type: 'array', items: TEXT };

/** One meta-tool for one step. */
export interface MetaTool<Input, Result> {
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  readonly result: ObjectSchema<keyof Result & string>;
  /** Makes the best of what the model sent. */
  readonly read: (fields: Readonly<Record<string, unknown>>) => Input;
  readonly execute: (input: Input, context: ToolContext | undefined) => Promise<Result>;
}

/**
 * The tool of Mastra for a meta-tool. Its schema tells the model exactly what to send, and refuses nothing that it sends
 * instead: a refused call would cost a turn, and teach the model less than a result that says what to do next.
 */
export function createMetaTool<Input, Result>(metaTool: MetaTool<Input, Result>): MastraTool {
  const { name, description, parameters, result, read, execute } = metaTool;
  return createTool({
    id: name,
    description,
    inputSchema: standardSchema(parameters, (value) => read(asObject(value))),
    outputSchema: standardSchema(result, (value) => value),
    execute,
    // Mastra's types know schemas of zod and plain JSON schemas; at run time it takes any Standard Schema.
  } as never) as MastraTool;
}

/** The fields as one JSON schema; a new object each time, as Mastra may change it. */
export function jsonSchemaOf({ properties, required }: ObjectSchema): FieldSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The part of the Standard Schema interface, with its JSON schema side, that Mastra uses. */
function standardSchema<Value>(schema: ObjectSchema, read: (value: unknown) => Value): object {
  const jsonSchema = (): FieldSchema => jsonSchemaOf(schema);
  return {
    '~standard': {
      version: 1,
      vendor: 'mastra-tool-search',
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      validate: (value: unknown) => ({ value: read(value) }),
    },
  };
}

/** The fields of an object, or of an object as JSON; none for anything else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return asRecord(typeof value === 'string' ? parseJson(value) : value) ?? {};
}

/** The texts of what should be a list of them: `["a"]`, `"a"`, `'["a"]'`. Undefined where there is no value. */
export function readTexts(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').map((item) => item.trim());
  if (typeof value !== 'string') return [];
  if (value.trimStart().startsWith('[')) {
    const parsed = parseJson(value);
    if (Array.isArray(parsed)) return readTexts(parsed);
  }
  return value.trim() === '' ? [] : [value.trim()];
}

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
