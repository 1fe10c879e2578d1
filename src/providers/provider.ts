import type { Schema } from '../util/json-schema.ts';

/** A model, as far as it tells who serves it. */
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
  /** Whether it serves a model, by whatever gateway it is called. */
  serves(model: ModelName): boolean;
  /** What it refuses of a schema, in the order in which that is mended. */
  readonly rules: readonly SchemaRule[];
  /** The names of tools that it takes, where it does not take all names of a catalog. */
  readonly toolName?: RegExp;
  /** Whether it refuses names of properties, so that they are renamed. */
  readonly renames?: boolean;
  /** Whether a mended schema must not be sent as a strict one. */
  readonly isLooseWhenMended?: boolean;
}

/** A place of a schema that a provider refuses. */
export interface Fault {
  /** Names of keywords and properties that lead to the place. */
  readonly path: readonly string[];
  /** What the place has, as a sentence goes on after "It has": `the property "$filter"`. */
  readonly has: string;
}

/** Something that a provider refuses of a schema. */
export interface SchemaRule {
  /** The places that break the rule: none in nearly all schemas. */
  find(schema: Schema): Iterable<Fault>;
  /** Changes a schema, which is JSON and nobody else's, so that it allows the same or more; as far as that can be. */
  mend(schema: Schema, mended: Mended): void;
}

/** What a repaired schema needs besides itself. */
export interface Mended {
  /** Maps each renamed property to its name in the tool. */
  readonly names: Map<string, string>;
}
