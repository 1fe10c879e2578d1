import { RequestContext } from '@mastra/core/request-context';
import { type LearnedUse, type LearningStore, ToolSearchProcessor } from 'mastra-tool-search';
import { message, result } from '../loaded/conversation/messages.ts';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';

export const KEY: string = 'k'.repeat(24);

export function contextOf(resourceId: string): RequestContext {
  return new RequestContext([['mastra__resourceId', resourceId]] as never);
}

/** A conversation that searches, and calls the tool with success. */
export async function use(
  processor: ToolSearchProcessor,
  query: string,
  toolName: string,
  { resource = 'ann', thread = 'thread' }: { readonly resource?: string; readonly thread?: string } = {},
): Promise<void> {
  const session = new Session({ tools: {} }, { processor, resource, thread });
  await session.search({ query });
  await session.sent();
  session.messageList.add(message('assistant', [result(toolName, {})]) as never, 'response');
  await session.sent();
}

/** A store whose every scope has this, whatever it is. */
export function storeOf(learned: unknown, append: LearningStore['append'] = () => true): LearningStore {
  return { read: () => learned as never, append, clear: () => {} };
}

/** What a scope is given after one more use of a tool, which a query has found. */
export function appendedTo(
  uses: readonly LearnedUse[],
  query: string,
  toolName: string,
): Promise<{ readonly added: string; readonly drop: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const store = storeOf({ key: KEY, uses }, (_, { uses: [added] }, { drop = [] }) => {
      resolve({ added: added?.use ?? '', drop });
      return true;
    });
    const learning = { store, halfLife: Number.POSITIVE_INFINITY };
    const processor = new ToolSearchProcessor({ tools: toolRecord(tool(toolName, query)), learning });
    use(processor, query, toolName).catch(reject);
  });
}

const known = new Map<string, Promise<string>>();

/** How a scope with the key writes the words of a query. */
export function wordsOf(query: string): Promise<string> {
  const words = known.get(query) ?? appendedTo([], query, 'probe_one').then(({ added }) => added.split('.')[0] ?? '');
  known.set(query, words);
  return words;
}

/** Uses of a tool after a query, each of a conversation of its own, as a scope with the key keeps them. */
export async function usesOf(
  query: string,
  toolName: string,
  voters: number | readonly string[] = 6,
  { usedAt = Date.now(), wasFirst = false }: { readonly usedAt?: number; readonly wasFirst?: boolean } = {},
): Promise<readonly LearnedUse[]> {
  const words = await wordsOf(query);
  const all = typeof voters === 'number' ? Array.from({ length: voters }, (_, voter) => `v${voter}`) : voters;
  return all.map((voter) => ({
    use: `${words}.${voter.padStart(4, '_')}${wasFirst ? '1' : ''}.${toolName}`,
    usedAt,
  }));
}

/** A store that has learned that six conversations used the tool after the query. */
export async function learnedStore(query: string, toolName: string): Promise<LearningStore> {
  return storeOf({ key: KEY, uses: await usesOf(query, toolName) });
}
