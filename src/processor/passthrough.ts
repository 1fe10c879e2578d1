import type { CatalogEntry } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Loader } from '../meta-tools/loading.ts';
import { sentTools } from '../modes/load.ts';
import type { PassthroughLimit } from '../options/resolve.ts';
import { compatibleTools, type ModeTools, type Step } from './step.ts';

/**
 * Whether the whole catalog is to be sent: searching such a small one costs more than it saves. Reported.
 *
 * What counts is what the request may see. Where there was no time to ask about all that, nobody knows how much it is.
 */
export async function isSentWhole(
  { catalog, permissions, origin }: Step,
  limits: readonly PassthroughLimit[],
  reporter: Reporter,
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

/** Sends all that the request may find, load and use, and what is pinned; no meta-tools. */
export async function sendWhole(step: Step, loader: Loader): Promise<ModeTools> {
  const { catalog, own, permissions } = step;
  const all = [...catalog.entries].filter(({ name }) => !Object.hasOwn(own, name));
  const loadable = await permissions.allowed(all, 'search', 'load');
  const wanted = new Set([...step.pinned, ...loadable]);
  const active = await permissions.allowed(
    all.filter((entry) => wanted.has(entry)),
    'active',
  );
  const failing = await loader.unusable(active, step);
  const entries = active.filter(({ name }) => !failing.has(name));
  step.tools.addEntries('pinned', entries);
  return sentTools({}, compatibleTools(entries, step), step);
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
