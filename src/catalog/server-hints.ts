import { asRecord } from '../util/record.ts';
import { clean } from '../util/text.ts';

/** Hints of a tool that count, and characters of each. */
const MAX_HINTS = 5;
const MAX_HINT = 200;

/** The places of what an MCP server says of a tool beside its definition. */
export interface DescribedByServer {
  /** Mastra's MCP client. */
  readonly mcp?: unknown;
  /** The AI SDK's, and tools as a server lists them. */
  readonly _meta?: unknown;
}

/** What an MCP server says of a tool under a key of its `_meta`. */
export function providedByServer(tool: DescribedByServer, key: string): readonly unknown[] {
  return [asRecord(tool.mcp)?.['_meta'], tool._meta].flatMap((meta) => asRecord(meta)?.[key] ?? []);
}

/** The words by which an MCP server wants a tool to be found: `_meta["anthropic/searchHint"]`, a text or a list of texts. */
export function searchHints(tool: DescribedByServer): readonly string[] {
  const hints = providedByServer(tool, 'anthropic/searchHint')
    .filter((hint) => typeof hint === 'string' && hint.trim() !== '')
    .slice(0, MAX_HINTS)
    .map(String)
    .map((hint) => clean(hint.slice(0, 10 * MAX_HINT).replace(/<[^<>]*>/g, ' '), MAX_HINT));
  return [...new Set(hints.filter((hint) => hint !== ''))];
}
