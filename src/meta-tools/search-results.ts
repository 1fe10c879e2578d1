import { MAX_SIGNATURE, parametersOf } from '../catalog/signature.ts';
import type { SearchResult } from '../search/search-result.ts';
import { clean, describeBriefly, describeTool, echo } from '../util/text.ts';
import type { SearchHit } from './answer.ts';
import type { Services, Step } from './step.ts';

/** The share of an answer's characters that signatures may add. */
const SIGNATURES = 0.1;
/** Characters of the best result's signature where there is no room for more. */
const MIN_SIGNATURE = 50;
/** Characters of JSON around it. */
const KEY = ',"signature":""'.length;

/** The hits as the model reads them, with their groups where the request may see several. */
export async function resultsOf(hits: readonly SearchHit[], step: Step, services: Services): Promise<SearchResult[]> {
  const { groups } = services;
  const hasGroups = hits.length > 0 && (await severalGroups(step, services));
  const results = hits.map((hit): SearchResult => {
    const group = hasGroups ? groups.of(hit) : '';
    return {
      name: clean(hit.name, 128),
      description: describeTool(hit.description),
      score: rounded(hit.score),
      ...(hit.confidence === undefined ? {} : { confidence: Math.round(hit.confidence * 100) / 100 }),
      ...(group === '' ? {} : { group: clean(group, 80) }),
      ...(hit.isAtHand ? { available: true } : {}),
      ...(hit.fromMessage ? { fromMessage: true } : {}),
      ...(hit.queries ? { queries: hit.queries.map(echo) } : {}),
    };
  });
  return withSignatures(results, hits, ({ name }) => step.loaded.has(name) || step.available.has(name));
}

/**
 * Results with signatures, as long as there is room: the best has one, and every tool without a description. Whole
 * sentences of a description that is cut make room for more.
 *
 * @param isSent - whether the next step sends the definition.
 */
function withSignatures(
  results: readonly SearchResult[],
  hits: readonly SearchHit[],
  isSent: (hit: SearchHit) => boolean,
): SearchResult[] {
  let room = SIGNATURES * JSON.stringify(results).length;
  let isFirst = true;
  return results.map((result, position) => {
    const hit = hits[position];
    const isBare = result.description === '';
    if (!hit || hit.isSent || (!isBare && isSent(hit))) return result;
    const description = describeBriefly(result.description);
    const most = room + result.description.length - description.length - KEY;
    const mayBeShort = isFirst || isBare;
    const bound = mayBeShort ? Math.min(MAX_SIGNATURE, Math.max(MIN_SIGNATURE, Math.floor(most))) : MAX_SIGNATURE;
    const signature = parametersOf(hit.tool, bound);
    if (!mayBeShort && signature.length > most) return result;
    isFirst = false;
    room = most - signature.length;
    return { ...result, description, signature };
  });
}

/** Whether the tools that the request may see belong to several groups. */
async function severalGroups({ catalog, permissions }: Step, { groups }: Services): Promise<boolean> {
  return groups.hasSeveral(catalog) && groups.hasSeveral((await permissions.inSearch().visible(catalog)).catalog);
}

/** A score of four significant digits, and never infinite, which JSON cannot say. */
function rounded(score: number): number {
  return Number(Math.min(score, 1e300).toPrecision(4));
}
