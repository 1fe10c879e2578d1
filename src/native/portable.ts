import type { MetaToolNames } from '../registry/conversation.ts';
import { ownCall, ownResult } from './anthropic.ts';
import type { SearchRewriting } from './prompt.ts';

/** Searches as any model reads them: calls of the meta-tool like any other, and nothing of a provider's own. */
export function portableRewriting(metaTools: MetaToolNames): SearchRewriting {
  const isForeign = (origin: string): boolean => origin.endsWith('-server');
  return {
    call(part, origin) {
      if (origin === 'openai-client') return ownCall(part, metaTools);
      return isForeign(origin) ? undefined : part;
    },
    result(part, origin) {
      if (origin === 'openai-client') return ownResult(part, metaTools);
      return isForeign(origin) ? undefined : part;
    },
  };
}
