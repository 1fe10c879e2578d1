import type { InspectPermitted, InspectTool } from '../../data.ts';

/** The phases in which the filter is asked. */
export const PHASES = ['search', 'load', 'active'] as const;
export type Phase = (typeof PHASES)[number];

/** A tool, with what a user may do with it. */
export interface PermittedTool {
  readonly name: string;
  readonly group?: string;
  readonly allowed: Readonly<Record<Phase, boolean>>;
  /** The page does not have it: the catalog of the user does. */
  readonly isOwn: boolean;
}

/** Which tools are listed. */
export type PermissionFilter = 'all' | 'allowed' | 'denied' | 'mixed';

/** The tools of the page and of the user, in the order of the page, those of the user alone behind. */
export function permittedTools(tools: readonly InspectTool[], permitted: InspectPermitted): readonly PermittedTool[] {
  const names = { search: new Set(permitted.search), load: new Set(permitted.load), active: new Set(permitted.active) };
  const known = new Set(tools.map(({ name }) => name));
  const read = ({ name, group }: InspectTool, isOwn: boolean): PermittedTool => ({
    ...{ name, isOwn },
    ...(group === undefined ? {} : { group }),
    allowed: { search: names.search.has(name), load: names.load.has(name), active: names.active.has(name) },
  });
  const own = (permitted.tools ?? []).filter(({ name }) => !known.has(name));
  return [...tools.map((tool) => read(tool, false)), ...own.map((tool) => read(tool, true))];
}

/** Tools of a kind whose name or server has the text. `mixed` ones are allowed in some phases alone. */
export function filterTools(
  tools: readonly PermittedTool[],
  filter: PermissionFilter,
  text: string,
): readonly PermittedTool[] {
  const wanted = text.trim().toLowerCase();
  return tools.filter(({ name, group = '', allowed }) => {
    const count = PHASES.filter((phase) => allowed[phase]).length;
    const kind = count === 0 ? 'denied' : count === PHASES.length ? 'allowed' : 'mixed';
    return (filter === 'all' || filter === kind) && `${name} ${group}`.toLowerCase().includes(wanted);
  });
}
