/**
 * One input parameter of a tool, at any depth.
 *
 * @example
 * ```ts
 * const nameOf = ({ name, values }: ToolParameter) => (values.length > 0 ? `${name}: ${values.join(' | ')}` : name);
 * ```
 */
export interface ToolParameter {
  /** The parameter's own name; for a nested one the last part of its path. */
  readonly name: string;
  readonly description: string;
  /** The strings of its enum or constant. */
  readonly values: readonly string[];
}

/**
 * What a scorer may know about a tool. Never the tool itself, so that a scorer cannot run one.
 *
 * @example
 * ```ts
 * const lengthOf = ({ name, description }: ToolDocument) => name.length + description.length;
 * ```
 */
export interface ToolDocument {
  /** The name the model calls. */
  readonly name: string;
  readonly description: string;
  /** A human title, from the tool or its MCP annotations; empty when there is none. */
  readonly title: string;
  /** The MCP server the tool comes from, else its group; empty where neither is known. */
  readonly server: string;
  /** Further words that find the tool, from its author and from the user. */
  readonly keywords: readonly string[];
  /** Search hints from the tool's MCP server; absent where the server gives none. */
  readonly hints?: readonly string[];
  /** Text about all tools of the MCP server or group; absent where there is none. */
  readonly instructions?: string;
  /** At most 200, in the order of the schema. */
  readonly parameters: readonly ToolParameter[];
}
