import { Lru } from '../../util/lru.ts';
import type { ToolScorer } from '../scorer.ts';
import type { ResolvedEmbedder } from './embedder.ts';

/** Opens the wing that ranks by meaning. */
export type OpenSemantic = () => Promise<{ wordsAndMeaning(options: ResolvedEmbedder): ToolScorer }>;

/** Scorers by what embeds for them and their other settings: processors of one model share vectors and indexes. */
const scorers = new WeakMap<object, Lru<ToolScorer>>();
/** Scorers of one model that are kept: each processor may bring a cache, or synonyms, of its own. */
const MAX_SCORERS = 32;
/** A number for each model or function. */
let models = 0;
const numbers = new WeakMap<object, number>();

/** The scorer of the option `search.embedder`, which ranks by words and, as soon as there are vectors, by meaning. */
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
