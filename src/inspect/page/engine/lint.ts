import { type LintedTool, type LintMode, lintedTool } from '../../../workbench/lint/catalog.ts';
import type { LintFinding } from '../../../workbench/lint/check.ts';
import { check } from '../../../workbench/lint/check.ts';
import type { InspectTool } from '../../data.ts';
import type { LocalScorer } from './local-scorers.ts';
import type { Snapshot } from './snapshot.ts';

/** What lint finds of a tool of the catalog, or of all. */
export async function lintOf(
  snapshot: Snapshot,
  scorer: LocalScorer,
  { topK, mode = 'load' }: { readonly topK: number; readonly mode?: LintMode },
  name?: string,
): Promise<readonly LintFinding[]> {
  const index = await snapshot.index(scorer);
  const tools = Array.from(snapshot.tools.values()).flatMap((tool) => read(tool, snapshot) ?? []);
  // What the catalog refused is not in the page.
  return check({ tools, refused: [], index, topK, mode }, name === undefined ? {} : { only: [name] });
}

function read(
  { name, group = '', description, title = '', inputSchema }: InspectTool,
  snapshot: Snapshot,
): LintedTool | undefined {
  const document = snapshot.documents.get(name);
  if (!document) return undefined;
  const known = { name, originalName: name, server: group, title, document, schema: inputSchema };
  return lintedTool({ ...known, description: description.trim() });
}
