import { toStandardSchema } from '@mastra/core/schema';
import { asRecord } from '../util/record.ts';
import type { ToolDocument } from './document.ts';
import { documentOf, type SearchableTool, type ToldGroup } from './document-of.ts';

export type { SearchableTool, ToldGroup };

/** The document of a tool, whatever describes its input. */
export function toolDocument(
  name: string,
  tool: SearchableTool,
  keywords?: readonly string[],
  group?: ToldGroup,
): { document: ToolDocument; problem?: string } {
  return documentOf(name, tool, () => inputJsonSchema(tool), keywords, group);
}

/** The JSON schema of a tool's input, from whatever describes it. Throws what reading that throws. */
export function inputJsonSchema(tool: SearchableTool): unknown {
  return jsonSchemaOf(tool.inputSchema ?? tool.parameters);
}

/**
 * The JSON schema behind whatever describes a tool's input: a Standard Schema (zod 4, and everything that went through
 * Mastra's createTool), zod 3, an AI SDK schema, a JSON schema, or a function that returns one of them.
 */
function jsonSchemaOf(source: unknown): unknown {
  const schema = typeof source === 'function' && !('~standard' in source) ? (source as () => unknown)() : source;
  const fields = typeof schema === 'function' ? (schema as unknown as Record<string, unknown>) : asRecord(schema);
  if (!fields) return undefined;
  const standard = asRecord(fields['~standard']);
  // Mastra's wrapper around a JSON schema, of which its Standard Schema side makes a copy at each look.
  if (standard && typeof fields['getSchema'] === 'function') {
    return jsonSchemaOf((schema as { getSchema(): unknown }).getSchema());
  }
  if (standard)
    return standardJson(standard) ?? standardJson(asRecord(asRecord(toStandardSchema(fields as never))?.['~standard']));
  if ('jsonSchema' in fields) return fields['jsonSchema'];
  return '_def' in fields ? jsonSchemaOf(toStandardSchema(fields as never)) : fields;
}

function standardJson(standard: Record<string, unknown> | undefined): unknown {
  const input = asRecord(standard?.['jsonSchema'])?.['input'];
  // What JSON cannot say (dates, transforms) becomes "anything" instead of an error.
  const options = { target: 'draft-07', libraryOptions: { unrepresentable: 'any' } };
  return typeof input === 'function' ? (input as (options: object) => unknown)(options) : undefined;
}
