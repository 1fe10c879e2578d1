import { annotationsOf } from '../../catalog/document.ts';
import type { ToolIndex } from '../../scorers/scorer.ts';
import type { ToolQuery } from '../../scorers/words/query.ts';
import { actionKinds, mayMeanDelete } from '../../scorers/words/query-words.ts';
import type { FoundEntry } from '../../search/find.ts';
import { isStopWord, splitIdentifier, stem, words } from '../../util/words.ts';

/**
 * Whether a destructive tool may be preselected: the query must name the object of the tool, not only the deletion. "Delete
 * my account" does not ask for `kubectl_delete`. True for a tool that is not destructive.
 */
export async function mayBeSent(entry: FoundEntry, query: ToolQuery, index: ToolIndex): Promise<boolean> {
  const name = splitIdentifier(entry.name).filter((word) => !isStopWord(word));
  const deed = name.findIndex((word) => mayMeanDelete(stem(word)));
  if (deed < 0 && !isDestructive(entry)) return true;
  const verb = deed >= 0 ? deed : name.findIndex((word) => actionKinds().has(stem(word)));
  // The last word besides the verb is the object.
  const object = name.filter((_, at) => at !== verb).at(-1);
  if (object === undefined) return false;
  const asked = new Set(words(query.text).map(stem));
  const explanation = await index.explain?.(query, entry.name);
  for (const { found, fields } of explanation?.words ?? [])
    if (Object.hasOwn(fields, 'name')) for (const word of splitIdentifier(found)) asked.add(stem(word));
  return asked.has(stem(object));
}

/** Whether the server marks the tool as destructive. An unreadable hint counts as none. */
function isDestructive({ tool }: FoundEntry): boolean {
  try {
    const { readOnlyHint, destructiveHint } = annotationsOf(tool);
    return destructiveHint === true && readOnlyHint !== true;
  } catch {
    return false;
  }
}
