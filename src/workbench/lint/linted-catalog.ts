import type { ToolDocument, ToolIndex } from '../../kit.ts';
import { type LintedParameter, parametersOf } from './parameters.ts';

/** A tool as the rules see it: plain data, in browsers too. */
export interface LintedTool {
  /** The name by which the model calls it. */
  readonly name: string;
  /** The name that it was given. */
  readonly originalName: string;
  /** Its name without the name of its server in front. */
  readonly bareName: string;
  /** The server, or the group, that it comes from; empty where neither is told. */
  readonly server: string;
  /** All of its description, trimmed. */
  readonly description: string;
  readonly title: string;
  readonly document: ToolDocument;
  /** The JSON schema of its input; undefined where it has none, or one that cannot be read. */
  readonly schema: unknown;
  readonly parameters: readonly LintedParameter[];
  /** Other parts of the definition, by their names: `outputSchema`, `annotations`, `serverInstructions`. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** A tool that the catalog cannot take as it is. */
export interface RefusedTool {
  readonly name: string;
  readonly why: 'duplicate-tool' | 'reserved-name' | 'left-out' | 'unreadable';
  readonly message: string;
  /** The servers, or the groups, of the tools of that name; empty for each where neither is told. */
  readonly servers: readonly string[];
}

/** The `mode` of the processor. */
export type LintMode = 'load' | 'call' | 'native';

/** Everything that the rules read. */
export interface LintedCatalog {
  readonly tools: readonly LintedTool[];
  readonly refused: readonly RefusedTool[];
  /** The index of the documents of all tools. */
  readonly index: ToolIndex;
  /** Results that a model is shown. */
  readonly topK: number;
  /** How the processor sends tools: some flaws are none of every mode. */
  readonly mode: LintMode;
}

/** The parts of a tool that are known before its schema is read. */
type KnownParts = Omit<LintedTool, 'parameters' | 'bareName'>;

/** A tool as the rules see it. */
export function lintedTool(known: KnownParts): LintedTool {
  return { ...known, bareName: withoutServer(known.name, known.server), parameters: parametersOf(known.schema) };
}

function withoutServer(name: string, server: string): string {
  const prefix = server.replace(/[^A-Za-z0-9_-]/gu, '_').toLowerCase();
  const start = name.slice(0, prefix.length).toLowerCase();
  const isPrefixed = prefix !== '' && start === prefix && '_-'.includes(name.charAt(prefix.length));
  return isPrefixed && name.length > prefix.length + 1 ? name.slice(prefix.length + 1) : name;
}
