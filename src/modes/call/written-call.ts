import type { CatalogEntry } from '../../catalog/catalog.ts';
import { inputJsonSchema, ownEntries } from '../../catalog/document.ts';
import type { Loader } from '../../meta-tools/loading.ts';
import { parseJson } from '../../meta-tools/meta-tool.ts';
import { meant } from '../../meta-tools/missed-calls.ts';
import { newAllowance, type Step } from '../../step/step.ts';
import { resolve } from '../../util/json-schema.ts';
import { isRecord } from '../../util/record.ts';

/** What a written call comes to for one request. */
export type Target =
  /** A tool that is sent anyway. */
  | { readonly kind: 'resident'; readonly name: string; readonly args: object }
  /** A permitted tool with its arguments, which are validated when the call runs. */
  | { readonly kind: 'tool'; readonly name: string; readonly entry: CatalogEntry; readonly args: object }
  /** A permitted tool whose arguments are no object. */
  | { readonly kind: 'no-object'; readonly name: string; readonly entry: CatalogEntry }
  /** A permitted tool that has no definition, or one that cannot be sent. */
  | { readonly kind: 'failed'; readonly name: string }
  /** The name means no permitted tool, or several. */
  | { readonly kind: 'unknown' };

/** Finds the one tool that a call means, through the phases load and active. */
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

/** The arguments of a call, by name; undefined for what is no object. */
type Arguments = Readonly<Record<string, unknown>> | undefined;

/** A call of a tool as the model wrote it. */
export interface WrittenCall {
  readonly toolName: string;
  /** What the arguments most likely are, for this tool. */
  readonly argumentsFor: (tool: object | undefined) => Arguments;
}

const NAMES = ['toolName', 'tool_name', 'name', 'tool'];
const ARGUMENTS = ['arguments', 'args', 'parameters', 'input'];

/** Makes the best of a call of the bridge: other words for fields, arguments as JSON text, or beside the name. */
export function readCall(fields: Readonly<Record<string, unknown>>): WrittenCall {
  const nameField = NAMES.find((field) => typeof fields[field] === 'string');
  const toolName = nameField === undefined ? '' : String(fields[nameField]).trim();
  const others = picked(fields, (name) => name !== nameField);
  return { toolName, argumentsFor: (tool) => likeliest(others, tool) };
}

/** The first of the readings that come closest to the form of a tool's parameters. */
function likeliest(fields: Readonly<Record<string, unknown>>, tool: object | undefined): Arguments {
  const root = schemaOf(tool);
  const readings = readingsOf(fields, parameterNames(root));
  const read = readings.map((reading) => withoutTexts(reading, root, { root, left: MAX_NODES }) as Arguments);
  if (read.length === 1) return read[0];
  const distances = read.map((reading) => misfits(reading, root, { root, left: MAX_NODES }));
  return read[distances.indexOf(Math.min(...distances))];
}

/**
 * A value with what was written as text, and what the schema does not take as one, as what it says: `"10"` is 10 where a number
 * is wanted, `'["a"]'` a list. Text that the schema takes stays text, and so does what would fit in several ways, or in none.
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

/** Characters of a text that is read as a value. */
const MAX_WRITTEN = 100_000;
/** Python's words. */
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** What a text says as JSON; the text itself where it says nothing, or a number that would lose digits. */
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
  // Nothing stands in them, so that they are no arguments; but they may be a parameter.
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

/** Parts of a schema that are compared with a value. */
const MAX_NODES = 1_000;

/** A schema that is compared with a value, and the parts of it that may still be. */
interface Comparison {
  readonly root: unknown;
  left: number;
}

/** How far a value is from a schema, by names and types alone: before an approval, no slow pattern may run. */
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
    // Models write null for what they leave out.
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
