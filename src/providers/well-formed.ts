import { partsOf, type Schema } from '../util/json-schema.ts';
import { isRecord } from '../util/record.ts';
import type { SchemaRule } from './provider.ts';

/**
 * The form that a keyword's value must have. `mended` repairs a wrong value; without a repaired value, the keyword is
 * dropped.
 */
interface Form {
  readonly takes: (value: unknown) => boolean;
  readonly mended?: (value: unknown, schema: Schema) => unknown;
}

const TYPES: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Names of types in other languages and formats. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  ...{ int: 'integer', int32: 'integer', int64: 'integer', long: 'integer', float: 'number', double: 'number' },
  ...{ decimal: 'number', bool: 'boolean', str: 'string', text: 'string', date: 'string', datetime: 'string' },
  ...{ dict: 'object', map: 'object', list: 'array', tuple: 'array' },
};

const isSchema = (value: unknown): boolean => isRecord(value) || typeof value === 'boolean';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isDistinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;
const areStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
const isListOf = (value: unknown, takes: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(takes);
const isRecordOf = (value: unknown, takes: (one: unknown) => boolean): boolean =>
  isRecord(value) && Object.values(value).every(takes);
const strings = (value: unknown): string[] => [
  ...new Set(Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []),
];
const unlessEmpty = (values: readonly unknown[]): unknown => (values.length > 0 ? values : undefined);

const TEXT: Form = { takes: (value) => typeof value === 'string' };
const BOOLEAN: Form = { takes: (value) => typeof value === 'boolean' };
const NUMBER: Form = { takes: isNumber };
const COUNT: Form = { takes: (value) => Number.isInteger(value) && (value as number) >= 0 };
const SCHEMA: Form = { takes: isSchema };
const SCHEMAS: Form = {
  takes: (value) => isListOf(value, isSchema),
  mended: (value) => (Array.isArray(value) ? unlessEmpty(value.filter(isSchema)) : undefined),
};
const SCHEMA_RECORD: Form = { takes: (value) => isRecordOf(value, isSchema), mended: onlySchemas };

/** Draft 4 has `true` here, which excludes the bound itself. The number of the bound then moves into this keyword. */
const excluding = (bound: 'minimum' | 'maximum'): Form => ({
  takes: isNumber,
  mended: (value, schema) => {
    const limit = value === true ? schema[bound] : undefined;
    if (typeof limit !== 'number') return undefined;
    delete schema[bound];
    return limit;
  },
});

/** The keywords of draft 2020-12 with the forms that its meta-schema asks for. */
const FORMS: Readonly<Record<string, Form>> = {
  type: {
    takes: (value) =>
      TYPES.includes(value) || (isListOf(value, (one) => TYPES.includes(one)) && isDistinct(value as unknown[])),
    mended: (value) => {
      const known = [value].flat().flatMap((one) => {
        const name = typeof one === 'string' ? (TYPE_NAMES[one.toLowerCase()] ?? one.toLowerCase()) : one;
        return TYPES.includes(name) ? [name] : [];
      });
      // An unknown type may allow any value, so the keyword is dropped.
      if (known.length < [value].flat().length) return undefined;
      return Array.isArray(value) ? unlessEmpty([...new Set(known)]) : known[0];
    },
  },
  properties: {
    takes: (value) => isRecordOf(value, isSchema),
    mended: (value, schema) => {
      if (!isRecord(value)) return undefined;
      const { required } = value;
      // The author put `required` one level too deep.
      if (areStrings(required) && required.length > 0) schema['required'] ??= required;
      return onlySchemas(value);
    },
  },
  required: {
    takes: (value) => areStrings(value) && isDistinct(value),
    mended: (value) => unlessEmpty(strings(value)),
  },
  items: {
    takes: isSchema,
    mended: (value, schema) => {
      if (!Array.isArray(value)) return undefined;
      // Before draft 2020-12, a list in `items` described a tuple.
      const items = unlessEmpty(value.filter(isSchema));
      if (items !== undefined) schema['prefixItems'] ??= items;
      const { additionalItems } = schema;
      delete schema['additionalItems'];
      return isSchema(additionalItems) ? additionalItems : undefined;
    },
  },
  enum: { takes: Array.isArray },
  examples: { takes: Array.isArray, mended: (value) => [value] },
  dependentRequired: { takes: (value) => isRecordOf(value, areStrings) },
  dependencies: { takes: (value) => isRecordOf(value, (one) => isSchema(one) || areStrings(one)) },
  multipleOf: { takes: (value) => isNumber(value) && (value as number) > 0 },
  exclusiveMinimum: excluding('minimum'),
  exclusiveMaximum: excluding('maximum'),
  ...all(['patternProperties', '$defs', 'definitions', 'dependentSchemas'], SCHEMA_RECORD),
  ...all(['allOf', 'anyOf', 'oneOf', 'prefixItems'], SCHEMAS),
  ...all(['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'], SCHEMA),
  ...all(['unevaluatedItems', 'unevaluatedProperties'], SCHEMA),
  ...all(['minimum', 'maximum'], NUMBER),
  ...all(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], COUNT),
  ...all(['minContains', 'maxContains'], COUNT),
  ...all(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'], BOOLEAN),
  ...all(['title', 'description', 'format', 'pattern', '$comment', '$ref', '$id', '$schema'], TEXT),
  ...all(['contentEncoding', 'contentMediaType'], TEXT),
};

function all(keywords: readonly string[], form: Form): Record<string, Form> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, form]));
}

function onlySchemas(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, schema]) => isSchema(schema)));
}

function* wrongKeywords(schema: Schema): Generator<readonly [keyword: string, form: Form]> {
  for (const keyword in schema) {
    const form = Object.hasOwn(FORMS, keyword) ? FORMS[keyword] : undefined;
    if (form && !form.takes(schema[keyword])) yield [keyword, form];
  }
}

/** Limit of a quoted value, in characters. */
const MAX_VALUE = 60;

function wrongText(keyword: string, value: unknown): string {
  const wrong = isRecord(value) ? Object.entries(value).find(([, one]) => !isSchema(one)) : undefined;
  const [place, shown] = wrong
    ? [`${JSON.stringify(wrong[0])} in "${keyword}" as`, wrong[1]]
    : [`"${keyword}" as`, value];
  const text = JSON.stringify(shown) ?? 'undefined';
  return `${place} ${text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}`;
}

/**
 * Refuses keywords with values that the meta-schema of draft 2020-12 refuses, e.g. `required: true`. Mending keeps an
 * obvious meaning; otherwise it drops the keyword.
 */
export const wellFormed: SchemaRule = {
  *find(root) {
    for (const { schema, path } of partsOf(root)) {
      for (const [keyword] of wrongKeywords(schema))
        yield { path: [...path, keyword], has: wrongText(keyword, schema[keyword]) };
    }
  },
  mend(root) {
    liftRequired(root);
    for (const { schema } of partsOf(root)) {
      for (const [keyword, form] of [...wrongKeywords(schema)]) {
        const value = form.mended?.(schema[keyword], schema);
        if (value === undefined) delete schema[keyword];
        else schema[keyword] = value;
      }
    }
  },
};

/** Moves `required: true` of properties, the form of draft 3, into the `required` list of their schema. */
function liftRequired(root: Schema): void {
  for (const { schema } of partsOf(root)) {
    const { properties, required } = schema;
    if (!isRecord(properties) || !(required === undefined || Array.isArray(required))) continue;
    const flagged = Object.entries(properties).flatMap(([key, property]) => {
      if (!isRecord(property) || typeof property['required'] !== 'boolean') return [];
      const { required: isRequired } = property;
      delete property['required'];
      return isRequired === true ? [key] : [];
    });
    if (flagged.length > 0) schema['required'] = [...new Set([...strings(required), ...flagged])];
  }
}
