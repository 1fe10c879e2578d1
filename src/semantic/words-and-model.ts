import {
  bm25Scorer,
  consoleContext,
  FusedIndex,
  type IncrementalIndex,
  type ResolvedEmbedder,
  resolveEmbedder,
  type ScorerContext,
  type SearchEmbedder,
  type ToolDocument,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
  wordsAndMeaningScorer,
} from '../kit.ts';
import { given } from '../util/record.ts';
import { HybridPart, hybridScorer, rated, sharesOf, similarityIn } from './hybrid.ts';
import { changedDocuments } from './lexicon.ts';
import { type SemanticScorerOptions, scorerOf } from './semantic.ts';

const NAME = 'words and meaning';
/** The share of a model whose similarities weigh as much as those of the built-in table. */
const USUAL_SHARE = 0.4;

/**
 * The scorer of the option `search.embedder` with a model. It ranks by words and the built-in table at once. As soon as
 * the tools have vectors, the similarities of the model replace those of the table.
 */
export function wordsAndMeaning(options: ResolvedEmbedder): ToolScorer {
  return fusedWith(options, true);
}

/**
 * Ranks as `search.embedder` with a model does, except that indexes and searches wait for their vectors. Use it to
 * measure what a model gains, and for catalogs whose first search has to use the model. Otherwise, pass the model as
 * `search.embedder`.
 *
 * @param embedder - what `search.embedder` takes, its settings too; `timeout` does not apply.
 * @throws ToolSearchError `invalid-option`
 *
 * @example
 * ```ts
 * import { evaluate } from 'mastra-tool-search/evaluate';
 * import { wordsAndModelScorer } from 'mastra-tool-search/semantic';
 *
 * declare const embed: (texts: readonly string[]) => Promise<number[][]>;
 * const cases = [{ query: 'is it going to rain', relevant: ['get_weather'] }];
 * await evaluate({ tools, cases, scorers: [wordsAndModelScorer(embed)] });
 * ```
 */
export function wordsAndModelScorer(embedder: Exclude<SearchEmbedder, 'built-in' | false>): ToolScorer {
  return fusedWith({ ...resolveEmbedder(embedder), timeout: Number.POSITIVE_INFINITY }, false);
}

/** @param grows - see `scorerOf`. */
function fusedWith({ share, timeout, ...embedding }: ResolvedEmbedder, grows: boolean): ToolScorer {
  const model = scorerOf(given(embedding) as typeof embedding & SemanticScorerOptions, grows);
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

type ModelAnswer = Pick<Awaited<ReturnType<HybridPart['ranking']>>, 'matches' | 'closest'>;

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

  /** @param visible - the names that may be found; all if it is left out. */
  function over(fused: FusedIndex, visible?: ReadonlySet<string>): IncrementalIndex {
    /** The model's answers by query, for the query's confidence. */
    const answers = new WeakMap<ToolQuery, ModelAnswer>();

    /**
     * The model's similarities by name. Undefined if the model does not answer, which is reported; the table ranks
     * then.
     */
    async function similaritiesOf(query: ToolQuery): Promise<ReadonlyMap<string, number> | undefined> {
      if (!part.isAvailable(query, visible)) return undefined;
      const ranking = await part.ranking(query, visible).catch(report);
      if (!ranking) return undefined;
      answers.set(query, ranking);
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
      confidence(query, names) {
        const byTable = fused.confidence(query, names);
        const { matches, closest = [] } = answers.get(query) ?? {};
        const similarityOf = matches && similarityIn(matches, closest);
        if (!similarityOf) return byTable;
        const judgements = names.map((name, at) => ({ words: byTable[at] ?? 0, similarity: similarityOf(name) }));
        return rated(judgements, closest).confidences;
      },
      unmentionedApp: (query) => fused.unmentionedApp(query),
      explain: (query, name) => fused.explain(query, name),
      // The views share the part, so a model that is down is left out for all requests.
      restrictedTo: async (names) => over(await fused.restrictedTo(names), names),
      async update(added, removed) {
        const now = changedDocuments(documents, added, removed);
        return modelIndex(await whole.update(added, removed), part.updated(now, added, removed), now, context);
      },
    };
  }
  return over(whole);
}
