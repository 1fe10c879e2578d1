import { asRecord, asText } from '../util/record.ts';
import { LETTER_OR_DIGIT, upToLast } from '../util/text.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import type { DescribedGroup } from './document.ts';
import type { MastraTool } from './tool.ts';

/**
 * Returns the group of a tool, such as its MCP server: a name, and optionally a description of the whole group, which
 * counts a little in searches.
 *
 * @example
 * ```ts
 * // github_create_issue belongs to "github".
 * const groups: ToolGroup = (tool) => tool.id.split('_')[0];
 * new ToolSearchProcessor({ tools, groups });
 *
 * const about: Record<string, string> = { hubspot: 'CRM: contacts, companies, deals.' };
 * const described: ToolGroup = (tool) => {
 *   const name = tool.id.split('_')[0] ?? '';
 *   return { name, description: about[name] ?? '' };
 * };
 * new ToolSearchProcessor({ tools, groups: described });
 * ```
 */
export type ToolGroup = (tool: MastraTool) => string | { name: string; description?: string } | undefined;

const MAX_GROUP = 100;
const MAX_DESCRIPTION = 500;

/** Groups tools by the MCP server that they come from. */
export const serverOf = (tool: MastraTool): string | undefined => {
  const { mcpMetadata } = tool as { mcpMetadata?: { serverName?: unknown } };
  return typeof mcpMetadata?.serverName === 'string' ? mcpMetadata.serverName : undefined;
};

/** Groups the tools of catalogs, and resolves patterns such as `github_*`. */
export class Groups {
  readonly #groupOf: ToolGroup;
  readonly #described = new WeakMap<object, DescribedGroup>();
  readonly #severals = new WeakMap<Catalog, boolean>();
  readonly #groups = new WeakMap<Catalog, ReadonlyMap<string, readonly CatalogEntry[]>>();

  constructor(groupOf: ToolGroup) {
    this.#groupOf = groupOf;
  }

  /** The group name of a tool; empty where the tool has no group, or the user's function throws. */
  of({ tool }: Pick<CatalogEntry, 'tool'>): string {
    return this.describe(tool).name;
  }

  /** The group of a tool with its description; both are empty where the tool has no group. */
  describe(tool: MastraTool): DescribedGroup {
    const cached = this.#described.get(tool);
    if (cached) return cached;
    let name: unknown;
    let description: unknown;
    try {
      const group: unknown = this.#groupOf(tool);
      // A rejection must not become an unhandled one.
      if (group instanceof Promise) group.catch(() => {});
      else if (typeof group === 'string') name = group;
      else ({ name, description } = asRecord(group) ?? {});
    } catch {
      // A group function that throws gives no group.
    }
    const described = { name: asText(name, MAX_GROUP), description: asText(description, MAX_DESCRIPTION) };
    // Not cached for MCP servers: the metadata of a tool object may change between requests.
    if (this.#groupOf !== serverOf) this.#described.set(tool, described);
    return described;
  }

  /** Whether naming a tool's group distinguishes it: the catalog has, or may have, several groups. */
  hasSeveral(catalog: Catalog): boolean {
    if (!catalog.isComplete) return true;
    const cached = this.#severals.get(catalog);
    if (cached !== undefined) return cached;
    const found = new Set<string>();
    for (const entry of catalog.entries) {
      const group = this.of(entry);
      if (group !== '') found.add(group);
      if (found.size > 1) break;
    }
    this.#severals.set(catalog, found.size > 1);
    return found.size > 1;
  }

  /**
   * Returns the tools that a pattern (a prefix and a star) may mean, as three lists in catalog order: tools whose name
   * has the prefix, tools of the group with that name, and tools whose key has the prefix. The caller takes the first
   * list with a tool that the request may use. Returns no lists for a name without a star, or for a star alone.
   */
  *members(pattern: string, catalog: Catalog): SlicedWork<readonly (readonly CatalogEntry[])[]> {
    const prefix = prefixOf(pattern);
    if (prefix === undefined) return [];
    const entries = [...catalog.entries];
    const byName = entries.filter(({ name }) => name.startsWith(prefix));
    const byKey = entries.filter(({ key }) => key.startsWith(prefix));
    yield;
    const groups = yield* this.#groupsIn(catalog);
    return [byName, groups.get(upToLast(prefix, LETTER_OR_DIGIT(prefix)).toLowerCase()) ?? [], byKey];
  }

  /** The tools of each group, by group name in lower case. Cached for complete catalogs. */
  *#groupsIn(catalog: Catalog): SlicedWork<ReadonlyMap<string, readonly CatalogEntry[]>> {
    const cached = this.#groups.get(catalog);
    if (cached) return cached;
    const groups = new Map<string, CatalogEntry[]>();
    for (const entry of catalog.entries) {
      const name = this.of(entry).toLowerCase();
      const group = groups.get(name);
      if (group) group.push(entry);
      else if (name !== '') groups.set(name, [entry]);
      yield;
    }
    if (catalog.isComplete) this.#groups.set(catalog, groups);
    return groups;
  }
}

export function isPattern(name: string): boolean {
  return prefixOf(name) !== undefined;
}

function prefixOf(pattern: string): string | undefined {
  return pattern.length > 1 && pattern.endsWith('*') ? pattern.slice(0, -1) : undefined;
}
/** OpenAI advises fewer than 10 functions per namespace. */
export const CROWD = 10;

/** Namespaces with at least `CROWD` functions, with their sizes. */
export function crowds(namespaces: Iterable<string>): readonly (readonly [namespace: string, size: number])[] {
  const sizes = new Map<string, number>();
  for (const name of namespaces) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  return [...sizes].filter(([, size]) => size >= CROWD);
}
