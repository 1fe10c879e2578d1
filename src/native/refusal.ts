import { asRecord } from '../record.ts';

/** What providers name when they refuse a part of a tool search. */
const NAMES_TOOL_SEARCH = /tool[ _-]?search|tool[ _-]?references?\b|defer_loading|deferLoading|deferred tool/i;

/** Errors within errors that are looked at. */
const MAX_DEPTH = 5;

/** Whether an error is a provider's 400 that names its tool search. Never throws, whatever the error does. */
export function isRefusal(error: unknown): boolean {
  try {
    return namesToolSearch(error);
  } catch {
    return false;
  }
}

function namesToolSearch(error: unknown): boolean {
  let current = asRecord(error);
  for (let depth = 0; current && depth < MAX_DEPTH; depth++) {
    const { statusCode, message, responseBody, lastError, cause } = current;
    if (statusCode === 400) {
      return [message, responseBody].some((text) => typeof text === 'string' && NAMES_TOOL_SEARCH.test(text));
    }
    current = asRecord(lastError) ?? asRecord(cause);
  }
  return false;
}
