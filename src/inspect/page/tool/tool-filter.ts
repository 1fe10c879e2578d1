import type { InspectTool } from '../../data.ts';
import type { Edits } from '../engine/edits.ts';

/** What the list of tools shows. */
export interface ToolFilter {
  /** Letters that stand in the name or the group. */
  readonly text: string;
  readonly isEdited: boolean;
  readonly order: 'catalog' | 'name' | 'tokens';
}

/** The tools that pass a filter, in its order. */
export function filterTools(
  tools: readonly InspectTool[],
  { text, isEdited, order }: ToolFilter,
  edits: Edits,
  tokens: ReadonlyMap<string, number>,
): readonly InspectTool[] {
  const parts = text.toLowerCase().split(' ').filter(Boolean);
  const passing = tools.filter(({ name, group = '' }) => {
    if (isEdited && !edits.has(name)) return false;
    const searched = `${name} ${group}`.toLowerCase();
    return parts.every((part) => searched.includes(part));
  });
  if (order === 'catalog') return passing;
  const byName = (one: InspectTool, other: InspectTool): number => (one.name < other.name ? -1 : 1);
  if (order === 'name') return passing.toSorted(byName);
  const tokensOf = ({ name }: InspectTool): number => tokens.get(name) ?? 0;
  return passing.toSorted((one, other) => tokensOf(other) - tokensOf(one) || byName(one, other));
}
