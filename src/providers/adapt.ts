import { type Schema, withoutUnused } from '../util/json-schema.ts';
import { asRecord } from '../util/record.ts';
import { itemsOfArrays } from './arrays.ts';
import type { Fault, Provider, SchemaRule } from './provider.ts';
import { Renaming } from './renaming.ts';
import { wellFormed } from './well-formed.ts';

/** A schema that the providers accept, or the reason why there is none. */
export type Adaptation =
  | { readonly schema: Schema; readonly renaming?: Renaming; readonly isLoose: boolean }
  | { readonly refusal: string };

/** Yields the faults for which a provider refuses a schema. */
export function* faultsOf(schema: unknown, { rules }: Provider): Generator<Fault> {
  const root = asRecord(schema);
  if (root) for (const rule of rules) yield* rule.find(root);
}

/** Whether all these providers accept a schema. */
export function isAccepted(schema: unknown, providers: readonly Provider[]): boolean {
  return providers.every((provider) => faultsOf(schema, provider).next().done === true);
}

/** If a schema breaks one of these rules, Mastra's validator throws or refuses every input. */
const VALIDATOR_RULES: readonly SchemaRule[] = [wellFormed, itemsOfArrays];

/** Returns an equivalent schema that Mastra's validator can use. Undefined if the schema needs no mending. */
export function validatable(given: object): Schema | undefined {
  const isFine = ({ find }: SchemaRule): boolean => [...find(given as Schema)].length === 0;
  if (VALIDATOR_RULES.every(isFine)) return undefined;
  const schema = JSON.parse(JSON.stringify(given)) as Schema;
  for (const rule of VALIDATOR_RULES) rule.mend(schema, { names: new Map() });
  return schema;
}

/**
 * Returns a copy of the schema that all these providers accept. It allows the same inputs as the original, or more: the
 * tool itself still validates its input.
 *
 * @param given - a JSON schema as plain JSON.
 */
export function adapt(given: object, providers: readonly Provider[]): Adaptation {
  const schema = JSON.parse(JSON.stringify(given)) as Schema;
  const names = new Map<string, string>();
  for (const { rules } of providers) for (const rule of rules) rule.mend(schema, { names });
  for (const provider of providers) {
    const [fault] = faultsOf(schema, provider);
    if (fault) return { refusal: `it has ${fault.has}, which ${provider.title} refuses.` };
  }
  const adapted = withoutUnused(schema);
  return {
    schema: adapted,
    ...(names.size > 0 ? { renaming: new Renaming(adapted, names) } : {}),
    isLoose: providers.some(({ isLooseWhenMended }) => isLooseWhenMended),
  };
}
