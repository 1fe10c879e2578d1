import type { RequestContext } from '@mastra/core/request-context';

/** Whether the value is an object, but neither a list nor a function. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a record. Reads a field of any value: `asRecord(value)?.['name']`. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

/** Copies the fields that are not undefined. */
export function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** Cuts a text to the length. Any other value becomes an empty text. */
export function asText(value: unknown, maxLength: number): string {
  return typeof value === 'string' ? value.slice(0, maxLength) : '';
}

/** Reads a key of a request context. Undefined without a context. */
export function read(requestContext: RequestContext | undefined, key: string): unknown {
  return typeof requestContext?.get === 'function' ? requestContext.get(key) : undefined;
}

/**
 * Reads a key of a request context, also of one that throws.
 *
 * @param otherwise - the result if the context throws.
 */
export function readContext(requestContext: RequestContext | undefined, key: string, otherwise: unknown): unknown {
  try {
    return read(requestContext, key);
  } catch {
    return otherwise;
  }
}
