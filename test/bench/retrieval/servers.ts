import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LabelledSet } from './sets.ts';

/**
 * A set whose tools have the names that their servers gave them, with the server beside them, as an MCP client tells it;
 * undefined for one without a list of servers. The second tool of a name keeps its server's name in front.
 */
export function withServers(set: LabelledSet, folder: string): LabelledSet | undefined {
  const file = path.join(folder, 'sources.json');
  if (!existsSync(file)) return undefined;
  const sources = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly alias: string }[];
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const tools = set.tools.map((tool) => {
    const server = sources.map(({ alias }) => alias).find((alias) => tool.id.startsWith(`${alias}_`)) ?? '';
    const own = tool.id.slice(server === '' ? 0 : server.length + 1);
    const id = taken.has(own) ? tool.id : own;
    taken.add(id);
    names.set(tool.id, id);
    return { ...tool, id, server };
  });
  const renamed = (ids: readonly string[]): string[] => ids.map((id) => names.get(id) ?? id);
  const queries = set.queries.map(({ relevant, groups, ...query }) => ({
    ...query,
    relevant: renamed(relevant),
    ...(groups ? { groups: groups.map(renamed) } : {}),
  }));
  return { name: `${set.name}, own names`, tools, queries };
}
