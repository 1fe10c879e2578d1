import type { RequestContext } from '@mastra/core/request-context';

/** Whether the value is an object with fields, of whose types nobody knows. Neither a list nor a function is one. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is a record, so that a field can be read off anything: `asRecord(value)?.['name']`. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

/** The fields that are set. */
export function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** The beginning of a value where it is a text; empty where it is none. */
export function asText(value: unknown, maxLength: number): string {
  return typeof value === 'string' ? value.slice(0, maxLength) : '';
}

/** The value under a key of a request context; undefined where there is no context. */
export function read(requestContext: RequestContext | undefined, key: string): unknown {
  return typeof requestContext?.get === 'function' ? requestContext.get(key) : undefined;
}

/**
 * The value under a key of a request context that may throw.
 *
 * @param otherwise - the value where it does.
 */
export function readContext(requestContext: RequestContext | undefined, key: string, otherwise: unknown): unknown {
  try {
    return read(requestContext, key);
  } catch {
    return otherwise;
  }
}
