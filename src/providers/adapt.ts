import { type Schema, withoutUnused } from '../util/json-schema.ts';
import { asRecord } from '../util/record.ts';
import { itemsOfArrays } from './arrays.ts';
import type { Fault, Provider, SchemaRule } from './provider.ts';
import { Renaming } from './renaming.ts';
import { wellFormed } from './well-formed.ts';

/** The schema of a tool in a form that its provider takes, or why there is none. */
export type Adaptation =
  | { readonly schema: Schema; readonly renaming?: Renaming; readonly isLoose: boolean }
  | { readonly refusal: string };

/** What a provider refuses of a schema. */
export function* faultsOf(schema: unknown, { rules }: Provider): Generator<Fault> {
  const root = asRecord(schema);
  if (root) for (const rule of rules) yield* rule.find(root);
}

/** Whether all these providers take a schema. */
export function isAccepted(schema: unknown, providers: readonly Provider[]): boolean {
  return providers.every((provider) => faultsOf(schema, provider).next().done === true);
}

/** What Mastra's validator refuses of a schema, or fails at: every input, whatever it is. */
const VALIDATOR_RULES: readonly SchemaRule[] = [wellFormed, itemsOfArrays];

/** A schema that says the same, and that Mastra can validate by; undefined for one that needs no other. */
export function validatable(given: object): Schema | undefined {
  const isFine = ({ find }: SchemaRule): boolean => [...find(given as Schema)].length === 0;
  if (VALIDATOR_RULES.every(isFine)) return undefined;
  const schema = JSON.parse(JSON.stringify(given)) as Schema;
  for (const rule of VALIDATOR_RULES) rule.mend(schema, { names: new Map() });
  return schema;
}

/**
 * The schema in a form that all these providers take. It allows what the given one does, or more: the tool itself still
 * validates its input.
 *
 * @param given - a schema of JSON alone.
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
