import { hash } from 'node:crypto';
import { annotationsOf, inputJsonSchema, ownEntries, type SearchableTool } from '../catalog/document.ts';
import { serverOf } from '../catalog/groups.ts';
import { lazyToolOf } from '../catalog/lazy-tools.ts';
import type { MastraTool } from '../catalog/tool.ts';
import { asRecord } from '../util/record.ts';
import { quote } from './texts.ts';

/**
 * A pinned tool definition, as digests and a description for people.
 *
 * @example
 * ```ts
 * const line = ({ digest, description }: DefinitionPin) => `${digest} ${description}`;
 * ```
 */
export interface DefinitionPin {
  /** The SHA-256 of name, description, schemas and annotations, as `sha256-…`. */
  readonly digest: string;
  /** The MCP server, if the tool names one. */
  readonly server?: string;
  /** The beginning of the description, so that a change can be shown. */
  readonly description: string;
  /** Short digests of the other parts: `inputSchema`, `outputSchema`, `annotations`, and each parameter as `inputSchema.name`. */
  readonly parts: Readonly<Record<string, string>>;
  /** Set if a person accepted the definition: it is not suspicious any more. */
  readonly accepted?: true;
}

/** The parts of a tool that a model may read. A plain copy, so that it does not change while it is compared. */
export interface Definition {
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  readonly annotations: unknown;
  readonly serverInstructions: string;
}

/** Whether the tool is the stub of a lazy tool, whose definition is resolved on demand. */
export function isStub(tool: MastraTool): boolean {
  return lazyToolOf(tool) !== undefined;
}

/**
 * The name under which a tool is pinned. The stub of a lazy tool has a pin of its own, besides that of the resolved
 * definition.
 */
export function pinName({ name, tool }: { readonly name: string; readonly tool: MastraTool }): string {
  return isStub(tool) ? stubName(name) : name;
}

/** The pin name of a lazy tool's stub. No tool name has such a suffix. */
export function stubName(name: string): string {
  return `${name} (stub)`;
}

/** The annotations that MCP defines. Clients drop others. */
const ANNOTATIONS = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
/** Limit of the description in a pin, in characters. */
const MAX_DESCRIPTION = 2_000;

/**
 * Copies the definition of a tool.
 *
 * @throws what the getters of the value throw, and a RangeError if the value has no end.
 */
export function readDefinition(name: string, tool: MastraTool): Definition {
  const { description, outputSchema, mcpMetadata } = tool as SearchableTool & { readonly outputSchema?: unknown };
  const annotations = annotationsOf(tool as SearchableTool);
  const known = ANNOTATIONS.flatMap((key) => (annotations[key] === undefined ? [] : [[key, annotations[key]]]));
  const instructions = asRecord(mcpMetadata)?.['serverInstructions'];
  return {
    name,
    server: serverOf(tool) ?? '',
    description: typeof description === 'string' ? description : '',
    inputSchema: plain(withoutDialect(inputJsonSchema(tool as SearchableTool))),
    outputSchema: plain(withoutDialect(inputJsonSchema({ inputSchema: outputSchema }))),
    annotations: known.length === 0 ? undefined : plain(Object.fromEntries(known)),
    serverInstructions: typeof instructions === 'string' ? instructions : '',
  };
}

/** Returns the SHA-256 of name, description, schemas and annotations. A change of one character changes it. */
export function digestOf({ name, description, inputSchema, outputSchema, annotations }: Definition): string {
  const text = JSON.stringify([name, description, inputSchema ?? null, outputSchema ?? null, annotations ?? null]);
  return `sha256-${hash('sha256', text, 'base64url')}`;
}

/** The prefix of a parameter in `parts`. */
const PARAMETER = 'inputSchema.';

export function pinOf(definition: Definition): DefinitionPin {
  const { server, description, inputSchema, outputSchema, annotations } = definition;
  const { properties, ...ofSchema } = asRecord(inputSchema) ?? {};
  const parts: [string, unknown][] = Object.entries({ inputSchema: ofSchema, outputSchema, annotations });
  for (const [name, parameter] of ownEntries(properties)) parts.push([`${PARAMETER}${name}`, parameter]);
  return {
    digest: digestOf(definition),
    ...(server === '' ? {} : { server }),
    description: description.slice(0, MAX_DESCRIPTION),
    parts: Object.fromEntries(parts.flatMap(([part, value]) => (value === undefined ? [] : [[part, short(value)]]))),
  };
}

/** Length of the short digests in `parts`, which only show what has changed. */
const SHORT = 12;

function short(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, SHORT);
}

/** Characters shown before and after the first difference of two descriptions. */
const BEFORE = 20;
const BEHIND = 140;
/** Limit of the changed parts that {@link difference} names. */
const MAX_PARTS = 8;

/** Describes for people how two definitions of a tool differ: one line, in which texts are quoted, cut and escaped. */
export function difference(before: DefinitionPin, after: DefinitionPin): string {
  const changes: string[] = [];
  if (before.server !== undefined && after.server !== undefined && before.server !== after.server)
    changes.push(`server ${quote(before.server)} → ${quote(after.server)}`);
  if (before.description !== after.description)
    changes.push(`description ${parting(before.description, after.description)}`);
  const names = [...new Set([...Object.keys(before.parts), ...Object.keys(after.parts)])].sort();
  const parts = names.flatMap((part) => {
    const [old, now] = [partOf(before, part), partOf(after, part)];
    if (old === now) return [];
    return `${old === undefined ? '+ ' : now === undefined ? '- ' : '~ '}${shownPart(part)}`;
  });
  changes.push(...parts.slice(0, MAX_PARTS), ...(parts.length > MAX_PARTS ? [`${parts.length - MAX_PARTS} more`] : []));
  return changes.length > 0 ? changes.join('; ') : 'description, behind what the pin keeps of it';
}

function partOf({ parts }: DefinitionPin, name: string): string | undefined {
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
}

function shownPart(part: string): string {
  return part.startsWith(PARAMETER) ? `parameter ${quote(part.slice(PARAMETER.length), 64)}` : part;
}

/** Excerpts of two texts around their first difference. */
function parting(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const from = Math.max(0, at - BEFORE);
  const shown = (text: string): string => quote(`${from > 0 ? '…' : ''}${text.slice(from)}`, BEHIND);
  return `${shown(before)} → ${shown(after)}`;
}

/** Removes `$schema`, which some clients add when they read a schema. */
function withoutDialect(schema: unknown): unknown {
  const fields = asRecord(schema);
  if (!fields || !Object.hasOwn(fields, '$schema')) return schema;
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== '$schema'));
}

/** Limits of a copied definition. Getters that return new objects at each read would never end. */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 200;

/**
 * Copies a value as JSON data, with the keys of records sorted. Strings stay as they are: two that only look the same
 * are different.
 *
 * @throws what the getters of the value throw, and a RangeError if the value has no end.
 */
function plain(value: unknown): unknown {
  let count = 0;
  const copy = (given: unknown, depth: number): unknown => {
    count += 1;
    if (count > MAX_VALUES || depth > MAX_DEPTH) throw new RangeError('The definition has no end');
    if (typeof given === 'bigint') return `${given}n`;
    if (typeof given !== 'object' || given === null) return typeof given === 'function' ? undefined : given;
    const { toJSON } = given as { readonly toJSON?: unknown };
    if (typeof toJSON === 'function') return copy(toJSON.call(given), depth + 1);
    if (Array.isArray(given)) return given.map((item) => copy(item, depth + 1) ?? null);
    const keys = Object.keys(given).sort();
    const copied = Object.create(null) as Record<string, unknown>;
    for (const key of keys) {
      const inner = copy((given as Record<string, unknown>)[key], depth + 1);
      if (inner !== undefined) copied[key] = inner;
    }
    return copied;
  };
  return copy(value, 0);
}
