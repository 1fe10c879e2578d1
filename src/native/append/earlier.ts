import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { CatalogEntry } from '../../catalog/entry.ts';
import type { ToolSearchFilterPhase } from '../../filter/phase.ts';
import { conversationOf, partsOf } from '../../loaded/conversation/messages.ts';
import { allPermit } from '../../meta-tools/names.ts';
import type { Step } from '../../meta-tools/step.ts';
import type { NativeDialect } from '../../options/native.ts';
import { changesNoted } from './changes.ts';

const PHASES: readonly ToolSearchFilterPhase[] = ['search', 'load', 'active'];

/**
 * Tools that the conversation notes as added, that are not loaded any more, and that the request may still find: their
 * definitions may stay where they are.
 */
export async function earlierAdditions(
  { catalog, loaded, permissions }: Step,
  args: Pick<ProcessInputStepArgs, 'messageList' | 'messages'>,
  dialect: NativeDialect,
): Promise<readonly CatalogEntry[]> {
  const names = new Set<string>();
  for (const message of conversationOf(args)) {
    for (const part of partsOf(message?.content)) {
      for (const name of changesNoted(part, dialect)?.added.keys() ?? []) if (!loaded.has(name)) names.add(name);
    }
  }
  const entries = [...names].flatMap((name) => catalog.get(name) ?? []);
  return entries.length === 0 ? [] : allPermit(PHASES, entries, permissions);
}
