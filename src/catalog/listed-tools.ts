import { invalidOption } from '../errors.ts';
import { isStub } from './stub.ts';
import { isTool as isDefined, isMastraTool } from './tool.ts';

/** Whether the value is a tool, or a stub of one. */
const isTool = (value: unknown): boolean => isDefined(value) || isStub(value);

/** A value that the user gave as a tool. */
export interface ListedTool {
  /** The key in the record; for a tool of a toolset, with the name of the toolset in front. */
  readonly key: string;
  readonly tool: unknown;
  /** Whether the value is a tool. */
  readonly isTool: boolean;
  /** The name of its toolset, where it is in one. */
  readonly toolset?: string;
  /** The error that reading the value threw. */
  readonly error?: unknown;
}

/**
 * The tools of a record, as `mcp.listTools()` returns it, or of a record of such records, as `mcp.listToolsets()` does.
 *
 * @throws ToolSearchError `invalid-option` for what is no record.
 */
export function listedTools(tools: unknown): readonly ListedTool[] {
  if (!isRecordOfTools(tools)) {
    throw invalidOption('tools', tools, 'a record of tools by name; await what is still a promise');
  }
  const listed: ListedTool[] = [];
  const others: [key: string, value: unknown][] = [];
  for (const key of Object.keys(tools)) {
    try {
      const tool = tools[key];
      // A toolset may have a tool that is called "parameters".
      if (isMastraTool(tool) || (isTool(tool) && !isToolset(tool))) listed.push({ key, tool, isTool: true });
      else others.push([key, tool]);
    } catch (error) {
      listed.push({ key, tool: undefined, isTool: false, error });
    }
  }
  const areServersWithoutTools = listed.length === 0 && others.every(([, value]) => isEmpty(value));
  const hasToolsets = areServersWithoutTools || others.some(([, value]) => isToolset(value));
  for (const [key, value] of others) {
    if (hasToolsets && (isToolset(value) || isEmpty(value))) listed.push(...membersOf(key, value as object));
    else listed.push({ key, tool: value, isTool: false });
  }
  return listed;
}

/** The tools of a toolset. */
function* membersOf(toolset: string, tools: object): Iterable<ListedTool> {
  for (const inner of Object.keys(tools)) {
    const key = `${toolset}_${inner}`;
    try {
      const tool = (tools as Record<string, unknown>)[inner];
      yield { key, tool, isTool: isTool(tool), toolset };
    } catch (error) {
      yield { key, tool: undefined, isTool: false, error };
    }
  }
}

/** Whether all entries are tools, and at least one can be read. An entry that cannot be read may be a tool as well. */
function isToolset(value: unknown): boolean {
  if (!isRecordOfTools(value)) return false;
  let tools = 0;
  for (const key of Object.keys(value)) {
    try {
      if (!isTool(value[key])) return false;
      tools += 1;
    } catch {
      // Left out, alone.
    }
  }
  return tools > 0;
}

/** Whether the value is a toolset without tools, as of a server that has none. */
function isEmpty(value: unknown): boolean {
  return isRecordOfTools(value) && Object.keys(value).length === 0;
}

/** Whether the value is an object of entries: no list, no promise and no Map, whose entries are no tools. */
function isRecordOfTools(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return !(Symbol.iterator in value) && typeof (value as { then?: { call?: unknown } }).then?.call !== 'function';
}
