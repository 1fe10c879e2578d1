import { Lru } from '../../util/lru.ts';
import type { ToolScorer } from '../scorer.ts';
import type { ResolvedEmbedder } from './embedder.ts';

/** Imports the module of embeddings. */
export type OpenSemantic = () => Promise<{ wordsAndMeaning(options: ResolvedEmbedder): ToolScorer }>;

/** Scorers by model or function, then by settings: processors that agree in both share vectors and indexes. */
const scorers = new WeakMap<object, Lru<ToolScorer>>();
/** Maximum number of scorers kept for one model: each processor may bring its own cache or settings. */
const MAX_SCORERS = 32;
/** Numbers of models, functions and caches, for keys. */
let models = 0;
const numbers = new WeakMap<object, number>();

/**
 * The scorer of the option `search.embedder`: the model takes the place of the built-in table as soon as there are
 * vectors.
 */
export function meaningScorer(options: ResolvedEmbedder, open: OpenSemantic): ToolScorer {
  const { embed, cache, ...settings } = options;
  const key = JSON.stringify([numberOf(embed), cache ? numberOf(cache) : 0, settings]);
  const known = scorers.get(embed) ?? new Lru<ToolScorer>(MAX_SCORERS);
  scorers.set(embed, known);
  const scorer = known.get(key) ?? makeScorer(options, key, open);
  known.set(key, scorer);
  return scorer;
}

function numberOf(object: object): number {
  const number = numbers.get(object) ?? ++models;
  numbers.set(object, number);
  return number;
}

function makeScorer(options: ResolvedEmbedder, key: string, open: OpenSemantic): ToolScorer {
  let opened: Promise<ToolScorer> | undefined;
  return {
    name: 'words and meaning',
    key: `meaning ${key}`,
    keepsTail: true,
    async index(documents, context) {
      opened ??= open().then(({ wordsAndMeaning }) => wordsAndMeaning(options));
      return (await opened).index(documents, context);
    },
  };
}
