import { type NamesOf, refuseUnknownOptions } from '../../options/check.ts';
import { inSlices } from '../../util/time-slices.ts';
import type { ToolScorer } from '../scorer.ts';
import { checkWeights } from '../weights.ts';
import { checkedGroups, type SynonymGroup } from '../words/thesaurus/groups.ts';
import { builtInSynonyms, keyedGroups, Synonyms } from '../words/thesaurus/synonyms.ts';
import { Bm25Index } from './bm25-index.ts';
import { type Bm25Settings, DEFAULT_SETTINGS, FIELDS, type Field } from './settings.ts';

/**
 * The options of `bm25Scorer`.
 *
 * @example
 * ```ts
 * const options: Bm25ScorerOptions = { boosts: { description: 0.4, parameterDescriptions: 0 } };
 * bm25Scorer(options);
 * ```
 */
export interface Bm25ScorerOptions {
  /**
   * Factors for matches in each field. 1 is neutral, 0 leaves the field out.
   *
   * @default name 3, keywords 2, title 1, summary (the first sentence of the description) 1, description (the rest)
   * 0.7, parameters (their names) 0.4, parameterDescriptions (enum values and the hints of MCP servers too) 0.2, server
   * (the name of the MCP server, or of the group) 2
   */
  readonly boosts?: Partial<Readonly<Record<Field, number>>>;
  /** Words that mean alike; replaces the built-in vocabulary. @default toolSynonyms */
  readonly synonyms?: readonly SynonymGroup[];
}

const fieldNames = Object.fromEntries(FIELDS.map((field) => [field, true as const]));
const optionNames: NamesOf<Bm25ScorerOptions> = { boosts: fieldNames, synonyms: true };

/**
 * Ranks by BM25F over the words of names, descriptions and parameters. The default.
 *
 * Identifiers are taken apart, words also match by their English stems and by a vocabulary of tools (`pr` and pull
 * request, create and add), for less than the word itself. A word that the catalog does not have is matched by its
 * beginning or with a few wrong letters. A query that is a tool's name, in any spelling, ranks that tool first.
 *
 * @throws ToolSearchError `invalid-option` for an unknown option, a boost that is no finite number of at least 0, or no synonyms.
 *
 * @example
 * ```ts
 * const scorer = bm25Scorer({ boosts: { keywords: 3 }, synonyms: [...toolSynonyms, { words: ['pto', 'vacation'] }] });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 */
export function bm25Scorer(options: Bm25ScorerOptions = {}): ToolScorer {
  refuseUnknownOptions('bm25Scorer', options, optionNames);
  checkWeights('boosts', options.boosts);
  const { fields } = DEFAULT_SETTINGS;
  const weights = { ...fields };
  for (const [field, boost] of Object.entries(options.boosts ?? {})) {
    weights[field as Field] = { ...fields[field as Field], boost };
  }
  const settings: Bm25Settings = { ...DEFAULT_SETTINGS, fields: weights };
  const groups = options.synonyms === undefined ? undefined : checkedGroups(options.synonyms);
  let synonyms: Synonyms | undefined;
  return {
    name: 'bm25',
    key: JSON.stringify(['bm25', weights, groups]),
    givesConfidence: true,
    index: (documents) => {
      // Reading synonyms takes a millisecond: an agent that never searches does not need them.
      synonyms ??= groups ? new Synonyms(keyedGroups(groups)) : builtInSynonyms();
      return inSlices(Bm25Index.build(documents, settings, synonyms));
    },
  };
}
