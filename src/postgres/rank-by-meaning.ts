import {
  bestFirst,
  type CatalogStatistics,
  candidateIndex,
  explained,
  type RankedCandidate,
  spellingOf,
  type ToolDocument,
  type ToolQuery,
} from '../kit.ts';
import { confidenceWith, fusedScores, similarityIn, type WeightedRanking } from '../semantic/fusion.ts';
import { Lexicon } from '../semantic/lexicon.ts';
import type { VectorSettings } from './embed-options.ts';
import type { NearTool } from './near-tools.ts';

/** The rank at which a tool is taken for unrelated. */
const UNRELATED_RANK = 50;

/** How meaning counts. */
type Meaning = Pick<VectorSettings, 'weight' | 'minSimilarity'>;

/**
 * Ranks candidates as `hybridScorer()` would with `bm25Scorer()` and `semanticScorer()`: by words and by meaning.
 *
 * @param documents - the candidates, the near ones too.
 * @param near - the nearest ones, the best first; undefined where nobody could tell: then the words decide.
 */
export async function rankByMeaning(
  query: ToolQuery,
  documents: readonly ToolDocument[],
  statistics: CatalogStatistics,
  near: readonly NearTool[] | undefined,
  { weight, minSimilarity }: Meaning,
): Promise<readonly RankedCandidate[]> {
  const index = await candidateIndex(documents, statistics);
  const byWords = index.search(query);
  const allowed = new Lexicon(near?.map(({ document }) => document) ?? []).matching(query.required);
  const asked = spellingOf(query.keywords);
  const isNamed = (name: string): boolean => asked !== '' && spellingOf([name]) === asked;
  const byMeaning = bestFirst(
    (near ?? []).flatMap(({ document: { name }, cosine }, place) =>
      cosine > minSimilarity && (allowed?.has(place) ?? true) ? [{ name, score: isNamed(name) ? 1 : cosine }] : [],
    ),
  );
  const closest = near?.map(({ cosine }) => cosine) ?? [];
  const rankings: WeightedRanking[] = [
    { weight: 1 - weight, zero: 0, matches: byWords },
    { weight, zero: closest[UNRELATED_RANK - 1] ?? closest.at(-1) ?? 0, matches: byMeaning },
  ];
  const scores = fusedScores(near ? rankings : rankings.slice(0, 1));
  const fused = bestFirst([...scores].map(([name, score]) => ({ name, score: isNamed(name) ? 1 + score : score })));

  const worded = new Set(byWords.map(({ name }) => name));
  const asRankedByWords = [...worded, ...byMeaning.flatMap(({ name }) => (worded.has(name) ? [] : [name]))];
  const similarityOf = near && similarityIn(byMeaning, closest);
  const confidences = index
    .confidence(query, asRankedByWords)
    .map((words, place) => (similarityOf ? confidenceWith(words, similarityOf(asRankedByWords[place] ?? '')) : words))
    // The order is the better judgement.
    .sort((one, other) => other - one);
  return explained(index, query, fused, confidences);
}
