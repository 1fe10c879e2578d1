import { asRecord } from '../../kit.ts';

/** The tools that a query should find. */
export interface GroundTruth {
  readonly relevant: readonly string[];
  readonly groups?: readonly (readonly string[])[];
}

/** Reads what an item of a dataset wants: a case, a list of names, or one name. Undefined for anything else. */
export function readGroundTruth(value: unknown): GroundTruth | undefined {
  if (typeof value === 'string') return { relevant: [value] };
  if (isNames(value)) return { relevant: value };
  const { relevant, groups } = asRecord(value) ?? {};
  if (!isNames(relevant) || !(groups === undefined || (Array.isArray(groups) && groups.every(isNames))))
    return undefined;
  return groups === undefined ? { relevant } : { relevant, groups };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
