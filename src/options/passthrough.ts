import { checkOption } from '../errors.ts';
import { isRecord } from '../util/record.ts';

/** Below which size a catalog is sent whole: below all that are given. */
export interface PassthroughLimits {
  /** So many tools. */
  readonly tools?: number;
  /** So many tokens of their definitions, estimated as a quarter of the characters of their JSON. */
  readonly tokens?: number;
  /** Such a share of the model's context, above 0 up to 1, by the same estimate. */
  readonly contextShare?: number;
  /** Tokens of the model's context, for `contextShare`: neither Mastra nor a model tells. @default 200_000 */
  readonly contextWindow?: number;
}

/** One limit. */
export interface PassthroughLimit {
  readonly name: 'tools' | 'tokens' | 'contextShare';
  /** Tools or tokens. */
  readonly below: number;
}

/** @throws ToolSearchError `invalid-option` */
export function resolvePassthrough(option: unknown): readonly PassthroughLimit[] {
  if (option === undefined || option === 0) return [];
  const name = 'passthroughBelow';
  const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 1;
  const isKnown = isCount(option) || isRecord(option);
  checkOption(isKnown, name, option, 'a number of tools (0 is off), or { tools, tokens, contextShare }');
  const limits = typeof option === 'number' ? { tools: option } : option;
  const { tools, tokens, contextShare, contextWindow = 200_000 } = limits as PassthroughLimits;
  checkOption(tools === undefined || isCount(tools), `${name}.tools`, tools, 'a number of at least 1');
  checkOption(tokens === undefined || isCount(tokens), `${name}.tokens`, tokens, 'a number of at least 1');
  checkOption(isCount(contextWindow), `${name}.contextWindow`, contextWindow, 'a number of tokens');
  const isShare = typeof contextShare === 'number' && contextShare > 0 && contextShare <= 1;
  checkOption(
    contextShare === undefined || isShare,
    `${name}.contextShare`,
    contextShare,
    'a number above 0, at most 1',
  );
  const resolved: PassthroughLimit[] = [];
  if (tools !== undefined) resolved.push({ name: 'tools', below: tools });
  if (tokens !== undefined) resolved.push({ name: 'tokens', below: tokens });
  if (contextShare !== undefined) resolved.push({ name: 'contextShare', below: contextShare * contextWindow });
  checkOption(resolved.length > 0, name, option, 'a number of tools, or one of tools, tokens and contextShare');
  return resolved;
}
