import {
  bm25Scorer,
  consoleContext,
  FusedIndex,
  given,
  type IncrementalIndex,
  type ResolvedEmbedder,
  type ScorerContext,
  type ToolDocument,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
  wordsAndMeaningScorer,
} from '../kit.ts';
import { HybridPart, hybridScorer } from './hybrid.ts';
import { changedDocuments } from './lexicon.ts';
import { sharesOf } from './reranking.ts';
import { type SemanticScorerOptions, scorerOf } from './semantic.ts';

const NAME = 'words and meaning';
/** The share with which the similarity of a model weighs what that of the built-in table does. */
const USUAL_SHARE = 0.4;

/**
 * The scorer of the option `search.embedder` with a model: by words and the built-in table at once, and with the similarities
 * of the model in place of the table's as soon as the vectors of the tools are there.
 */
export function wordsAndMeaning({ share, timeout, ...embedding }: ResolvedEmbedder): ToolScorer {
  const model = scorerOf(given(embedding) as typeof embedding & SemanticScorerOptions, true);
  const builtIn = wordsAndMeaningScorer();
  const withoutTable = hybridScorer([bm25Scorer(), model], { weights: [1 - share, share], timeout });
  return {
    name: NAME,
    givesConfidence: true,
    keepsTail: true,
    async index(documents, context = consoleContext) {
      const fused = await builtIn.index(documents, context);
      if (!(fused instanceof FusedIndex)) return withoutTable.index(documents, context);
      const part = new HybridPart({ scorer: model, weight: share, timeout, leads: false }, documents, context);
      return modelIndex(fused, part, documents, context);
    },
  };
}

async function modelIndex(
  whole: FusedIndex,
  part: HybridPart,
  documents: readonly ToolDocument[],
  context: ScorerContext,
): Promise<IncrementalIndex> {
  const report = (error: unknown): undefined => {
    context.report({ scorer: part.settings.scorer.name, error });
  };
  await part.prepare().catch(report);
  const weight = part.settings.weight / USUAL_SHARE;

  /** @param visible - the names that may be found; all without it. */
  function over(fused: FusedIndex, visible?: ReadonlySet<string>): IncrementalIndex {
    /** Undefined where the model does not answer, which is reported: then the table ranks. */
    async function similaritiesOf(query: ToolQuery): Promise<ReadonlyMap<string, number> | undefined> {
      if (!part.isAvailable(query, visible)) return undefined;
      const ranking = await part.ranking(query, visible).catch(report);
      if (!ranking) return undefined;
      const shares = sharesOf(ranking);
      return new Map(ranking.matches.map(({ name }, place) => [name, weight * (shares[place] ?? 0)]));
    }

    async function ranked(query: ToolQuery): Promise<Iterable<ToolMatch>> {
      const similarities = await similaritiesOf(query);
      return similarities ? fused.rankedWith(query, similarities) : fused.ranked(query);
    }

    return {
      search: async (query) => [...(await ranked(query))],
      ranked,
      draft: (query) => fused.search(query),
      confidence: (query, names) => fused.confidence(query, names),
      unmentionedApp: (query) => fused.unmentionedApp(query),
      explain: (query, name) => fused.explain(query, name),
      // The part is the same, so that a model that is down is left out for all requests.
      restrictedTo: async (names) => over(await fused.restrictedTo(names), names),
      async update(added, removed) {
        const now = changedDocuments(documents, added, removed);
        return modelIndex(await whole.update(added, removed), part.updated(now, added, removed), now, context);
      },
    };
  }
  return over(whole);
}
