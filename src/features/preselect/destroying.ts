import { annotationsOf } from '../../catalog/document.ts';
import type { ToolIndex } from '../../scorers/scorer.ts';
import type { ToolQuery } from '../../scorers/words/query.ts';
import { actionKinds, mayMeanDelete } from '../../scorers/words/query-words.ts';
import { isStopWord, splitIdentifier, stem, words } from '../../scorers/words/words.ts';
import type { FoundEntry } from '../../search/find.ts';

/**
 * Whether a query asks for what a tool destroys, too, and not only to destroy: "delete my account" asks for no
 * `kubectl_delete`. True for a tool that destroys nothing.
 */
export async function mayBeSent(entry: FoundEntry, query: ToolQuery, index: ToolIndex): Promise<boolean> {
  const name = splitIdentifier(entry.name).filter((word) => !isStopWord(word));
  const deed = name.findIndex((word) => mayMeanDelete(stem(word)));
  if (deed < 0 && !isDestructive(entry)) return true;
  const verb = deed >= 0 ? deed : name.findIndex((word) => actionKinds().has(stem(word)));
  // The last word of what remains says what it is about.
  const object = name.filter((_, at) => at !== verb).at(-1);
  if (object === undefined) return false;
  const asked = new Set(words(query.text).map(stem));
  const explanation = await index.explain?.(query, entry.name);
  for (const { found, fields } of explanation?.words ?? [])
    if (Object.hasOwn(fields, 'name')) for (const word of splitIdentifier(found)) asked.add(stem(word));
  return asked.has(stem(object));
}

/** Whether its server says so; a hint that cannot be read is none. */
function isDestructive({ tool }: FoundEntry): boolean {
  try {
    const { readOnlyHint, destructiveHint } = annotationsOf(tool);
    return destructiveHint === true && readOnlyHint !== true;
  } catch {
    return false;
  }
}
