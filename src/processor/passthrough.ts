import type { Catalog } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/definition-tokens.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { PassthroughLimit } from '../options/passthrough.ts';

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
  origin: EventOrigin,
): Promise<boolean> {
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
  reporter.report({ type: 'passthrough', isSentWhole: isWhole, limit: limit.name, size, below: limit.below }, origin);
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
