import { RequestContext } from '@mastra/core/request-context';
import type { LearnedUse, LearningStore } from '../../src/index.ts';
import { hashedVoter, hashedWords, learnedWords, type Use, written } from '../../src/learning/uses.ts';

export const KEY: string = 'k'.repeat(24);

/** A use of a tool after a query, as a scope with that key knows it. */
export function useOf(query: string, tool: string, voter = 'thread'): (key: string) => Use {
  return (key) => ({
    words: hashedWords(learnedWords(query), key),
    voter: hashedVoter(voter, key),
    tool,
    usedAt: Date.now(),
  });
}

/** A store that has learned that so many conversations used the tool after the query. */
export function learnedStore(query: string, tool: string, voters = 6): LearningStore {
  const uses = Array.from({ length: voters }, (_, voter): LearnedUse => written(useOf(query, tool, `v${voter}`)(KEY)));
  return storeOf({ key: KEY, uses });
}

/** A store whose every scope has this, whatever it is. */
export function storeOf(learned: unknown): LearningStore {
  return { read: () => learned as never, append: () => true, clear: () => {} };
}

export function contextOf(resourceId: string): RequestContext {
  return new RequestContext([['mastra__resourceId', resourceId]] as never);
}
