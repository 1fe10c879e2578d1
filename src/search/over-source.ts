import type { Catalog } from '../catalog/catalog.ts';
import type { CandidateAnswer, CandidateEntry } from '../catalog/entry.ts';
import type { CandidateWord } from '../catalog/tool-source.ts';
import type { Permissions, Visible } from '../filter/permissions.ts';
import type { MatchExplanation, ToolIndex, ToolMatch, WordExplanation } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import { splitIdentifier } from '../scorers/words/words.ts';

/** Candidates for each result that is wanted: the filter may hide some. */
const FIRST = 4;
/** How much larger each next window is, and the largest. */
const GROWTH = 4;
const MAX_CANDIDATES = 1_000;

const NONE: CandidateAnswer = { found: [], isAll: true };

/** What a source found, as far as the request may see it. */
interface Ranked {
  readonly visible: Visible;
  readonly matches: readonly ToolMatch[];
  readonly index: ToolIndex;
}

/** One search of a source. */
interface SourceSearch {
  readonly query: ToolQuery;
  /** How many tools are wanted. */
  readonly wanted: number;
  readonly catalog: Catalog;
  readonly permissions: Permissions;
  /** Whether a tool counts among those that are wanted. */
  readonly counts: (entry: CandidateEntry['entry']) => boolean;
  readonly explain?: boolean | undefined;
}

/**
 * Searches a source for more and more candidates, until the request may see as many as are wanted. The filter is asked
 * about candidates alone.
 *
 * @throws what the source throws, which is reported.
 */
export async function searchSource({
  query,
  wanted,
  catalog,
  permissions,
  counts,
  explain,
}: SourceSearch): Promise<Ranked> {
  for (let limit = Math.min(FIRST * wanted, MAX_CANDIDATES); ; limit = Math.min(GROWTH * limit, MAX_CANDIDATES)) {
    const answer = (await catalog.candidates?.(query, limit, { ...permissions.asker, explain })) ?? NONE;
    const { found, isAll } = answer;
    const visible = await permissions.visible(catalog.restrictedTo(new Set(found.map(({ entry }) => entry))));
    const count = [...visible.catalog.entries].filter(counts).length;
    if (count < wanted && !isAll && limit < MAX_CANDIDATES && visible.left === 0 && !permissions.isAborted) continue;
    const matches = found.filter(({ name }) => visible.catalog.get(name));
    return { visible, matches, index: indexOf(matches) };
  }
}

/** What the candidates say of themselves, in the form of an index. */
function indexOf(candidates: readonly CandidateEntry[]): ToolIndex {
  const byName = new Map(candidates.map((candidate) => [candidate.name, candidate]));
  const isRated = candidates.length === 0 || candidates.some(({ confidence }) => confidence !== undefined);
  return {
    search: () => candidates,
    ...(isRated ? { confidence: (_, names) => names.map((name) => byName.get(name)?.confidence ?? Number.NaN) } : {}),
    explain: (_, name) => {
      const candidate = byName.get(name);
      return candidate?.words && explanationOf(candidate, candidate.words);
    },
  };
}

/** As much of an explanation as the words of a candidate tell. */
function explanationOf({ name }: CandidateEntry, told: readonly CandidateWord[]): MatchExplanation {
  const words = told.map(({ word, found = '', by, fields = {}, score = 0 }): WordExplanation => {
    const how = found === '' ? 'nothing' : found === word ? 'word' : 'form';
    return { word, found, by: by ?? how, fields, score };
  });
  const found = words.filter((word) => word.found !== '');
  const ofName = splitIdentifier(name);
  const inQuery = new Set(found.flatMap((word) => [word.word.toLowerCase(), word.found.toLowerCase()]));
  const coverage = words.length === 0 ? 0 : found.length / words.length;
  const nameCoverage = ofName.filter((word) => inQuery.has(word)).length / Math.max(1, ofName.length);
  return { words, coverage, nameCoverage, isNamed: words.some(({ word }) => word === name) };
}
