import { describe, resolve, type Schema } from '../util/json-schema.ts';
import { isRecord } from '../util/record.ts';
import type { SchemaRule } from './provider.ts';

/** Keywords that combine schemas, which most providers refuse at the root. */
export const COMBINATIONS: readonly string[] = ['oneOf', 'anyOf', 'allOf'];

/**
 * Refuses schemas whose root lacks `"type": "object"`, or has one of these keywords. Mending turns a union of objects
 * into one object with the properties of all. A sentence in the description states the constraints that the schema
 * loses; the tool itself still checks them.
 */
export function plainRoot(refused: readonly string[]): SchemaRule {
  return {
    *find(root) {
      const { type } = root;
      if (type !== 'object') {
        const has =
          type === undefined ? 'no "type": "object" at its root' : `the type ${JSON.stringify(type)} at its root`;
        yield { path: [], has };
      }
      for (const keyword of refused) {
        if (root[keyword] !== undefined) yield { path: [keyword], has: `"${keyword}" at its root` };
      }
    },
    mend(root) {
      // A schema that no object satisfies stays as it is: no call could fit it.
      const flat = flattened(root, root, 0);
      if (!flat) return;
      const { schema, sentences } = flat;
      for (const keyword of refused.filter((one) => !COMBINATIONS.includes(one))) delete schema[keyword];
      for (const keyword of Object.keys(root)) delete root[keyword];
      Object.assign(root, schema, { type: 'object' });
      for (const sentence of sentences) describe(root, sentence);
    },
  };
}

/** Returns the names of the root's properties, including those of its references and combinations. */
export function rootProperties(root: Schema): readonly string[] {
  const isFlat = root['$ref'] === undefined && COMBINATIONS.every((keyword) => root[keyword] === undefined);
  return Object.keys(propertiesOf(isFlat ? root : (flattened(root, root, 0)?.schema ?? {})));
}

interface Flat {
  readonly schema: Schema;
  /** Sentences that state the constraints which the schema lost. */
  readonly sentences: readonly string[];
}

/** Limit of nested combinations. */
const MAX_DEPTH = 8;

/**
 * Returns an object schema without references and combinations at its root, which allows the same inputs or more.
 * Undefined if no object satisfies the schema.
 */
function flattened(node: unknown, root: Schema, depth: number): Flat | undefined {
  // `true` allows anything. A schema that is nested too deeply is taken for `true`.
  if (node === true || depth > MAX_DEPTH) return { schema: OPEN(), sentences: [] };
  if (!isRecord(node)) return undefined;
  const { $ref, oneOf, anyOf, allOf, ...rest } = node;
  const types = [rest['type']].flat();
  if (rest['type'] !== undefined && !types.includes('object')) return undefined;
  const start = { ...rest };
  const sentences: string[] = [];
  let whole: Schema = start;
  const parts = Array.isArray(allOf) ? allOf : [];
  const target = $ref === undefined ? [] : [resolve({ $ref }, root) ?? true];
  for (const part of [...target, ...parts]) {
    const flat = flattened(part, root, depth + 1);
    if (!flat) return undefined;
    sentences.push(...flat.sentences);
    whole = both(whole, flat.schema);
  }
  for (const [branches, isExclusive] of [
    [anyOf, false],
    [oneOf, true],
  ] as const) {
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const flats = branches.flatMap((branch) => flattened(branch, root, depth + 1) ?? []);
    if (flats.length === 0) return undefined;
    const said = flats.length > 1 ? sentenceOf(flats, isExclusive) : '';
    sentences.push(...(flats.length === 1 ? (flats[0]?.sentences ?? []) : []), ...(said === '' ? [] : [said]));
    whole = both(whole, either(flats.map(({ schema }) => schema)));
  }
  return { schema: whole, sentences };
}

const OPEN = (): Schema => ({ type: 'object', additionalProperties: true });

const propertiesOf = ({ properties }: Schema): Schema => (isRecord(properties) ? properties : {});
const requiredOf = ({ required }: Schema): readonly string[] => (Array.isArray(required) ? (required as string[]) : []);
/** Whether a schema allows no other properties than those it lists. */
const isClosed = (schema: Schema): boolean => schema['additionalProperties'] === false;

/**
 * Merges two schemas that both apply. The `additionalProperties` of one does not apply to the properties that the other
 * lists.
 */
function both(one: Schema, other: Schema): Schema {
  const properties = { ...propertiesOf(other), ...propertiesOf(one) };
  for (const [name, property] of Object.entries(propertiesOf(other))) {
    const own = propertiesOf(one)[name];
    // `one` is the schema itself and wins. `other`, a part of it, may add keywords.
    if (isRecord(own) && isRecord(property)) properties[name] = { ...property, ...own };
  }
  const required = [...new Set([...requiredOf(one), ...requiredOf(other)])];
  const { additionalProperties: _, unevaluatedProperties: __, ...others } = other;
  const merged: Schema = { ...others, ...one };
  if (Object.keys(properties).length > 0) merged['properties'] = properties;
  if (required.length > 0) merged['required'] = required;
  if (one['additionalProperties'] === undefined && other['additionalProperties'] !== undefined)
    merged['additionalProperties'] = other['additionalProperties'];
  delete merged['unevaluatedProperties'];
  return merged;
}

/** Returns a schema that allows every input that one of these schemas allows. */
function either(schemas: readonly Schema[]): Schema {
  const [first] = schemas;
  if (first && schemas.length === 1) return first;
  const variants = new Map<string, unknown[]>();
  for (const schema of schemas) {
    for (const [name, property] of Object.entries(propertiesOf(schema))) {
      const known = variants.get(name) ?? [];
      if (!known.some((one) => JSON.stringify(one) === JSON.stringify(property))) known.push(property);
      variants.set(name, known);
    }
  }
  const merged: Schema = { type: 'object' };
  if (variants.size > 0)
    merged['properties'] = Object.fromEntries([...variants].map(([name, known]) => [name, anyOf(known)]));
  const required = requiredOf(first ?? {}).filter((name) => schemas.every((one) => requiredOf(one).includes(name)));
  if (required.length > 0) merged['required'] = required;
  const areClosed = schemas.every((one) => isClosed(one) && Object.keys(propertiesOf(one)).length > 0);
  const areOpen = schemas.some((one) => one['additionalProperties'] === true);
  if (areClosed) merged['additionalProperties'] = false;
  else if (areOpen) merged['additionalProperties'] = true;
  return merged;
}

/** Merges the schemas that several branches have for one property. Constants become one `enum`. */
function anyOf(variants: readonly unknown[]): unknown {
  if (variants.length === 1) return variants[0];
  const values = variants.map(constants);
  if (values.every((each) => each !== undefined)) {
    const types = new Set(variants.map((variant) => (variant as Schema)['type']));
    const [type] = types;
    const distinct = [...new Set(values.flat())];
    return { ...(types.size === 1 && type !== undefined ? { type } : {}), enum: distinct };
  }
  return { anyOf: variants };
}

/** Returns the values of a schema that has only `enum` or `const`, besides `type`. */
function constants(schema: unknown): readonly unknown[] | undefined {
  if (!isRecord(schema)) return undefined;
  const { type: _, const: constant, enum: values, ...others } = schema;
  if (Object.keys(others).length > 0) return undefined;
  if (constant !== undefined) return [constant];
  return Array.isArray(values) ? values : undefined;
}

/** Maximum number of branches in a description, and of characters in each branch. */
const MAX_BRANCHES = 24;
const MAX_BRANCH = 300;

/** Describes a union in one sentence. Empty if no branch lists or requires a property. */
function sentenceOf(branches: readonly Flat[], isExclusive: boolean): string {
  const shown = branches.slice(0, MAX_BRANCHES);
  const areNames = branches.every(({ schema }) => Object.keys(propertiesOf(schema)).length === 0);
  const texts = shown.map((branch) => (areNames ? namesIn(branch) : branchText(branch)));
  const distinct = [...new Set(texts)].filter((text) => text !== '');
  if (distinct.length === 0) return '';
  const more = branches.length > shown.length ? '; …' : '';
  const count = isExclusive ? 'exactly' : 'at least';
  // A branch without required properties allows to give none of them.
  const nothing = areNames && texts.includes('') ? ', or none' : '';
  return areNames
    ? `Give ${count} one of: ${distinct.join('; ')}${more}${nothing}.`
    : `The arguments have ${isExclusive ? 'exactly' : 'at least'} one of these forms: ${distinct.join('; ')}${more}.`;
}

function namesIn({ schema }: Flat): string {
  return requiredOf(schema)
    .map((name) => JSON.stringify(name))
    .join(' and ');
}

/** Describes a branch, e.g. `{ kind: "card", number, expiry? }`. */
function branchText({ schema, sentences }: Flat): string {
  const required = requiredOf(schema);
  const own = Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const values = constants(isRecord(property) ? { const: property['const'], enum: property['enum'] } : {});
    const value = values ? `: ${values.map((one) => JSON.stringify(one)).join(' | ')}` : '';
    return `${name}${required.includes(name) ? '' : '?'}${value}`;
  });
  const others = required.filter((name) => !Object.hasOwn(propertiesOf(schema), name));
  const { title, description } = schema;
  const label = [title, description].find((one) => typeof one === 'string' && one !== '');
  const text = `${typeof label === 'string' ? `${label}: ` : ''}{ ${[...own, ...others].join(', ')} }`;
  const whole = [text, ...sentences].join(' ');
  return whole.length > MAX_BRANCH ? `${whole.slice(0, MAX_BRANCH - 1)}…` : whole;
}
