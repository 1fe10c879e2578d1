import type { InspectTool } from '../../data.ts';

/** What was changed of a tool: the parts that differ from the catalog's. */
export interface ToolEdit {
  readonly description?: string;
  readonly keywords?: readonly string[];
}

/** The changed tools, by name. */
export type Edits = ReadonlyMap<string, ToolEdit>;

/** A tool with what was changed of it. */
export function edited(tool: InspectTool, edit: ToolEdit | undefined): InspectTool {
  return edit ? { ...tool, ...edit } : tool;
}

/**
 * The edit without what is as it was; undefined where nothing differs.
 */
export function differing(tool: InspectTool, edit: ToolEdit): ToolEdit | undefined {
  const { description, keywords } = edit;
  const hasDescription = description !== undefined && description !== tool.description;
  const hasKeywords = keywords !== undefined && !isSame(keywords, tool.keywords ?? []);
  if (!hasDescription && !hasKeywords) return undefined;
  return { ...(hasDescription ? { description } : {}), ...(hasKeywords ? { keywords } : {}) };
}

/** Words as they are typed into one field: each on a line, or behind a comma. */
export function keywordsOf(text: string): readonly string[] {
  const words = text
    .replaceAll('\n', ',')
    .split(',')
    .map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ''))];
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}
