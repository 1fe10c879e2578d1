import { resolve } from '../util/json-schema.ts';
import { asRecord } from '../util/record.ts';
import { clean, cut, escapeHidden } from '../util/text.ts';
import { inputJsonSchema, ownEntries, UNKNOWN_INPUT } from './document.ts';
import type { CatalogEntry } from './entry.ts';

export const MAX_SIGNATURE = 160;
/** Characters of the tool's name in a signature. */
const MAX_NAME = 100;
/** Characters of a parameter's name, and of a value. */
const MAX_WORD = 40;
/** Parameters and alternatives that are read: more never fit. */
const MAX_READ = 60;
/** Nesting depth of types that are read. */
const MAX_DEPTH = 4;

/** How a signature shows types. */
interface Detail {
  readonly hasTypes: boolean;
  readonly hasFields: boolean;
  /** How many values of an enum are listed. With 0, the type of the values replaces them. */
  readonly values: number;
}

/** From the most detail to the least. A signature uses the first that fits. */
const DETAILS: readonly Detail[] = [
  { hasTypes: true, hasFields: true, values: 8 },
  { hasTypes: true, hasFields: false, values: 8 },
  { hasTypes: true, hasFields: false, values: 3 },
  { hasTypes: true, hasFields: false, values: 0 },
  { hasTypes: false, hasFields: false, values: 0 },
];

/** A tool's parameter list at each level of detail. */
interface Listed {
  /** Texts for the first of {@link DETAILS}, filled on demand; undefined where longer than any signature. */
  readonly texts: (string | undefined)[];
  /** The first parameters, at the last level of detail that was read. */
  first: readonly string[];
}

/** Cache: parameters by tool object. */
const cached = new WeakMap<object, Listed>();

/**
 * A tool's call signature for a prompt: `get_weather(city, units?: 'c' | 'f')`. Required parameters come first; the type
 * `string` is not written. The signature is one line of at most 160 characters, and cannot close a tag of the prompt. `…`
 * replaces what does not fit, or cannot be read.
 */
export function signatureOf({ name, tool }: Pick<CatalogEntry, 'name' | 'tool'>): string {
  const start = safe(name, MAX_NAME);
  return `${start}${parametersOf(tool, MAX_SIGNATURE - start.length)}`;
}

const MAX_EXAMPLE = 600;

/** An example input as JSON: required fields with a value of their type. Undefined where too long, or the schema is unknown. */
export function exampleOf({ tool }: Pick<CatalogEntry, 'tool'>): string | undefined {
  try {
    const root = inputJsonSchema(tool);
    if (isUnknown(root)) return undefined;
    const text = escapeHidden(JSON.stringify(exampleValue(root, root, 0)));
    return text.length <= MAX_EXAMPLE ? text : undefined;
  } catch {
    return undefined;
  }
}

function exampleValue(node: unknown, root: unknown, depth: number): unknown {
  const schema = resolve(node, root) ?? {};
  const [value] = Array.isArray(schema['enum']) ? schema['enum'] : [schema['const'] ?? schema['default']];
  if (value !== undefined) return value;
  const { type, anyOf, oneOf } = schema;
  const [kind] = Array.isArray(type) ? type : [type];
  const [alternative] = ([anyOf, oneOf].find((list) => Array.isArray(list)) as unknown[]) ?? [];
  if (kind === undefined && alternative !== undefined && depth < MAX_DEPTH)
    return exampleValue(alternative, root, depth + 1);
  if (kind === 'number' || kind === 'integer') return schema['minimum'] ?? 1;
  if (kind === 'boolean') return true;
  if (kind === 'array') return depth < MAX_DEPTH ? [exampleValue(schema['items'], root, depth + 1)] : [];
  if (kind !== 'object' && schema['properties'] === undefined) return '…';
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const fields = depth < MAX_DEPTH ? ownEntries(schema['properties']).filter(([name]) => required.has(name)) : [];
  return Object.fromEntries(
    fields.slice(0, MAX_READ).map(([name, field]) => [name, exampleValue(field, root, depth + 1)]),
  );
}

/** The parameter list of a signature with its brackets, in at most `most` characters. */
export function parametersOf(tool: CatalogEntry['tool'], most: number): string {
  return `(${listOf(tool, most - 2)})`;
}

function listOf(tool: CatalogEntry['tool'], most: number): string {
  const listed = cached.get(tool) ?? { texts: [], first: [] };
  cached.set(tool, listed);
  const { texts } = listed;
  let root: unknown;
  try {
    for (const [at, detail] of DETAILS.entries()) {
      if (at === texts.length) {
        root ??= inputJsonSchema(tool);
        readInto(listed, root, detail);
      }
      const text = texts[at];
      if (text !== undefined && text.length <= most) return text;
    }
  } catch {
    texts.push('…');
    listed.first = [];
  }
  return cutList(listed.first, most);
}

function readInto(listed: Listed, root: unknown, detail: Detail): void {
  const parameters = isUnknown(root) ? ['…'] : fieldsOf(root, { root, detail, depth: 0 });
  const text = parameters.join(', ');
  listed.texts.push(text.length <= MAX_SIGNATURE ? text : undefined);
  listed.first = parameters.slice(0, MAX_SIGNATURE / 2);
}

/** Whether the schema names no parameters: an unresolved lazy tool, a union, or a record of any keys. */
function isUnknown(root: unknown): boolean {
  const { properties, anyOf, oneOf, additionalProperties } = asRecord(root) ?? {};
  if (root === UNKNOWN_INPUT) return true;
  if (ownEntries(properties).length > 0) return false;
  return Array.isArray(anyOf) || Array.isArray(oneOf) || asRecord(additionalProperties) !== undefined;
}

/** As many parameters as fit, and `…` for the rest. */
function cutList(parameters: readonly string[], most: number): string {
  let text = '';
  for (const parameter of parameters) {
    if (text.length + parameter.length + 3 > most) break;
    text += `${parameter}, `;
  }
  return `${text}…`;
}

interface Place {
  readonly root: unknown;
  readonly detail: Detail;
  readonly depth: number;
}

/** The fields of an object, as a signature lists them. */
function fieldsOf(node: unknown, place: Place): readonly string[] {
  const schema = resolve(node, place.root) ?? {};
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const fields = ownEntries(schema['properties']);
  const ordered = [true, false].flatMap((isFirst) => fields.filter(([name]) => required.has(name) === isFirst));
  return ordered.slice(0, MAX_READ).map(([name, value]) => {
    const label = `${nameOf(name)}${required.has(name) ? '' : '?'}`;
    const type = place.detail.hasTypes ? typeOf(value, place) : UNSAID;
    return type === UNSAID || type === 'string' ? label : `${label}: ${type}`;
  });
}

/**
 * A parameter's name as TypeScript writes it: quoted unless it is a plain word. The model must repeat the name exactly, so no
 * character is replaced; invisible characters, and those that could close a tag, are escaped.
 */
function nameOf(name: string): string {
  const shown = name.length <= MAX_WORD ? name : `${cut(name, MAX_WORD - 3)}...`;
  return /^[\w$-]+$/.test(shown) ? shown : escapeHidden(JSON.stringify(shown));
}

/** Placeholder for a type that signatures do not write. */
const UNSAID = 'any';

function typeOf(node: unknown, place: Place): string {
  const { detail, depth } = place;
  const schema = resolve(node, place.root) ?? {};
  const inner = (each: unknown): string => typeOf(each, { ...place, depth: depth + 1 });
  const { enum: listed, const: constant, type } = schema;
  const values = Array.isArray(listed) ? listed : constant === undefined ? [] : [constant];
  if (values.length > 0) return detail.values > 0 ? union(values.map(literal), detail.values) : typeOfValues(values);
  if (depth >= MAX_DEPTH) return UNSAID;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return union(alternatives.slice(0, MAX_READ).map(inner), MAX_READ);
  if (Array.isArray(type)) {
    return union(
      type.slice(0, MAX_READ).map((each) => inner({ ...schema, type: each })),
      MAX_READ,
    );
  }
  if (type === 'array') {
    const item = inner(schema['items']);
    return item.includes(' | ') && !item.endsWith('}') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object' || schema['properties'] !== undefined) {
    const fields = detail.hasFields && depth < 2 ? fieldsOf(schema, { ...place, depth: depth + 1 }) : [];
    return fields.length > 0 ? `{ ${fields.join(', ')} }` : 'object';
  }
  if (type === 'integer') return 'number';
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'null' ? type : UNSAID;
}

/** Joins the distinct types. `null` is left out. */
function union(types: readonly string[], most: number): string {
  const different = [...new Set(types)].filter((type) => type !== 'null');
  if (different.length === 0 || different.includes(UNSAID)) return UNSAID;
  const first = different.slice(0, most);
  return [...first, ...(different.length > most ? ['…'] : [])].join(' | ');
}

/** A value as a TypeScript literal; its type where the literal is unsafe in a prompt. */
function literal(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'object' && value !== null ? UNSAID : String(value);
  const isSafe = safe(value, MAX_WORD) === value || /^[<>=!]+$/.test(value);
  return isSafe && !value.includes("'") ? `'${value}'` : 'string';
}

function typeOfValues(values: readonly unknown[]): string {
  return union(
    values.map((value) => (typeof value === 'number' || typeof value === 'boolean' ? typeof value : 'string')),
    MAX_READ,
  );
}

function safe(text: string, maxLength: number): string {
  return clean(text.replace(/[<>]/g, ' '), maxLength);
}
