import { asRecord } from './record.ts';

/** A JSON schema, or a part of one, other than `true` and `false`. */
export type Schema = Record<string, unknown>;

/** Limit of a chain of references. */
const MAX_HOPS = 8;

/** Follows local references (`#/$defs/City`) to a node. Undefined if they lead nowhere or in a circle. */
export function resolve(node: unknown, root: unknown): Record<string, unknown> | undefined {
  let current = asRecord(node);
  for (let hops = 0; current && typeof current['$ref'] === 'string' && hops < MAX_HOPS; hops++) {
    current = asRecord(targetOf(current['$ref'], root));
  }
  return current && typeof current['$ref'] === 'string' ? undefined : current;
}

/** Returns the target of a local reference. Undefined if it has none, or if the reference is not local. */
export function targetOf(reference: string, root: unknown): unknown {
  const steps = reference === '#' ? [] : stepsOf(reference);
  return steps?.reduce<unknown>((value, step) => own(value, step), root);
}

/** Decodes a step of a reference. References are URI fragments: `big%20city`. */
function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Reads a field of an object or an item of a list. A path such as `#/anyOf/0` leads through both. */
function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** Keywords whose value is a record of schemas, a list of schemas, or a schema. */
const RECORDS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE = [
  ...['items', 'additionalItems', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];

/** Limit of the parts that are read from one schema. Further parts are ignored. */
const MAX_PARTS = 20_000;

/** A part of a schema, with the names of keywords and properties that lead to it. */
export interface SchemaPart {
  readonly schema: Schema;
  readonly path: readonly string[];
}

/**
 * Yields the schema and all schemas in it, outer ones first, each once. Values that are data, such as `default`, are
 * skipped.
 */
export function* partsOf(root: unknown): Generator<SchemaPart> {
  const seen = new Set<unknown>();
  const queue: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: root, path: [] }];
  for (const { value, path } of queue) {
    const schema = asRecord(value);
    if (!schema || seen.has(schema)) continue;
    seen.add(schema);
    if (seen.size > MAX_PARTS) return;
    yield { schema, path };
    const add = (inner: unknown, ...steps: readonly string[]): void => {
      if (typeof inner === 'object' && inner !== null) queue.push({ value: inner, path: [...path, ...steps] });
    };
    for (const [keyword, inner] of Object.entries(schema)) {
      if (RECORDS.includes(keyword)) {
        for (const [name, one] of Object.entries(asRecord(inner) ?? {})) add(one, keyword, name);
      } else if (Array.isArray(inner)) {
        if (LISTS.includes(keyword) || keyword === 'items')
          for (const [at, one] of inner.entries()) add(one, keyword, String(at));
      } else if (SINGLE.includes(keyword)) add(inner, keyword);
    }
  }
}

/** The keywords that hold the definitions to which references lead. */
const DEFINITIONS = ['$defs', 'definitions'] as const;

/** A definition of a schema, by keyword and name. */
export interface Definition {
  readonly keyword: (typeof DEFINITIONS)[number];
  readonly name: string;
}

/**
 * Returns the definitions that no reference uses, not even through another definition. Empty if a reference is no path
 * within the schema, because it may lead to any definition.
 */
export function unusedDefinitions(root: unknown): readonly Definition[] {
  const schema = asRecord(root);
  if (!schema || !DEFINITIONS.some((keyword) => asRecord(schema[keyword]))) return [];
  const all = DEFINITIONS.flatMap((keyword) =>
    Object.keys(asRecord(schema[keyword]) ?? {}).map((name) => ({ keyword, name })),
  );
  const used = new Set<string>();
  const { $defs: _, definitions: __, ...rest } = schema;
  const queue: unknown[] = [rest];
  for (const value of queue) {
    for (const reference of referencesIn(value)) {
      const steps = reference === '#' ? [] : stepsOf(reference);
      const [keyword = '', name] = steps ?? [];
      const isDefinition = DEFINITIONS.some((each) => each === keyword);
      if (!steps || (isDefinition && name === undefined)) return [];
      const key = `${keyword} ${name}`;
      if (name === undefined || !isDefinition || used.has(key)) continue;
      used.add(key);
      queue.push(own(schema[keyword], name));
    }
  }
  return all.filter(({ keyword, name }) => !used.has(`${keyword} ${name}`));
}

/** Removes unused definitions. Returns the same object if there are none. */
export function withoutUnused<Root>(root: Root): Root {
  const unused = unusedDefinitions(root);
  if (unused.length === 0) return root;
  const schema: Schema = { ...(root as Schema) };
  for (const keyword of DEFINITIONS) {
    const names = new Set(unused.flatMap((definition) => (definition.keyword === keyword ? definition.name : [])));
    const kept = Object.entries(asRecord(schema[keyword]) ?? {}).filter(([name]) => !names.has(name));
    if (kept.length > 0) schema[keyword] = Object.fromEntries(kept);
    else delete schema[keyword];
  }
  return schema as Root;
}

/** Yields all references in a value, also those inside data. */
function* referencesIn(value: unknown): Generator<string> {
  const queue: unknown[] = [value];
  const seen = new Set<unknown>();
  for (const each of queue) {
    if (typeof each !== 'object' || each === null || seen.has(each)) continue;
    seen.add(each);
    for (const [key, inner] of Object.entries(each)) {
      if (typeof inner === 'object') queue.push(inner);
      else if (typeof inner === 'string' && REFERENCES.includes(key)) yield inner;
    }
  }
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Splits a local reference into its steps. Undefined for any other reference. */
function stepsOf(reference: string): readonly string[] | undefined {
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Adds a sentence to the description of a schema. */
export function describe(schema: Schema, sentence: string): void {
  const { description } = schema;
  schema['description'] =
    typeof description === 'string' && description !== '' ? `${description}\n${sentence}` : sentence;
}
