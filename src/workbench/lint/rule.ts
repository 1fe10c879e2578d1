import { ownEntries, type ToolDocument, type ToolIndex } from '../../kit.ts';
import * as jsonSchema from '../../util/json-schema.ts';
import { asRecord } from '../../util/record.ts';

/**
 * Severity of a finding: an `error` keeps a tool from being found, called or trusted, a `warning` makes that less likely, an
 * `info` is good to know.
 *
 * @example
 * ```ts
 * const failing: readonly LintSeverity[] = ['error', 'warning'];
 * ```
 */
export type LintSeverity = 'error' | 'warning' | 'info';

/**
 * The description of a rule.
 *
 * @example
 * ```ts
 * const line = ({ summary, help }: LintRuleDescription) => `${summary} ${help}`;
 * ```
 */
export interface LintRuleDescription {
  /** The flaw that the rule finds. */
  readonly summary: string;
  /** Why the flaw matters, and what helps. */
  readonly help: string;
}

export interface Flaw {
  readonly severity: LintSeverity;
  /** The name by which the model calls the tool; for a refused tool, the name that it would have. */
  readonly toolName: string;
  /** The other tools of the finding, by their names. */
  readonly others?: readonly string[];
  /** The place in the definition: `description`, or a parameter as `filter.state`. Absent if it is the whole tool. */
  readonly path?: string;
  /** The flaw, in a sentence. Texts of tools are quoted and cut, and their invisible characters are escaped. */
  readonly evidence: string;
  /** The remedy, in a sentence. */
  readonly remedy: string;
}

/** One check of a catalog. */
export interface Run extends LintedCatalog {
  /** The tools that are checked; the others still count in searches. */
  readonly chosen: readonly LintedTool[];
  /** Yields to the event loop, if that is due. */
  pause(): Promise<void>;
  /** Reports how many of the chosen tools are compared with the others, which takes the longest. */
  compared(done: number): void;
}

/** A rule: its description, and how it finds flaws. Also runs in browsers. */
export interface Rule extends LintRuleDescription {
  /** Looks at one tool. */
  readonly ofTool?: (tool: LintedTool) => ToolFlaw | undefined;
  /** Looks at tools beside others. */
  readonly ofCatalog?: (run: Run) => readonly Flaw[] | Promise<readonly Flaw[]>;
  /** Whether `ofCatalog` looks at the chosen tools alone, one by one. */
  readonly isOfChosen?: true;
}

/** A flaw of the tool that a rule looks at. */
export type ToolFlaw = Omit<Flaw, 'toolName'>;

export type Rules<Name extends string> = Readonly<Record<Name, Rule>>;

export interface LintedParameter {
  /** The path of names to the parameter: `filter.state`; `[]` follows the name of a list. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly depth: number;
}

/** A tool as the rules see it: plain data, in browsers too. */
export interface LintedTool {
  /** The name by which the model calls the tool. */
  readonly name: string;
  readonly originalName: string;
  /** The tool's name without its server's name as a prefix. */
  readonly bareName: string;
  /** The tool's server or group; empty if neither is known. */
  readonly server: string;
  /** The whole description, trimmed. */
  readonly description: string;
  readonly title: string;
  readonly document: ToolDocument;
  /** The JSON schema of the input; undefined if there is none, or it cannot be read. */
  readonly schema: unknown;
  /** Whether the JSON schema validates the input; a schema of a library validates by itself. Absent if unknown. */
  readonly isJsonSchema?: boolean;
  readonly parameters: readonly LintedParameter[];
  /** Other parts of the definition by name: `outputSchema`, `annotations`, `serverInstructions`. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** A tool that the catalog cannot take as it is. */
export interface RefusedTool {
  readonly name: string;
  readonly why: 'duplicate-tool' | 'reserved-name' | 'left-out' | 'unreadable';
  readonly message: string;
  /** The servers or groups of the tools with this name; '' for each unknown one. */
  readonly servers: readonly string[];
}

/** The `mode` of the processor. */
export type LintMode = 'load' | 'call' | 'native';

export interface LintedCatalog {
  readonly tools: readonly LintedTool[];
  readonly refused: readonly RefusedTool[];
  /** The index of the documents of all tools. */
  readonly index: ToolIndex;
  /** Number of results that a model is shown. */
  readonly topK: number;
  /** How the processor sends tools: some flaws exist in certain modes only. */
  readonly mode: LintMode;
}

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

const MAX_DEPTH = 8;
const MAX_PARAMETERS = 1_000;
/** Limit of nodes read from a schema. A schema whose getters create new objects at each read is endless. */
const MAX_NODES = 10_000;
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;

interface Node {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** The parameters of a JSON schema with their paths, outer ones first, without cycles and without levels below the eighth. */
function parametersOf(schema: unknown): readonly LintedParameter[] {
  const found: LintedParameter[] = [];
  const paths = new Set<string>();
  const seen = new Set<object>();
  const queue: Node[] = [{ value: schema, path: '', depth: 0 }];
  for (const { value, path, depth } of queue) {
    const fields = jsonSchema.resolve(value, schema);
    if (!fields || depth > MAX_DEPTH || seen.has(fields)) continue;
    seen.add(fields);
    const required = fields['required'];
    for (const [name, property] of ownEntries(fields['properties'])) {
      const inner = path === '' ? name : `${path}.${name}`;
      const described = jsonSchema.resolve(property, schema) ?? {};
      // A property may have its own description beside a $ref.
      const description = asRecord(property)?.['description'] ?? described['description'];
      // Several branches of a union may contain the same parameter.
      if (!paths.has(inner)) {
        paths.add(inner);
        found.push({
          ...{ path: inner, name, depth, fields: described },
          description: typeof description === 'string' ? description.trim() : '',
          isRequired: Array.isArray(required) && required.includes(name),
        });
      }
      queue.push({ value: property, path: inner, depth: depth + 1 });
    }
    for (const place of ALTERNATIVES) {
      const branches = fields[place];
      if (Array.isArray(branches))
        for (const branch of branches.slice(0, 50)) queue.push({ value: branch, path, depth });
    }
    for (const place of ['items', 'additionalProperties'] as const)
      if (asRecord(fields[place])) queue.push({ value: fields[place], path: `${path}[]`, depth: depth + 1 });
    if (found.length >= MAX_PARAMETERS || queue.length >= MAX_NODES) break;
  }
  return found;
}
