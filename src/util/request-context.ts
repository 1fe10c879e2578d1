import type { RequestContext } from '@mastra/core/request-context';

/** What stands under a key; undefined where there is no context. */
export function read(requestContext: RequestContext | undefined, key: string): unknown {
  return typeof requestContext?.get === 'function' ? requestContext.get(key) : undefined;
}

/** @param otherwise - what counts where the context throws. */
export function readContext(requestContext: RequestContext | undefined, key: string, otherwise: unknown): unknown {
  try {
    return read(requestContext, key);
  } catch {
    return otherwise;
  }
}
