import { describe, partsOf, type Schema } from '../util/json-schema.ts';
import { isRecord } from '../util/record.ts';
import { itemsOfArrays } from './arrays.ts';
import type { Provider, SchemaRule } from './provider.ts';
import { COMBINATIONS, plainRoot } from './root.ts';
import { wellFormed } from './well-formed.ts';

/** Refuses required properties that the schema does not define. */
const definedRequired: SchemaRule = {
  *find(root) {
    for (const { schema, path } of partsOf(root)) {
      for (const name of undefinedIn(schema))
        yield {
          path: [...path, 'required'],
          has: `the required property ${JSON.stringify(name)} without a definition`,
        };
    }
  },
  mend(root) {
    for (const { schema } of partsOf(root)) {
      const missing = undefinedIn(schema);
      if (missing.length === 0) continue;
      const left = (schema['required'] as unknown[]).filter((name) => !missing.includes(name));
      if (left.length > 0) schema['required'] = left;
      else delete schema['required'];
    }
  },
};

function undefinedIn({ required, properties }: Schema): readonly unknown[] {
  if (!Array.isArray(required)) return [];
  return required.filter((name) => !isRecord(properties) || !Object.hasOwn(properties, String(name)));
}

/** Refuses an `enum` or `const` with a value that is not a text, or with an empty text. */
const textValues: SchemaRule = {
  *find(root) {
    for (const { schema, path } of partsOf(root)) {
      const wrong = valuesIn(schema).find((value) => !isText(value));
      if (wrong !== undefined) yield { path: [...path, 'enum'], has: `the value ${JSON.stringify(wrong)} in a list` };
    }
  },
  mend(root) {
    for (const { schema } of partsOf(root)) {
      const values = valuesIn(schema);
      if (values.every(isText)) continue;
      const texts = values.filter(isText);
      // Without null and empty texts, the list is still right. A list with numbers becomes a sentence: no text in it
      // would be valid.
      if (texts.length > 0 && values.every((value) => typeof value === 'string' || value === null)) {
        schema['enum'] = texts;
        continue;
      }
      delete schema['enum'];
      delete schema['const'];
      if (values.every((value) => typeof value === 'number')) schema['type'] ??= 'number';
      describe(schema, `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`);
    }
  },
};

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Returns the values of `enum` or `const`. Google's packages turn `const` into an `enum` of one value. */
function valuesIn({ enum: values, const: constant }: Schema): readonly unknown[] {
  if (Array.isArray(values)) return values as unknown[];
  return constant === undefined ? [] : [constant];
}

/**
 * Gemini, over Google's own API and over Vertex. Mastra and Google's packages convert a schema into Google's form. The
 * rules prevent the errors that remain:
 *
 * - `parameters.properties[tags].items: missing field.`
 * - `parameters.required[0]: property is not defined`
 * - `Invalid value at 'parameters.properties[0].value.enum[0]' (TYPE_STRING), 7`, `enum[0]: cannot be empty`
 * - `Unknown name "oneOf"`, `When using any_of, it must be the only field set.`
 * - `name: Invalid function name. Must start with a letter or an underscore.`
 *
 * Google also refuses schemas that are nested too deeply. The limit is not documented.
 */
export const google: Provider = {
  name: 'google',
  title: 'Google',
  serves: ({ provider, modelId }) => /gemini/i.test(modelId) || (/google/i.test(provider) && !/claude/i.test(modelId)),
  rules: [wellFormed, plainRoot([...COMBINATIONS, 'enum', 'not']), itemsOfArrays, definedRequired, textValues],
  toolName: /^[A-Za-z_]/,
};
