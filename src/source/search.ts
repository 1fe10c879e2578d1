import type { MatchExplanation, SearchCall, Searched, SourceCandidate, ToolIndex, WordExplanation } from '../kit.ts';
import { splitIdentifier } from '../util/words.ts';
import type { SourceCatalog } from './source-catalog.ts';

/** Candidates requested per wanted result: the filter may hide some. */
const FIRST = 4;
/** Factor by which each retry raises the limit, up to MAX_CANDIDATES. */
const GROWTH = 4;
const MAX_CANDIDATES = 1_000;

/**
 * Asks a source for more and more candidates, until the request may see as many as are wanted. The filter checks only
 * these candidates. Returns undefined where the source failed; its catalog has then reported the failure.
 */
export async function searchSource({
  query,
  wanted,
  catalog,
  permissions,
  counts,
  explain,
}: SearchCall<SourceCatalog>): Promise<Searched | undefined> {
  for (let limit = Math.min(FIRST * wanted, MAX_CANDIDATES); ; limit = Math.min(GROWTH * limit, MAX_CANDIDATES)) {
    const answer = await catalog.candidates(query, limit, { ...permissions.asker, explain }).catch(() => undefined);
    if (!answer) return undefined;
    const { found, isAll } = answer;
    const entries = found.flatMap(({ name }) => catalog.get(name) ?? []);
    const visible = await permissions.visible(catalog.restrictedTo(entries));
    const count = [...visible.catalog.entries].filter(counts).length;
    if (count < wanted && !isAll && limit < MAX_CANDIDATES && visible.left === 0 && !permissions.isAborted) continue;
    const matches = found.filter(({ name }) => visible.catalog.get(name));
    return { visible, matches, index: indexOf(matches) };
  }
}

/** A ToolIndex over the source's own scores, confidences and explanations. */
function indexOf(candidates: readonly SourceCandidate[]): ToolIndex {
  const byName = new Map(candidates.map((candidate) => [candidate.name, candidate]));
  const isRated = candidates.length === 0 || candidates.some(({ confidence }) => confidence !== undefined);
  return {
    search: () => candidates,
    ...(isRated ? { confidence: (_, names) => names.map((name) => byName.get(name)?.confidence ?? Number.NaN) } : {}),
    explain: (_, name) => {
      const candidate = byName.get(name);
      return candidate && explanationOf(candidate);
    },
  };
}

/** Builds a candidate's explanation from the source's `words`; undefined where the source gave none. */
function explanationOf({ name, words: given, features }: SourceCandidate): MatchExplanation | undefined {
  if (!given) return undefined;
  const words = given.map(({ word, found = '', by, fields = {}, score = 0 }): WordExplanation => {
    const how = found === '' ? 'nothing' : found === word ? 'word' : 'form';
    return { word, found, by: by ?? how, fields, score };
  });
  const found = words.filter((word) => word.found !== '');
  const ofName = splitIdentifier(name);
  const inQuery = new Set(found.flatMap((word) => [word.word.toLowerCase(), word.found.toLowerCase()]));
  const coverage = words.length === 0 ? 0 : found.length / words.length;
  const nameCoverage = ofName.filter((word) => inQuery.has(word)).length / Math.max(1, ofName.length);
  const isNamed = words.some(({ word }) => word === name);
  return { words, coverage, nameCoverage, isNamed, ...(features ? { features } : {}) };
}
