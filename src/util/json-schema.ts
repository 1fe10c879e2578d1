import { asRecord } from './record.ts';

/** A JSON schema, or a part of one, that is no boolean. */
export type Schema = Record<string, unknown>;

/** References that lead from one to the next. */
const MAX_HOPS = 8;

/** The node behind local references (`#/$defs/City`); undefined where they lead nowhere, or in a circle. */
export function resolve(node: unknown, root: unknown): Record<string, unknown> | undefined {
  let current = asRecord(node);
  for (let hops = 0; current && typeof current['$ref'] === 'string' && hops < MAX_HOPS; hops++) {
    current = asRecord(targetOf(current['$ref'], root));
  }
  return current && typeof current['$ref'] === 'string' ? undefined : current;
}

/** What a reference within a schema leads to; undefined where it leads nowhere, or elsewhere. */
export function targetOf(reference: string, root: unknown): unknown {
  const steps = reference === '#' ? [] : stepsOf(reference);
  return steps?.reduce<unknown>((value, step) => own(value, step), root);
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

/** Keywords whose value is a record of schemas, a list of schemas, or a schema. */
const RECORDS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE = [
  ...['items', 'additionalItems', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];

/** Parts of one schema that are read: a larger one is read as far as that. */
const MAX_PARTS = 20_000;

/** A part of a schema, with the names of keywords and properties that lead to it. */
export interface SchemaPart {
  readonly schema: Schema;
  readonly path: readonly string[];
}

/** The schema and all schemas in it, outer ones first, each once. Values such as `default` are no schemas. */
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

/** The keywords under which a schema defines what its references lead to. */
const DEFINITIONS = ['$defs', 'definitions'] as const;

/** A definition of a schema, by keyword and name. */
export interface Definition {
  readonly keyword: (typeof DEFINITIONS)[number];
  readonly name: string;
}

/**
 * The definitions of a schema that nothing in it refers to, not even by way of another definition. None where a reference
 * is no path within the schema, as `#/$defs/City` is one: it may lead anywhere.
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

/** The schema without the definitions that nothing in it refers to; the same object where there are none. */
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

/** The values of all references in a value, also of those that stand in data. */
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

/** The steps of a local reference; undefined for one of another kind. */
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
