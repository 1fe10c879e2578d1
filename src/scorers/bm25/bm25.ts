import { invalidOption } from '../../errors.ts';
import { type NamesOf, refuseUnknownOptions } from '../../known-options.ts';
import { inSlices } from '../../util/time-slices.ts';
import type { ToolScorer } from '../scorer.ts';
import { Synonyms } from '../thesaurus/synonyms.ts';
import { type SynonymGroup, toolSynonyms } from '../thesaurus/tool-synonyms.ts';
import { FIELDS, type Field } from './fields.ts';
import { Bm25Index } from './index.ts';
import { MatchCache } from './match-cache.ts';
import { type Bm25Settings, DEFAULT_SETTINGS } from './settings.ts';

export interface Bm25ScorerOptions {
  /**
   * What a match in a field counts. 1 is neutral, 0 leaves the field out.
   *
   * @default name 3, keywords 2, title 1, summary (the first sentence of the description) 1, description (the rest)
   * 0.7, parameters (their names) 0.4, parameterDescriptions (enum values too) 0.2
   */
  readonly boosts?: Partial<Readonly<Record<Field, number>>>;
  /** Words that mean alike; replaces the built-in vocabulary. @default toolSynonyms */
  readonly synonyms?: readonly SynonymGroup[];
}

const optionNames: NamesOf<Bm25ScorerOptions> = { boosts: true, synonyms: true };

/** The built-in vocabulary is read once, when it is first needed. */
let builtIn: Synonyms | undefined;

function builtInSynonyms(): Synonyms {
  builtIn ??= new Synonyms(toolSynonyms);
  return builtIn;
}

/**
 * Ranks by BM25F over the words of names, descriptions and parameters. The default.
 *
 * Identifiers are taken apart, words also match by their English stems and by a vocabulary of tools (`pr` and pull
 * request, create and add), for less than the word itself. A word that the catalog does not have is matched by its
 * beginning or with a few wrong letters. A query that is a tool's name, in any spelling, ranks that tool first.
 *
 * @throws ToolSearchError `invalid-option` for an unknown option, a boost that is no finite number of at least 0, or no synonyms.
 */
export function bm25Scorer(options: Bm25ScorerOptions = {}): ToolScorer {
  refuseUnknownOptions('bm25Scorer', options, optionNames);
  const { fields } = DEFAULT_SETTINGS;
  const weights = { ...fields };
  for (const [field, boost] of Object.entries(options.boosts ?? {})) {
    const isKnown = FIELDS.includes(field as Field);
    if (!isKnown || typeof boost !== 'number' || !Number.isFinite(boost) || boost < 0) {
      throw invalidOption(`boosts.${field}`, boost, `a number of at least 0 for one of ${FIELDS.join(', ')}`);
    }
    weights[field as Field] = { ...fields[field as Field], boost };
  }
  const settings: Bm25Settings = { ...DEFAULT_SETTINGS, fields: weights };
  const synonyms = options.synonyms !== undefined ? new Synonyms(options.synonyms) : builtInSynonyms();
  const matches = new MatchCache();
  return {
    name: 'bm25',
    givesConfidence: true,
    index: (documents) => inSlices(Bm25Index.build(documents, settings, synonyms, matches)),
  };
}
