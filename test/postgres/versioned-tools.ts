import type { ToolDefinition } from '../../src/postgres/tools.ts';

/** Tools of a release: each says which, and each release has some that others do not. */
export function versionedTools(version: number, count: number): ToolDefinition[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `${at % 5 === 0 ? `only_in_${version}` : 'tool'}_${at}`,
    description: `Does thing ${at} of release ${version}.`,
    inputSchema: { type: 'object', properties: { [`parameter${version}`]: { type: 'string' } } },
    group: `server ${version}`,
    metadata: { version },
  }));
}
