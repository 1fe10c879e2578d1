import { createTool } from '@mastra/core/tools';
import type { MastraTool } from '../../../src/index.ts';
import { asRecord } from '../../../src/util/record.ts';
import type { LabelledTool } from '../retrieval/sets.ts';

/** Tools of a set for an agent; each tells that it ran. */
export function toolsOfSet(tools: readonly LabelledTool[], onRun: (id: string) => void): Record<string, MastraTool> {
  return Object.fromEntries(
    tools.map(({ id, description, inputSchema, annotations }) => [
      id,
      createTool({
        id,
        description,
        inputSchema: withKnownTypes(inputSchema),
        ...(annotations === undefined ? {} : { mcp: { annotations } }),
        execute: async () => {
          onRun(id);
          return { ok: true };
        },
      } as never) as MastraTool,
    ]),
  );
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** What some sets call types that JSON Schema has under another name; the rest are texts. */
const RENAMED: Readonly<Record<string, string>> = { dict: 'object', tuple: 'array', list: 'array', float: 'number' };

/** The schema with types that JSON Schema knows: Mastra would refuse every call of the tool. */
export function withKnownTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withKnownTypes);
  const fields = asRecord(schema);
  if (!fields) return schema;
  const { type } = fields;
  const known = typeof type === 'string' && !TYPES.has(type) ? { type: RENAMED[type] ?? 'string' } : {};
  const inner = Object.entries(fields).map(([name, value]) => [name, withKnownTypes(value)]);
  return { ...Object.fromEntries(inner), ...known };
}
