import type { CatalogEntry } from '../../catalog/catalog.ts';
import { inputJsonSchema, ownEntries } from '../../catalog/document.ts';
import type { Loader } from '../../meta-tools/loading.ts';
import { parseJson } from '../../meta-tools/meta-tool.ts';
import { meant } from '../../meta-tools/missed-calls.ts';
import { newAllowance, type Step } from '../../step/step.ts';
import { resolve } from '../../util/json-schema.ts';
import { isRecord } from '../../util/record.ts';

/** The target of a call in one request, found by what the model wrote. */
export type Target =
  /** A tool that the step sends. */
  | { readonly kind: 'resident'; readonly name: string; readonly args: object }
  /** A permitted tool and its arguments, which are validated when the call runs. */
  | { readonly kind: 'tool'; readonly name: string; readonly entry: CatalogEntry; readonly args: object }
  /** A permitted tool whose arguments are not an object. */
  | { readonly kind: 'no-object'; readonly name: string; readonly entry: CatalogEntry }
  /** A permitted tool whose definition cannot be resolved, or cannot be sent. */
  | { readonly kind: 'failed'; readonly name: string }
  /** A name that matches no permitted tool, or several. */
  | { readonly kind: 'unknown' };

/** Finds the one tool that a call refers to and that the phases `load` and `active` permit. */
export async function targetOf(
  { toolName, argumentsFor }: WrittenCall,
  step: Step,
  loader: Loader,
  bridge: string | undefined,
): Promise<Target> {
  const asked = { ...step, allowance: newAllowance() };
  const name = toolName === '' ? undefined : await meant(toolName, asked);
  if (name === undefined || step.permissions.isAborted) return { kind: 'unknown' };
  if (step.tools.isAvailable(name)) {
    const args = argumentsFor(step.own[name] ?? step.catalog.get(name)?.tool) ?? {};
    return name === bridge ? { kind: 'unknown' } : { kind: 'resident', name, args };
  }
  const found = step.catalog.get(name);
  if (!found) return { kind: 'unknown' };
  const failing = await loader.unusable([found], step, false);
  const entry = loader.ready(found, step);
  if (!entry || failing.has(name)) return { kind: 'failed', name };
  const args = argumentsFor(entry.tool);
  return args ? { kind: 'tool', name: entry.name, entry, args } : { kind: 'no-object', name: entry.name, entry };
}

/** The arguments of a call, by name; undefined if they are not an object. */
type Arguments = Readonly<Record<string, unknown>> | undefined;

/** A call of a tool as the model wrote it. */
export interface WrittenCall {
  readonly toolName: string;
  /** The most likely reading of the arguments for this tool. */
  readonly argumentsFor: (tool: object | undefined) => Arguments;
}

const NAMES = ['toolName', 'tool_name', 'name', 'tool'];
const ARGUMENTS = ['arguments', 'args', 'parameters', 'input'];

/** Reads a call of the bridge leniently: other field names, arguments as JSON text, arguments beside the name. */
export function readCall(fields: Readonly<Record<string, unknown>>): WrittenCall {
  const nameField = NAMES.find((field) => typeof fields[field] === 'string');
  const toolName = nameField === undefined ? '' : String(fields[nameField]).trim();
  const others = picked(fields, (name) => name !== nameField);
  return { toolName, argumentsFor: (tool) => likeliest(others, tool) };
}

/** The reading of the arguments that fits the schema of the tool best; the first one of several equally good. */
function likeliest(fields: Readonly<Record<string, unknown>>, tool: object | undefined): Arguments {
  const root = schemaOf(tool);
  const readings = readingsOf(fields, parameterNames(root));
  const read = readings.map((reading) => withoutTexts(reading, root, { root, left: MAX_NODES }) as Arguments);
  if (read.length === 1) return read[0];
  const distances = read.map((reading) => misfits(reading, root, { root, left: MAX_NODES }));
  return read[distances.indexOf(Math.min(...distances))];
}

/**
 * Parses texts in a value where the schema does not accept a text: `"10"` becomes 10 for a number, `'["a"]'` becomes a list.
 * A text stays a text if the schema accepts it, or if the parsed value would fit in several ways, or in none.
 */
function withoutTexts(value: unknown, node: unknown, comparison: Comparison): unknown {
  const schema = comparison.left > 0 ? resolve(node, comparison.root) : undefined;
  if (!schema) return value;
  comparison.left -= 1;
  const fits = (one: unknown, part: unknown): boolean => misfits(one, part, { ...comparison }) === 0;
  let read = typeof value === 'string' && !fits(value, schema) ? writtenValue(value) : value;
  for (const part of listOf(schema['allOf'])) read = withoutTexts(read, part, comparison);
  for (const parts of [schema['anyOf'], schema['oneOf']].map(listOf)) {
    if (parts.length === 0 || parts.some((part) => fits(read, part))) continue;
    const fitting = parts
      .map((part) => ({ part, made: withoutTexts(read, part, comparison) }))
      .filter(({ part, made }) => fits(made, part));
    const different = new Map(fitting.map(({ made }) => [JSON.stringify(made), made]));
    if (different.size === 1) [read] = [...different.values()];
  }
  if (Array.isArray(read)) {
    const { items } = schema;
    read = isRecord(items) ? read.map((item) => withoutTexts(item, items, comparison)) : read;
  } else if (isRecord(read)) {
    const own = read;
    const changed = ownEntries(schema['properties']).flatMap(([name, property]) =>
      Object.hasOwn(own, name) ? [[name, withoutTexts(own[name], property, comparison)] as const] : [],
    );
    if (changed.some(([name, made]) => made !== own[name])) read = { ...own, ...Object.fromEntries(changed) };
  }
  return typeof value !== 'string' || fits(read, schema) ? read : value;
}

/** Limit, in characters, of a text that is parsed as a value. */
const MAX_WRITTEN = 100_000;
/** Python's literals, which some models write. */
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** A text parsed as JSON. Returns the text itself if it is not JSON, or a number that would lose digits. */
function writtenValue(text: string): unknown {
  if (text.length > MAX_WRITTEN) return text;
  if (WORDS.has(text.trim())) return WORDS.get(text.trim());
  const parsed = parseJson(text);
  if (parsed === undefined || typeof parsed === 'string') return text;
  const losesDigits = typeof parsed === 'number' && Math.abs(parsed) > Number.MAX_SAFE_INTEGER;
  return losesDigits ? text : parsed;
}

function readingsOf(fields: Readonly<Record<string, unknown>>, parameters: ReadonlySet<string>): readonly Arguments[] {
  const beside = picked(fields, (name) => parameters.has(name) || !ARGUMENTS.includes(name));
  const word = ARGUMENTS.find((each) => !isEmpty(contentOf(fields[each])));
  // All fields for arguments are empty. Such a field may still be a parameter of the tool.
  if (word === undefined) return [picked(beside, (name) => name !== 'arguments'), beside];
  const content = contentOf(fields[word]);
  const known = picked(beside, (name) => name !== word && parameters.has(name));
  const within = isRecord(content) ? { ...known, ...content } : undefined;
  if (!parameters.has(word)) return [within];
  if (!within) return [beside];
  return word === 'arguments' ? [within, beside] : [beside, within];
}

function contentOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const parsed = parseJson(value);
  return parsed === undefined ? value.trim() : parsed;
}

function isEmpty(content: unknown): boolean {
  if (content === undefined || content === null || content === '') return true;
  return typeof content === 'object' && Object.keys(content).length === 0;
}

function schemaOf(tool: object | undefined): unknown {
  try {
    return inputJsonSchema(tool ?? {});
  } catch {
    return undefined;
  }
}

function parameterNames(root: unknown): ReadonlySet<string> {
  const { allOf, anyOf, oneOf } = resolve(root, root) ?? {};
  const parts = [root, ...[allOf, anyOf, oneOf].flatMap(listOf)];
  return new Set(parts.flatMap((part) => ownEntries(resolve(part, root)?.['properties']).map(([name]) => name)));
}

/** Limit of the schema nodes that are compared with a value. */
const MAX_NODES = 1_000;

/** A schema that is compared with a value, and the number of its nodes that may still be compared. */
interface Comparison {
  readonly root: unknown;
  left: number;
}

/** Counts mismatches of names and types. Ignores patterns: a slow regex must not run before an approval. */
function misfits(value: unknown, node: unknown, comparison: Comparison): number {
  const schema = comparison.left > 0 ? resolve(node, comparison.root) : undefined;
  if (!schema) return 0;
  comparison.left -= 1;
  const of = (part: unknown): number => misfits(value, part, comparison);
  let count = listOf(schema['allOf']).reduce<number>((sum, part) => sum + of(part), 0);
  for (const parts of [schema['anyOf'], schema['oneOf']].map(listOf)) {
    if (parts.length > 0) count += Math.min(...parts.map(of));
  }
  const types = [schema['type']].flat().filter((type) => typeof type === 'string');
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return count + 1;
  const { enum: given, const: only } = schema;
  if (Array.isArray(given) && isSimple(value) && !given.includes(value)) return count + 1;
  if (only !== undefined && isSimple(value) && only !== value) return count + 1;
  const { items } = schema;
  if (Array.isArray(value) && isRecord(items))
    return value.reduce<number>((sum, item) => sum + misfits(item, items, comparison), count);
  if (!isRecord(value)) return count;
  for (const name of listOf(schema['required'])) if (!Object.hasOwn(value, String(name))) count += 1;
  const properties = ownEntries(schema['properties']);
  for (const [name, property] of properties) {
    // Models write null for parameters that they omit.
    if (Object.hasOwn(value, name) && value[name] !== null) count += misfits(value[name], property, comparison);
  }
  if (schema['additionalProperties'] !== false) return count;
  const known = new Set(properties.map(([name]) => name));
  return count + Object.keys(value).filter((name) => !known.has(name)).length;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isRecord(value) : typeof value === type;
}

function isSimple(value: unknown): boolean {
  return typeof value !== 'object';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function picked(
  fields: Readonly<Record<string, unknown>>,
  isPicked: (name: string) => boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isPicked(name)));
}
