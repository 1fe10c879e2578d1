import { asRecord } from '../util/record.ts';
import type { ToolParameter } from './document.ts';

const MAX_SCHEMA_DEPTH = 8;
const MAX_PARAMETERS = 200;
const MAX_VALUES = 50;
const MAX_DESCRIPTION = 1_000;
const MAX_PARAMETER_NAME = 128;
/** Nodes of a schema that are read: a schema that makes new objects at each reading has no end. */
const MAX_NODES = 10_000;

/** Keywords of JSON schema whose schemas describe the same value. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;
/** Keywords of JSON schema that may hold further parameters: the alternatives, and the items of a value. */
const INNER = [...ALTERNATIVES, 'items', 'prefixItems', 'additionalProperties'] as const;
/** Keywords of JSON schema that may name values. */
const VALUES = [...ALTERNATIVES, 'items', 'enum', 'const'] as const;
const NO_VALUES: readonly string[] = [];

/**
 * The parameters of a JSON schema, outer ones first, each name and description once. Cycles and what lies deeper than
 * eight levels are left out.
 */
export function readParameters(schema: unknown): readonly ToolParameter[] {
  const found: ToolParameter[] = [];
  const seen = new Set<object>();
  // Where each parameter stands in `found`. Only from a second object on can a parameter come again.
  let places: Map<string, number> | undefined;
  let level: { node: unknown; depth: number }[] = [{ node: schema, depth: 0 }];

  // Level by level, so that the bound cuts the deepest ones.
  while (level.length > 0 && found.length < MAX_PARAMETERS) {
    const next: { node: unknown; depth: number }[] = [];
    for (const { node, depth } of level) {
      const fields = resolve(node, schema);
      if (!fields || depth > MAX_SCHEMA_DEPTH || seen.has(fields)) continue;
      if (seen.size >= MAX_NODES) return found;
      seen.add(fields);
      const entries = ownEntries(fields['properties']);
      if (found.length > 0 && entries.length > 0) places ??= placesOf(found);
      for (const [name, property] of entries) {
        if (found.length >= MAX_PARAMETERS) return found;
        const parameter = toParameter(name, property, schema);
        const place = places?.get(keyOf(parameter));
        if (place !== undefined) found[place] = withValues(found[place] ?? parameter, parameter.values);
        else {
          const last = found.push(parameter) - 1;
          places?.set(keyOf(parameter), last);
        }
        if (hasInner(property)) next.push({ node: property, depth: depth + 1 });
      }
      for (const place of INNER) {
        const inner = fields[place];
        if (inner === undefined) continue;
        for (const node of Array.isArray(inner) ? inner.slice(0, MAX_PARAMETERS) : [inner])
          next.push({ node, depth: depth + 1 });
      }
    }
    level = next;
  }
  return found;
}

function keyOf({ name, description }: ToolParameter): string {
  return `${name}\n${description}`;
}

function placesOf(parameters: readonly ToolParameter[]): Map<string, number> {
  return new Map(parameters.map((parameter, place) => [keyOf(parameter), place]));
}

/** Whether a node may hold further parameters. */
function hasInner(node: unknown): boolean {
  const fields = asRecord(node);
  if (!fields) return false;
  return fields['$ref'] !== undefined || fields['properties'] !== undefined || hasAny(fields, INNER);
}

function hasAny(fields: Record<string, unknown>, places: readonly string[]): boolean {
  for (const place of places) if (fields[place] !== undefined) return true;
  return false;
}

/** A parameter with further values: each branch of a union may name others. */
function withValues(parameter: ToolParameter, values: readonly string[]): ToolParameter {
  return { ...parameter, values: [...new Set([...parameter.values, ...values])].slice(0, MAX_VALUES) };
}

function toParameter(name: string, property: unknown, root: unknown): ToolParameter {
  const fields = resolve(property, root) ?? {};
  // Beside a $ref there may be a description of its own.
  const own = asRecord(property)?.['description'];
  const description = typeof own === 'string' ? own : fields['description'];
  return {
    name: name.slice(0, MAX_PARAMETER_NAME),
    description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : '',
    values: valuesOf(fields, root),
  };
}

/** The strings of `enum` and `const`: of the value itself, of its items and of its alternatives. */
function valuesOf(fields: Record<string, unknown>, root: unknown): readonly string[] {
  if (!hasAny(fields, VALUES)) return NO_VALUES;
  const values: string[] = [];
  const candidates = [fields, resolve(fields['items'], root)];
  for (const place of ALTERNATIVES) {
    const inner = fields[place];
    if (Array.isArray(inner)) candidates.push(...inner.slice(0, MAX_VALUES).map((node) => resolve(node, root)));
  }
  for (const candidate of candidates) {
    const { enum: listed, const: constant } = candidate ?? {};
    for (const value of [...(Array.isArray(listed) ? listed.slice(0, MAX_VALUES) : []), constant]) {
      if (typeof value === 'string' && values.length < MAX_VALUES) values.push(value.slice(0, MAX_PARAMETER_NAME));
    }
  }
  return values;
}

/** The node behind local references (`#/$defs/City`); undefined where they lead nowhere, or in a circle. */
export function resolve(node: unknown, root: unknown): Record<string, unknown> | undefined {
  let current = asRecord(node);
  for (let hops = 0; current && typeof current['$ref'] === 'string' && hops < MAX_SCHEMA_DEPTH; hops++) {
    const path = current['$ref'];
    if (path === '#') current = asRecord(root);
    else if (path.startsWith('#/')) {
      const steps = path
        .slice(2)
        .split('/')
        .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'));
      current = asRecord(steps.reduce<unknown>((value, step) => own(value, step), root));
    } else return undefined;
  }
  return current && typeof current['$ref'] === 'string' ? undefined : current;
}

/** A step of a reference, which is a URI fragment: `big%20city`. */
function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The field of an object, or the item of a list: a path may lead through both, as `#/anyOf/0` does. */
function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** The first own properties of an object; none of anything else. */
export function ownEntries(value: unknown): [string, unknown][] {
  const record = asRecord(value);
  if (!record) return [];
  const entries: [string, unknown][] = [];
  // Not Object.entries: of 100,000 properties only the first are read.
  for (const key in record) {
    if (entries.length >= MAX_PARAMETERS) break;
    if (Object.hasOwn(record, key)) entries.push([key, record[key]]);
  }
  return entries;
}
