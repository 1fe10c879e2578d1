import type { RequestContext } from '@mastra/core/request-context';

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
