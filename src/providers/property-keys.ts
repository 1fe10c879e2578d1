import { describe, partsOf, type Schema } from '../util/json-schema.ts';
import { asRecord, isRecord } from '../util/record.ts';
import { lazyRegex } from '../util/text.ts';
import type { SchemaRule } from './provider.ts';
import { rootProperties } from './root.ts';

/** Limit of a replacement name, in characters. */
const MAX_KEY = 64;

/**
 * Refuses properties at the root whose names do not match `accepted`. Providers accept other names deeper in a schema,
 * where MongoDB's and Postman's servers have some. But if one property is renamed, all that do not match are, at every
 * depth, so that a name has one replacement in the whole schema.
 */
export function propertyKeys(accepted: RegExp): SchemaRule {
  const refusedIn = (root: Schema): readonly string[] => rootProperties(root).filter((key) => !accepted.test(key));
  return {
    *find(root) {
      for (const key of refusedIn(root)) yield { path: ['properties', key], has: `the property ${quoted(key)}` };
    },
    mend(root, { names }) {
      if (refusedIn(root).length === 0) return;
      const parts = [...partsOf(root)];
      const taken = new Set(parts.flatMap(({ schema }) => keysOf(schema)));
      const renamed = new Map<string, string>();
      for (const key of [...taken].filter((one) => !accepted.test(one))) {
        const name = unusedName(readable(key), taken);
        taken.add(name);
        renamed.set(key, name);
        names.set(name, key);
      }
      for (const { schema } of parts) rename(schema, renamed);
    },
  };
}

function keysOf(schema: Schema): readonly string[] {
  return Object.keys(asRecord(schema['properties']) ?? {});
}

function quoted(key: string): string {
  return JSON.stringify(key.length > 100 ? `${key.slice(0, 100)}…` : key);
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '<=': '_lte',
  '>=': '_gte',
  '!=': '_ne',
  '<': '_lt',
  '>': '_gt',
};

const MARKS = lazyRegex(String.raw`\p{M}+`, 'gu');

/** Turns a property name into an accepted one that reads alike: `StartTime_lt` for `StartTime<`. */
function readable(key: string): string {
  const words = key
    .normalize('NFKD')
    .replace(MARKS(), '')
    .replace(/<=|>=|!=|<|>/g, (sign) => COMPARISONS[sign] ?? '_')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[_.-]+|(?<![_.-])[_.-]+$/g, '');
  if (words === '') return 'parameter';
  if (words.length <= MAX_KEY) return words;
  // Long names of one schema often begin alike, so the end is kept as well.
  const half = (MAX_KEY - 2) / 2;
  return `${words.slice(0, half)}__${words.slice(-half)}`;
}

function unusedName(name: string, taken: ReadonlySet<string>): string {
  let unused = name;
  for (let count = 2; taken.has(unused); count++) unused = `${name.slice(0, MAX_KEY - 6)}_${count}`;
  return unused;
}

/** Renames properties in all keywords of one schema that name properties. */
function rename(schema: Schema, renamed: ReadonlyMap<string, string>): void {
  const named = (key: unknown): unknown => renamed.get(key as string) ?? key;
  const byKey = (record: Schema): Schema =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [named(key), value]));
  const { properties, required, dependentRequired, dependentSchemas, dependencies, $ref } = schema;
  if (isRecord(properties)) {
    for (const [key, property] of Object.entries(properties))
      if (renamed.has(key) && isRecord(property)) describe(property, `Named ${JSON.stringify(key)}.`);
    schema['properties'] = byKey(properties);
  }
  if (Array.isArray(required)) schema['required'] = required.map(named);
  for (const [keyword, record] of Object.entries({ dependentRequired, dependentSchemas, dependencies })) {
    if (!isRecord(record)) continue;
    const lists = Object.entries(record).map(([key, value]) => [
      named(key),
      Array.isArray(value) ? value.map(named) : value,
    ]);
    schema[keyword] = Object.fromEntries(lists);
  }
  if (typeof $ref === 'string') schema['$ref'] = renamedReference($ref, renamed);
}

/** Adapts a reference such as `#/properties/$filter` to renamed properties. */
function renamedReference(reference: string, renamed: ReadonlyMap<string, string>): string {
  const steps = reference.split('/');
  const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
  for (const [key, name] of renamed) {
    const spellings = [escaped(key), encodeURIComponent(escaped(key))];
    for (const [at, step] of steps.entries())
      if (steps[at - 1] === 'properties' && spellings.includes(step)) steps[at] = name;
  }
  return steps.join('/');
}
