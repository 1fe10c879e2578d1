import { asRecord, isRecord } from './record.ts';

/** How deep errors within errors are read, and what services wrote into one another's answers. */
const MAX_DEPTH = 5;
/** Texts that are read of one error. */
const MAX_TEXTS = 20;

/** A request that a service refused as it is: to send it again is of no use. */
export interface Refusal {
  /** What was refused, where the error has it. */
  readonly body: unknown;
  /** Where the fault is, and what is wrong, as the service says it: the place first. */
  readonly texts: readonly string[];
}

/** The errors within an error, from the outermost on: the AI SDK has the last try's in `lastError`. */
export function* errorsWithin(error: unknown): Iterable<Readonly<Record<string, unknown>>> {
  let current = asRecord(error);
  for (let depth = 0; current && depth < MAX_DEPTH; depth++) {
    yield current;
    current = asRecord(current['lastError']) ?? asRecord(current['cause']);
  }
}

/** The refusal that an error of the AI SDK tells of: an answer with 400 or 422. Never throws, whatever the error does. */
export function refusalIn(error: unknown): Refusal | undefined {
  try {
    for (const { statusCode, message, data, responseBody, requestBodyValues } of errorsWithin(error)) {
      if (statusCode !== 400 && statusCode !== 422) continue;
      const places: string[] = [];
      const messages: string[] = [];
      readAnswer(data ?? responseBody, places, messages);
      if (typeof message === 'string') messages.push(message);
      return { body: requestBodyValues, texts: [...new Set([...places, ...messages])].slice(0, MAX_TEXTS) };
    }
  } catch {
    // What cannot be read is no refusal.
  }
  return undefined;
}

/** Reads places and messages out of an answer. A gateway quotes the answer of another service as JSON. */
function readAnswer(answer: unknown, places: string[], messages: string[], depth = 0): void {
  if (depth > MAX_DEPTH || places.length + messages.length > MAX_TEXTS) return;
  if (typeof answer === 'string') {
    const parsed = parsedJson(answer);
    if (parsed === undefined) messages.push(answer);
    else readAnswer(parsed, places, messages, depth + 1);
    return;
  }
  if (Array.isArray(answer)) {
    for (const part of answer.slice(0, MAX_TEXTS)) readAnswer(part, places, messages, depth + 1);
    return;
  }
  if (!isRecord(answer)) return;
  const { param, loc } = answer;
  if (typeof param === 'string') places.push(param);
  // FastAPI: ["body", "tools", 3, "function", "parameters"].
  if (Array.isArray(loc)) places.push(loc.join('.'));
  for (const key of ['message', 'msg', 'error', 'errors', 'detail', 'metadata', 'raw'])
    readAnswer(answer[key], places, messages, depth + 1);
}

function parsedJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
