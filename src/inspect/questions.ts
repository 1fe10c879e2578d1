import { isRecord } from '../util/record.ts';
import type { InspectQuestion, JsonObject } from './data.ts';

/** Limit of bytes of a question. */
const MAX_BYTES = 64 * 1024;
/** Limit of characters of a query. */
const MAX_QUERY = 10_000;

/** A question, or the reason why the request is none, with a status. */
export type ReadQuestion =
  | { readonly question: InspectQuestion }
  | { readonly status: 400 | 413 | 415; readonly error: string };

/** Reads the question of a POST. It never throws, and reads at most MAX_BYTES. */
export async function readQuestion(request: Request): Promise<ReadQuestion> {
  // Another page's browser sends this type only after a CORS preflight, which no answer permits.
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? ''))
    return { status: 415, error: 'A question is JSON: send the header "content-type: application/json".' };
  const text = await readText(request);
  if (text === undefined) return { status: 413, error: `A question may have ${MAX_BYTES} bytes.` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { status: 400, error: 'The question is no JSON.' };
  }
  return questionOf(value);
}

async function readText(request: Request): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of request.body ?? []) {
      size += part.byteLength;
      if (size > MAX_BYTES) return undefined;
      parts.push(part);
    }
  } catch {
    return '';
  }
  return Buffer.concat(parts).toString('utf8');
}

function questionOf(value: unknown): ReadQuestion {
  if (!isRecord(value)) return { status: 400, error: 'A question is an object such as { "ask": "stats" }.' };
  const { ask, query, scorer, requestContext } = value;
  const wrong = (error: string): ReadQuestion => ({ status: 400, error });
  const isContext = isRecord(requestContext);
  switch (ask) {
    case 'findings':
    case 'stats':
    case 'revision':
    case 'file':
      return { question: { ask } };
    case 'permitted':
      if (!isContext) return wrong('"requestContext" must be an object of values by their keys.');
      return { question: { ask, requestContext: requestContext as JsonObject } };
    case 'evaluation':
      if (typeof scorer !== 'string') return wrong('"scorer" must be the name of a scorer.');
      return { question: { ask, scorer } };
    case 'search':
      if (typeof query !== 'string' || query.length > MAX_QUERY)
        return wrong(`"query" must be a text of at most ${MAX_QUERY} characters.`);
      if (typeof scorer !== 'string') return wrong('"scorer" must be the name of a scorer.');
      if (requestContext !== undefined && !isContext)
        return wrong('"requestContext" must be an object of values by their keys.');
      return {
        question: { ask, query, scorer, ...(isContext ? { requestContext: requestContext as JsonObject } : {}) },
      };
    default:
      return wrong('"ask" must be "search", "permitted", "findings", "stats", "revision", "evaluation" or "file".');
  }
}
