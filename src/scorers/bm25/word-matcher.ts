import { stem } from '../../query/stem.ts';
import { contentWords } from '../../query/stop-words.ts';
import { verbsOf } from '../../query/verbs.ts';
import { splitIdentifier, words } from '../../query/words.ts';
import type { Phrase, Synonym, Synonyms } from '../thesaurus/synonyms.ts';
import type { IndexMatches, MatchCache, Source, WordMatch } from './match-cache.ts';
import { namesAmong } from './names.ts';
import { inverseDocumentFrequency } from './rarity.ts';
import type { Bm25Settings } from './settings.ts';
import type { Tally } from './tally.ts';
import type { TermIndex } from './term-index.ts';
import type { Workspace, Workspaces } from './workspace.ts';

/** Words of one query that are looked for: those of some 2,000 characters. */
const MAX_WORDS = 128;
const NUMBER = /^\d+$/;

/** Fillers: in a query of more than two words they are mostly noise, but "find" may be what is asked for. */
const FILLERS = new Set(
  `need needs needed want wants wanted like help helps tell give gives know hi hello hey thanks thank must may might just
  also really very much many any about after again am because before being between both but did does doing done each few
  further here he her him his itself me more most nor off once only other out over own same she such too under until
  while who whom why find finding looking look make sure try trying going go something someone anything everything good
  best great possible kindly able provide provides via per new`.split(/\s+/),
);

/** A word's match while it is put together. */
interface Draft {
  readonly word: string;
  rarity: number;
  readonly sources: Source[];
  readonly synonyms: Synonym[];
}

/** A word with what stands around it in a query. */
interface Place {
  readonly word: string;
  /** Compounds with its neighbours. */
  readonly compounds: readonly string[];
  /** Phrases of several words that it belongs to. */
  readonly phrases: readonly Phrase[];
  /** Whether it is a part of a name: then it has no synonyms of its own, and nothing is guessed. */
  readonly isName: boolean;
}

/** The parts that all indexes of one scorer share. */
export interface Shared {
  readonly settings: Bm25Settings;
  readonly synonyms: Synonyms;
  readonly matches: MatchCache;
  readonly workspaces: Workspaces;
}

/** Finds the documents that the words of a query match, each word by itself. */
export class WordMatcher {
  readonly #settings: Bm25Settings;
  readonly #synonyms: Synonyms;
  readonly #workspaces: Workspaces;
  readonly #terms: TermIndex;
  /** Matches of words that stand for themselves: part of no phrase, and of no compound. */
  readonly #alone: IndexMatches;

  constructor(terms: TermIndex, { settings, synonyms, matches, workspaces }: Shared) {
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#workspaces = workspaces;
    this.#terms = terms;
    this.#alone = matches.ofIndex();
  }

  /** The rarity of a word that no document has. */
  get highestRarity(): number {
    return this.#rarity(0);
  }

  match(keywords: readonly string[]): WordMatch[] {
    const all = this.#words(keywords);
    const list = [...new Set(contentWords(all))].slice(0, MAX_WORDS);
    const joined = this.#compounds(list);
    const names = namesAmong(keywords, (word) => this.#isKnown(word));
    const phrases = [...this.#synonyms.phrases(all.slice(0, 2 * MAX_WORDS))].filter(({ length }) => length > 1);
    const match = (place: Place): WordMatch => {
      const workspace = this.#workspaces.take(this.#terms.end);
      const found = this.#matchWord(place, workspace);
      this.#workspaces.giveBack(workspace);
      return found;
    };
    return list.map((word) => {
      const compounds = joined.get(word) ?? [];
      const around = phrases.filter(({ start, length }) => all.slice(start, start + length).includes(word));
      const isName = names.has(word);
      if (compounds.length + around.length > 0 || isName) return match({ word, compounds, phrases: around, isName });
      return this.#alone(word, (own) => match({ word: own, compounds: [], phrases: [], isName }));
    });
  }

  /** The matches of each sentence of a query, out of those of the whole. */
  matchesOf(
    sentences: readonly (readonly string[])[],
    matches: readonly WordMatch[],
  ): readonly (readonly WordMatch[])[] {
    const byWord = new Map(matches.map((match) => [match.word, match]));
    return sentences.map((keywords) => [...new Set(this.#words(keywords))].flatMap((word) => byWord.get(word) ?? []));
  }

  /**
   * The weight of a word in a query of so many words: below 1 for one that mostly says nothing, or is a number, which
   * mostly is an argument.
   */
  weightOf(word: string, words: number): number {
    return words > 2 && (FILLERS.has(word) || NUMBER.test(word)) ? this.#settings.filler : 1;
  }

  /** The fields in which a document has a term, with the weighted frequency of each. */
  fieldsOf(id: number, term: string): Readonly<Record<string, number>> {
    return this.#terms.fieldsOf(id, term);
  }

  /** The words of the keywords, in order. A word such as GitHub or PRs stays one where it is known as one. */
  #words(keywords: readonly string[]): readonly string[] {
    return keywords.flatMap((keyword) => {
      const list = words(keyword);
      if (list.length > 1) return list;
      const parts = splitIdentifier(keyword);
      return parts.length < 2 || this.#isKnown(list[0] ?? '') ? list : parts;
    });
  }

  #isKnown(word: string): boolean {
    return this.#terms.forms(word).length > 0 || this.#synonyms.has(word);
  }

  /** The compounds of each word with its neighbours that the catalog has. */
  #compounds(list: readonly string[]): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const [position, word] of list.entries()) {
      const next = list[position + 1];
      if (next === undefined || !this.#terms.has(word + next)) continue;
      for (const side of [word, next]) found.set(side, [...(found.get(side) ?? []), word + next]);
    }
    return found;
  }

  #matchWord({ word, compounds, phrases, isName }: Place, workspace: Workspace): WordMatch {
    const { own, found } = workspace;
    const draft = this.#begin(word, isName, own);
    for (const compound of compounds) {
      draft.sources.push({ by: 'compound', terms: [[compound]] });
      draft.rarity ||= this.highestRarity;
      this.#score([compound], this.#settings.compound, compound, found);
      for (const id of found.idsSoFar()) own.add(id, found.sums[id] ?? 0);
      found.clear();
    }
    const isKnown = this.#terms.forms(word).length > 0;
    for (const { length, synonyms } of isName ? phrases : [...this.#synonyms.phrases([word]), ...phrases]) {
      const share = length === 1 ? 1 : this.#settings.phrase;
      for (const synonym of synonyms) {
        if (synonym.forUnknown && isKnown) continue;
        draft.synonyms.push(synonym);
        this.#matchSynonym(draft, synonym.words, synonym.weight * share, workspace);
      }
    }
    for (const verb of this.#terms.has(word) ? [] : verbsOf(word)) {
      if (stem(verb) === stem(word) || this.#terms.forms(verb).length === 0) continue;
      const weight = this.#settings.verb;
      draft.synonyms.push({ words: [verb], weight, forUnknown: false });
      this.#matchSynonym(draft, [verb], weight, workspace);
    }
    this.#matchServers(draft, workspace);
    return finish(draft, workspace);
  }

  /** Begins a match by the word and its other forms; by guesses where the catalog has none of them. */
  #begin(word: string, isName: boolean, own: Tally): Draft {
    const forms = this.#terms.forms(word);
    const isKnown = forms.length > 0;
    const tried = isKnown || isName ? forms : this.#terms.guesses(word);
    this.#score(tried, isKnown ? 1 : this.#settings.guess, word, own);
    const sources = tried.map((form): Source => {
      return { by: isKnown ? (form === word ? 'word' : 'form') : 'guess', terms: [[form]] };
    });
    const rarity = own.size === 0 ? 0 : this.#rarity(isKnown ? own.size : 0);
    return { word, rarity, sources, synonyms: [] };
  }

  /** What the server of a tool says of all its tools counts a little where the tool itself does not say it. */
  #matchServers(draft: Draft, { others, otherCovers }: Workspace): void {
    const ids = this.#terms.saidByServer(draft.word);
    // A word of most of the catalog tells nothing apart.
    if (ids.length === 0 || 2 * ids.length > this.#terms.size) return;
    const weight = this.#settings.instructions;
    const score = weight * Math.min(draft.rarity || this.highestRarity, this.#rarity(ids.length));
    draft.sources.push({ by: 'server', terms: [] });
    draft.rarity ||= this.highestRarity;
    for (const id of ids) {
      others.raise(id, score);
      otherCovers[id] = Math.max(weight, otherCovers[id] ?? 0);
    }
  }

  #matchSynonym(draft: Draft, parts: readonly string[], weight: number, workspace: Workspace): void {
    const { own, others, otherCovers, found, next } = workspace;
    const terms: (readonly string[])[] = [];
    let rarity = 0;
    for (const [position, part] of parts.entries()) {
      const forms = this.#terms.forms(part);
      const scores = position === 0 ? found : next;
      this.#score(forms, 1, part, scores);
      terms.push(forms);
      rarity = Math.max(rarity, this.#rarity(scores.size));
      if (position > 0) found.keepLower(next);
      next.clear();
      if (found.size === 0) return;
    }
    draft.sources.push({ by: 'synonym', terms });
    // A rare synonym must not count for more than the common word that the user wrote.
    const factor = weight * (own.size > 0 ? Math.min(1, draft.rarity / rarity) : 1);
    draft.rarity ||= this.highestRarity;
    for (const id of found.idsSoFar()) {
      const score = factor * (found.sums[id] ?? 0);
      if (!others.raise(id, score)) continue;
      otherCovers[id] = Math.max(weight, otherCovers[id] ?? 0);
    }
    found.clear();
  }

  /** BM25F over several forms of one word, into an empty tally. */
  #score(forms: readonly string[], weight: number, exact: string, to: Tally): void {
    const { saturation, otherForm } = this.#settings;
    for (const form of forms) this.#terms.addFrequencies(form, form === exact ? 1 : otherForm, to);
    const factor = weight * this.#rarity(to.size) * (saturation + 1);
    const { sums } = to;
    for (const id of to.idsSoFar()) {
      const frequency = sums[id] ?? 0;
      sums[id] = (factor * frequency) / (saturation + frequency);
    }
  }

  #rarity(count: number): number {
    return inverseDocumentFrequency(count, this.#terms.size);
  }
}

/** Takes the match out of the workspace, which is empty afterwards. */
function finish({ word, rarity, sources, synonyms }: Draft, { own, others, otherCovers }: Workspace): WordMatch {
  const ids = new Uint32Array(own.size + others.size);
  ids.set(own.idsSoFar());
  let size = own.size;
  for (const id of others.idsSoFar()) if (own.sums[id] === 0) ids[size++] = id;
  const scores = new Float64Array(size);
  const covers = new Float64Array(size);
  const bySynonym = new Uint8Array(size);
  for (let place = 0; place < size; place++) {
    const id = ids[place] ?? 0;
    const byItself = own.sums[id] ?? 0;
    const other = others.sums[id] ?? 0;
    scores[place] = Math.max(byItself, other);
    bySynonym[place] = other > byItself ? 1 : 0;
    covers[place] = byItself > 0 ? 1 : (otherCovers[id] ?? 0);
  }
  for (const id of others.idsSoFar()) otherCovers[id] = 0;
  own.clear();
  others.clear();
  return {
    word,
    ids: ids.slice(0, size),
    scores,
    covers,
    bySynonym,
    rarity,
    sources,
    synonyms,
    stems: stemsOf(word, synonyms),
  };
}

function stemsOf(word: string, synonyms: readonly Synonym[]): WordMatch['stems'] {
  const weights = new Map<string, number>();
  for (const { words: parts, weight } of synonyms) {
    for (const part of parts) weights.set(stem(part), Math.max(weight, weights.get(stem(part)) ?? 0));
  }
  return [...weights.set(stem(word), 1)];
}

/** The place of a document in a match; -1 for none. For a few documents: it looks through all. */
export function placeOf({ ids }: WordMatch, id: number): number {
  return ids.indexOf(id);
}
