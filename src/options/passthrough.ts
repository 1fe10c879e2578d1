import { checkOption } from '../errors.ts';
import { isRecord } from '../util/record.ts';

/**
 * Bounds below which a catalog is sent whole; it has to stay below all that are given.
 *
 * @example
 * ```ts
 * new ToolSearchProcessor({ tools, passthroughBelow: { tools: 8, tokens: 2_000 } });
 * ```
 */
export interface PassthroughLimits {
  /** Count of tools. */
  readonly tools?: number;
  /** Tokens of the definitions, estimated as a quarter of the characters of their JSON. */
  readonly tokens?: number;
}

/** One bound of the option, resolved. */
export interface PassthroughLimit {
  readonly name: keyof PassthroughLimits;
  readonly below: number;
}

/** @throws ToolSearchError `invalid-option` */
export function resolvePassthrough(option: unknown): readonly PassthroughLimit[] {
  if (option === undefined || option === 0) return [];
  const name = 'passthroughBelow';
  const expected = 'a number of tools (0 is off), or { tools, tokens }';
  const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 1;
  checkOption(isCount(option) || isRecord(option), name, option, expected);
  const { tools, tokens }: PassthroughLimits = typeof option === 'number' ? { tools: option } : (option as object);
  const limits: PassthroughLimit[] = [];
  for (const [limit, below] of Object.entries({ tools, tokens })) {
    if (below === undefined) continue;
    checkOption(isCount(below), `${name}.${limit}`, below, 'a number of at least 1');
    limits.push({ name: limit as PassthroughLimit['name'], below });
  }
  checkOption(limits.length > 0, name, option, expected);
  return limits;
}
