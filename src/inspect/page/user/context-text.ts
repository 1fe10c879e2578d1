import { messageOf } from '../../../kit.ts';
import type { JsonObject } from '../../data.ts';

/** What was made of a text that should be a request context. */
export type ReadContext = { readonly context: JsonObject } | { readonly error: string };

/** Reads a request context: an object as JSON. An empty text is one without entries. */
export function readContext(text: string): ReadContext {
  if (text.trim() === '') return { context: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `This is no JSON: ${messageOf(error)}` };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { context: value as JsonObject };
  const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return { error: `A request context is an object such as { "user": "ann" }; this is ${what}.` };
}
