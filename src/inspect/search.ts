import {
  type FoundEntry,
  find,
  isWeak,
  likelihoodOfAny,
  type MatchExplanation,
  parseQuery,
  type SearchScope,
  type SearchServices,
  type ToolIndex,
  type ToolQuery,
} from '../kit.ts';
import type { InspectMatch, InspectSearch } from './data.ts';

/** Matches that a page is given. */
const DEPTH = 50;
/** Results that a verdict is about, even if the model is shown fewer. */
const RATED = 5;

/**
 * Searches for a page: what the model would be shown, with the reasons, and what comes behind it.
 *
 * @returns undefined where the search failed, which is reported.
 */
export async function searchForPage(
  text: string,
  topK: number,
  scope: SearchScope,
  services: SearchServices,
): Promise<InspectSearch | undefined> {
  const query = parseQuery(text);
  if (query.select) return selected(query.select, scope);
  if (query.keywords.length === 0) return { matches: [] };
  const found = await find(query, Math.max(topK, RATED), scope, services);
  // How likely a tool fits depends on the others that are shown.
  const deep = found && (await find(query, DEPTH, scope, services));
  if (!deep) return undefined;
  const { shown, index } = found;
  const names = new Set(shown.map(({ name }) => name));
  const explained = await Promise.all(
    shown.map(async (entry) => matchOf(entry, await explanationOf(entry, query, index))),
  );
  const rest = deep.shown.filter(({ name }) => !names.has(name)).map((entry) => matchOf(entry));
  const confidences = shown.map(({ confidence }) => confidence);
  return {
    matches: [...explained, ...rest],
    ...(index.confidence ? { isWeak: isWeak(likelihoodOfAny(confidences)) } : {}),
  };
}

/** The tools of a `select:`, by their names. */
async function selected(names: readonly string[], { catalog, permissions }: SearchScope): Promise<InspectSearch> {
  const entries = new Set(names.flatMap((name) => catalog.get(name) ?? []));
  const permitted = await permissions.allowed(entries, 'search');
  return { matches: permitted.map(({ name }) => ({ name, score: 1 })) };
}

/** Why a tool was found. A scorer that cannot say so has still found it. */
async function explanationOf(
  { name }: FoundEntry,
  query: ToolQuery,
  index: ToolIndex,
): Promise<MatchExplanation | undefined> {
  try {
    return await index.explain?.(query, name);
  } catch {
    return undefined;
  }
}

function matchOf({ name, score, confidence, byUse }: FoundEntry, explanation?: MatchExplanation): InspectMatch {
  return {
    name,
    score,
    ...(confidence === undefined ? {} : { confidence }),
    ...(explanation ? { explanation } : {}),
    ...(byUse === undefined ? {} : { byUse }),
  };
}
