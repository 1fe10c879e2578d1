/** Whether the value is an object with fields, of whose types nobody knows. Neither a list nor a function is one. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is a record, so that a field can be read off anything: `asRecord(value)?.['name']`. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}
