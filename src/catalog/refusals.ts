import { messageOf, ToolSearchError } from '../errors.ts';

export function notATool(key: string, value: unknown): ToolSearchError {
  const what =
    value instanceof Promise
      ? 'a promise'
      : value === null
        ? 'null'
        : typeof value === 'object'
          ? 'an object without execute or schema'
          : typeof value;
  return new ToolSearchError(
    'invalid-tool',
    `tools["${key}"] is not a tool (${what}). Make it with createTool() of @mastra/core or tool() of the AI SDK, and await lists such as mcp.listTools().`,
  );
}

export function unreadable(key: string, error: unknown): ToolSearchError {
  return new ToolSearchError(
    'invalid-tool',
    `tools["${key}"] cannot be read: ${messageOf(error)}. Give the tool, or its field, as a plain value.`,
  );
}

export function reserved(id: string, key: string): ToolSearchError {
  return new ToolSearchError(
    'reserved-name',
    `The tool under key "${key}" is called "${id}", which is the name of a meta-tool. Rename the tool, or the meta-tool in metaTools.`,
  );
}

export function duplicate(id: string, firstKey: string, secondKey: string): ToolSearchError {
  return new ToolSearchError(
    'duplicate-tool',
    `Two tools are both called "${id}" (keys "${firstKey}" and "${secondKey}"). Give one of them another id.`,
  );
}
