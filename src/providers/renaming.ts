import { resolve, type Schema } from '../util/json-schema.ts';
import { isRecord } from '../util/record.ts';

/** Limit of the nesting depth that is read. */
const MAX_DEPTH = 200;
/** Limit of the schemas that are read for one value. */
const MAX_CANDIDATES = 500;

/**
 * Translates property names between a tool and the schema that a model is sent. A key is translated only where the
 * schema lists a property of that name. Elsewhere, e.g. in a record with arbitrary keys, the key is data.
 */
export class Renaming {
  readonly #schema: Schema;
  /** Maps names in the sent schema to the tool's own names. */
  readonly #own: ReadonlyMap<string, string>;
  readonly #sent: ReadonlyMap<string, string>;

  /** @param schema - the sent schema. */
  constructor(schema: Schema, own: ReadonlyMap<string, string>) {
    this.#schema = schema;
    this.#own = own;
    this.#sent = new Map([...own].map(([sent, name]) => [name, sent]));
  }

  /** Translates the parameter names in a call's input to the tool's own. Names that are already the tool's own stay. */
  restore(input: unknown): unknown {
    return this.#map(input, [this.#schema], 0, (key, isSent) => (isSent(key) ? this.#own.get(key) : undefined));
  }

  /** Translates an input with the tool's own names to the names that the model was sent. */
  rename(input: unknown): unknown {
    return this.#map(input, [this.#schema], 0, (key, isSent) => {
      const sent = this.#sent.get(key);
      return sent !== undefined && isSent(sent) ? sent : undefined;
    });
  }

  #map(
    value: unknown,
    schemas: readonly unknown[],
    depth: number,
    nameOf: (key: string, isSent: (name: string) => boolean) => string | undefined,
  ): unknown {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
    const candidates = this.#candidates(schemas);
    if (Array.isArray(value)) {
      const items = value.map((item, at) => {
        const inner = candidates.flatMap(({ items: all, prefixItems }) => {
          return [all, Array.isArray(prefixItems) ? (prefixItems[at] as unknown) : undefined];
        });
        return this.#map(item, inner, depth + 1, nameOf);
      });
      return items.every((item, at) => item === value[at]) ? value : items;
    }
    let isChanged = false;
    const isSent = (name: string): boolean => candidates.some((schema) => hasProperty(schema, name));
    const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
      const name = nameOf(key, isSent) ?? key;
      const sent = isSent(key) ? key : (this.#sent.get(key) ?? key);
      const mapped = this.#map(
        inner,
        candidates.flatMap((schema) => innerSchemas(schema, sent)),
        depth + 1,
        nameOf,
      );
      isChanged ||= name !== key || mapped !== inner;
      return [name, mapped];
    });
    return isChanged ? Object.fromEntries(entries) : value;
  }

  /** The schemas that may describe one value, with those that they refer to and combine. */
  #candidates(schemas: readonly unknown[]): readonly Schema[] {
    const found = new Set<Schema>();
    const queue = [...schemas];
    for (const each of queue) {
      const schema = resolve(each, this.#schema);
      if (!schema || found.has(schema)) continue;
      if (found.size >= MAX_CANDIDATES) break;
      found.add(schema);
      const { anyOf, oneOf, allOf, if: condition, then, else: otherwise } = schema;
      // Combinations may stand beside a reference.
      if (isRecord(each) && each !== schema)
        queue.push(...['anyOf', 'oneOf', 'allOf'].flatMap((key) => each[key] ?? []));
      queue.push(...[anyOf, oneOf, allOf, condition, then, otherwise].flat());
    }
    return [...found];
  }
}

function hasProperty({ properties }: Schema, name: string): boolean {
  return isRecord(properties) && Object.hasOwn(properties, name);
}

function innerSchemas(schema: Schema, name: string): readonly unknown[] {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, name)) return [properties[name]];
  return [additionalProperties, ...(isRecord(patternProperties) ? Object.values(patternProperties) : [])];
}
