/** One parameter of a meta-tool, as JSON schema. */
export type ParameterSchema = Readonly<Record<string, unknown>>;

/** The part of the Standard Schema interface, with its JSON schema side, that Mastra uses. */
export interface LenientSchema<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'mastra-tool-search';
    readonly types?: { readonly input: Value; readonly output: Value };
    readonly validate: (value: unknown) => { readonly value: Value };
    readonly jsonSchema: { readonly input: () => JsonObjectSchema; readonly output: () => JsonObjectSchema };
  };
}

interface JsonObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly [key: string]: unknown;
}

/**
 * A schema that tells the model exactly what to send and takes whatever it sends: `read` makes the best of it. A
 * refused call would cost a turn and teach the model less than a result that says what to do next.
 */
export function lenientSchema<Value>(
  properties: Readonly<Record<string, ParameterSchema>>,
  required: readonly string[],
  read: (input: Readonly<Record<string, unknown>>) => Value,
): LenientSchema<Value> {
  const jsonSchema = (): JsonObjectSchema => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  return {
    '~standard': {
      version: 1,
      vendor: 'mastra-tool-search',
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      validate: (value) => ({ value: read(asObject(value)) }),
    },
  };
}

/** Texts in a value that should be a list of texts: `["a"]`, `"a"`, `'["a"]'`. Undefined when there is no value. */
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

/** Also of JSON; empty for what is no object. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  const object = typeof value === 'string' ? parseJson(value) : value;
  return typeof object === 'object' && object !== null && !Array.isArray(object)
    ? (object as Record<string, unknown>)
    : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
