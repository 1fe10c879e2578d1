import type { Schema } from '../util/json-schema.ts';

/** The fields of a model that identify its provider. */
export interface ModelName {
  /** The provider and its interface, such as `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
}

/** A provider that refuses schemas of tools which JSON schema allows. */
export interface Provider {
  readonly name: 'anthropic' | 'openai' | 'google' | 'bedrock';
  /** The name for people. */
  readonly title: string;
  /** Whether the provider serves a model, regardless of the gateway. */
  serves(model: ModelName): boolean;
  /** Rules for schemas, in the order in which faults are mended. */
  readonly rules: readonly SchemaRule[];
  /** Tool names that the provider accepts; absent if it accepts all names of a catalog. */
  readonly toolName?: RegExp;
  /** Whether the provider refuses some property names, so that these are renamed. */
  readonly renames?: boolean;
  /** Whether a mended schema must not be sent as a strict one. */
  readonly isLooseWhenMended?: boolean;
}

/** A place of a schema that a provider refuses. */
export interface Fault {
  /** Names of keywords and properties that lead to the place. */
  readonly path: readonly string[];
  /** The wrong part, as the object of a sentence that begins with "It has": `the property "$filter"`. */
  readonly has: string;
}

/** One kind of fault for which a provider refuses a schema. */
export interface SchemaRule {
  /** Yields the places that break the rule. Nearly all schemas have none. */
  find(schema: Schema): Iterable<Fault>;
  /**
   * Removes the faults from a private copy of a schema, in place and as far as possible. The result allows the same
   * inputs or more.
   */
  mend(schema: Schema, mended: Mended): void;
}

/** Receives what mending changed, besides the schema itself. */
export interface Mended {
  /** Maps each renamed property to its name in the tool. */
  readonly names: Map<string, string>;
}
