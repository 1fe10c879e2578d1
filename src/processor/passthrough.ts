import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/definition-tokens.ts';
import { checkOption, isRecord } from '../errors.ts';
import type { Reporter } from '../events.ts';
import type { Permissions } from '../filter/permissions.ts';

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

/**
 * Whether the whole catalog is to be sent: searching such a small one costs more than it saves. Reported.
 *
 * What counts is what the request may see. Where there was no time to ask about all that, nobody knows how much it is.
 */
export async function isSentWhole(
  catalog: Catalog,
  permissions: Permissions,
  limits: readonly PassthroughLimit[],
  reporter: Reporter,
): Promise<boolean> {
  if (limits.length === 0) return false;
  const most = permissions.isOpen ? undefined : limits.find(({ name }) => name === 'tools')?.below;
  const enough = Math.ceil(most ?? Number.POSITIVE_INFINITY);
  const { permitted, left } = await permissions.inSearch().choose(catalog.entries, enough, 'search');
  if (left > 0) return false;
  let last: { readonly limit: PassthroughLimit; readonly size: number } | undefined;
  for (const limit of limits) {
    const size = limit.name === 'tools' ? permitted.length : tokensUpTo(limit.below, permitted);
    last = { limit, size };
    if (size >= limit.below) break;
  }
  if (!last) return false;
  const { limit, size } = last;
  const isWhole = size < limit.below;
  reporter.report({ type: 'passthrough', isSentWhole: isWhole, limit: limit.name, size, below: limit.below });
  return isWhole;
}

/** Counts no further than is needed: there may be thousands of tools. */
function tokensUpTo(limit: number, entries: readonly CatalogEntry[]): number {
  let tokens = 0;
  for (const entry of entries) {
    tokens += definitionTokens(entry);
    if (tokens >= limit) break;
  }
  return tokens;
}
