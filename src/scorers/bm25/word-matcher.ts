import { verbsOf } from '../words/actions.ts';
import { contentWords, stem } from '../words/stem.ts';
import type { Phrase, Synonym, Synonyms } from '../words/thesaurus/synonyms.ts';
import { splitIdentifier, words } from '../words/words.ts';
import { actionOf, asksToDelete, nameStemsOf } from './asked.ts';
import { CatalogCounts } from './catalog-counts.ts';
import { FILLERS } from './fillers.ts';
import type { IndexMatches, MatchCache, Source, WordMatch } from './match-cache.ts';
import { namesAmong } from './names.ts';
import type { Bm25Settings } from './settings.ts';
import type { CatalogStatistics } from './statistics.ts';
import type { Tally } from './tally.ts';
import type { TermIndex } from './term-index.ts';
import type { Term } from './terms.ts';
import type { Workspace, Workspaces } from './workspace.ts';

/** Words of one query that are looked for: those of some 2,000 characters. */
export const MAX_WORDS = 128;
const NUMBER = /^\d+$/;
const NONE: readonly never[] = [];

/** A word's match while it is put together. */
interface Draft {
  readonly word: string;
  readonly root: string;
  readonly isKnown: boolean;
  idf: number;
  readonly sources: Source[];
  readonly synonyms: Synonym[];
}

/** A match without what the word asks for. */
type Found = Omit<WordMatch, 'isFiller' | 'nameStems' | 'action' | 'asksToDelete'>;

/** A word with what stands around it in a query. */
interface Place {
  readonly word: string;
  /** Compounds with its neighbours. */
  readonly compounds: readonly Term[];
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
  readonly #matches: IndexMatches;
  readonly counts: CatalogCounts;

  /** @param statistics - of the whole catalog, where the index has a part of it. */
  constructor(terms: TermIndex, { settings, synonyms, matches, workspaces }: Shared, statistics?: CatalogStatistics) {
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#workspaces = workspaces;
    this.#terms = terms;
    this.#matches = matches.ofIndex();
    this.counts = new CatalogCounts(terms, statistics);
  }

  /** The idf of a word that no document has. */
  get highestIdf(): number {
    return this.counts.idf(0);
  }

  /** The words of each keyword, in order. A word such as GitHub or PRs stays one where it is known as one. */
  read(keywords: readonly string[]): readonly (readonly string[])[] {
    return keywords.map((keyword) => this.#wordsOf(keyword));
  }

  /** @param read - the words of each keyword. */
  match(keywords: readonly string[], read: readonly (readonly string[])[] = this.read(keywords)): WordMatch[] {
    const all = read.flat();
    const list = [...new Set(contentWords(all))].slice(0, MAX_WORDS);
    const joined = this.#compounds(list);
    const names = namesAmong(keywords, (word) => this.#isKnown(word));
    const phrases = [...this.#synonyms.phrases(all.slice(0, 2 * MAX_WORDS), 2)];
    return list.map((word) => {
      const compounds = joined.get(word) ?? NONE;
      const around =
        phrases.length === 0
          ? NONE
          : phrases.filter(({ start, length }) => all.slice(start, start + length).includes(word));
      const isName = names.has(word);
      return this.#matches(keyOf(word, compounds, around, isName), (key) => {
        // A word that was cut out of a query would keep the whole query.
        const own = key.slice(0, word.length);
        const workspace = this.#workspaces.take(this.#terms.end);
        const found = this.#matchWord({ word: own, compounds, phrases: around, isName }, workspace);
        this.#workspaces.giveBack(workspace);
        return found;
      });
    });
  }

  /**
   * The weight of a word in a query of so many words: below 1 for one that mostly says nothing, or is a number, which
   * mostly is an argument.
   */
  weightOf({ isFiller }: WordMatch, words: number): number {
    return words > 2 && isFiller ? this.#settings.filler : 1;
  }

  /** The fields in which a document has a term, with the weighted frequency of each. */
  fieldsOf(id: number, term: string): Readonly<Record<string, number>> {
    return this.#terms.fieldsOf(id, term);
  }

  #wordsOf(keyword: string): readonly string[] {
    const list = words(keyword);
    // What has no capital has no parts beyond these.
    if (list.length > 1 || list[0] === keyword) return list;
    const parts = splitIdentifier(keyword);
    return parts.length < 2 || this.#isKnown(list[0] ?? '') ? list : parts;
  }

  #isKnown(word: string): boolean {
    return this.counts.isKnown(word) || this.#synonyms.has(word);
  }

  /** The compounds of each word with its neighbours that the catalog has. */
  #compounds(list: readonly string[]): Map<string, Term[]> {
    const found = new Map<string, Term[]>();
    for (const [position, word] of list.entries()) {
      const next = list[position + 1];
      const term = next === undefined ? undefined : this.counts.term(word + next);
      if (next === undefined || !term) continue;
      for (const side of [word, next]) found.set(side, [...(found.get(side) ?? []), term]);
    }
    return found;
  }

  #matchWord({ word, compounds, phrases, isName }: Place, workspace: Workspace): WordMatch {
    const { own, found } = workspace;
    const draft = this.#begin(word, isName, own);
    for (const compound of compounds) {
      draft.sources.push({ by: 'compound', terms: [[compound.word]] });
      draft.idf ||= this.highestIdf;
      this.#score([compound], this.#settings.compound, compound.word, found, this.counts.withWord(compound.word));
      for (const id of found.idsSoFar()) own.add(id, found.sums[id] ?? 0);
      found.clear();
    }
    if (!isName) this.#matchSynonyms(draft, this.#synonyms.of(draft.root) ?? NONE, 1, workspace);
    for (const { synonyms } of phrases) this.#matchSynonyms(draft, synonyms, this.#settings.phrase, workspace);
    for (const verb of verbsOf(word)) {
      const root = stem(verb);
      if (root === draft.root || !this.counts.isKnown(verb, root) || this.counts.term(word)) continue;
      const synonym = { words: [verb], stems: [root], weight: this.#settings.verb, forUnknown: false };
      this.#matchSynonyms(draft, [synonym], 1, workspace);
    }
    this.#matchServers(draft, workspace);
    const { root, synonyms, sources } = draft;
    return {
      ...finish(draft, workspace),
      isFiller: FILLERS.has(word) || NUMBER.test(word),
      nameStems: nameStemsOf(root, synonyms, this.#terms),
      action: actionOf(root, synonyms),
      asksToDelete: asksToDelete(root, synonyms, sources),
    };
  }

  /** Begins a match by the word and its other forms; by guesses where the catalog has none of them. */
  #begin(word: string, isName: boolean, own: Tally): Draft {
    const root = stem(word);
    const forms = this.#terms.forms(word, root);
    const given = this.counts.withStem(root);
    const isKnown = forms.length > 0 || given > 0;
    if (!isKnown && !isName) return this.#guess(word, root, own);
    const count = this.#score(forms, 1, word, own, given);
    const sources = forms.map((form): Source => ({ by: form.word === word ? 'word' : 'form', terms: [[form.word]] }));
    return { word, root, isKnown, idf: count === 0 ? 0 : this.counts.idf(count), sources, synonyms: [] };
  }

  #guess(word: string, root: string, own: Tally): Draft {
    const { forms, stems, documents } = this.counts.guesses(word);
    const count = this.#score(forms, this.#settings.guess, word, own, documents);
    const found = forms.length > 0 ? forms.map((form) => form.word) : stems;
    const sources = found.map((form): Source => ({ by: 'guess', terms: [[form]] }));
    return { word, root, isKnown: false, idf: count === 0 ? 0 : this.highestIdf, sources, synonyms: [] };
  }

  /** What the server of a tool says of all its tools counts a little where the tool itself does not say it. */
  #matchServers(draft: Draft, { others, otherCovers }: Workspace): void {
    const ids = this.#terms.providedByServer(draft.word);
    // A word of most of the catalog tells nothing apart.
    const count = Math.max(ids.length, this.counts.providedByServer(draft.word));
    if (count === 0 || 2 * count > this.counts.size) return;
    const weight = this.#settings.instructions;
    const score = weight * Math.min(draft.idf || this.highestIdf, this.counts.idf(count));
    draft.sources.push({ by: 'server', terms: [] });
    draft.idf ||= this.highestIdf;
    for (const id of ids) {
      others.raise(id, score);
      otherCovers[id] = Math.max(weight, otherCovers[id] ?? 0);
    }
  }

  /** @param share - of the weight of each. */
  #matchSynonyms(draft: Draft, synonyms: readonly Synonym[], share: number, workspace: Workspace): void {
    for (const synonym of synonyms) {
      if (synonym.forUnknown && draft.isKnown) continue;
      draft.synonyms.push(synonym);
      this.#matchSynonym(draft, synonym, synonym.weight * share, workspace);
    }
  }

  #matchSynonym(draft: Draft, { words: parts, stems }: Synonym, weight: number, workspace: Workspace): void {
    const { others, otherCovers, found, next } = workspace;
    // Most synonyms are in no tool.
    if (stems.some((root) => !this.counts.hasStem(root))) return;
    const terms: (readonly string[])[] = [];
    let idf = 0;
    for (const [position, part] of parts.entries()) {
      const forms = this.#terms.forms(part, stems[position]);
      const scores = position === 0 ? found : next;
      const count = this.#score(forms, 1, part, scores, this.counts.withStem(stems[position] ?? ''));
      terms.push(forms.map(({ word }) => word));
      idf = Math.max(idf, this.counts.idf(count));
      if (position > 0) found.keepLower(next);
      next.clear();
      if (found.size === 0 && this.counts.withStem(stems.join(' ')) === 0) return;
    }
    draft.sources.push({ by: 'synonym', terms });
    // A rare synonym must not count for more than the common word that the user wrote.
    const factor = weight * Math.min(1, (draft.idf || this.highestIdf) / idf);
    draft.idf ||= this.highestIdf;
    for (const id of found.idsSoFar()) {
      const score = factor * (found.sums[id] ?? 0);
      if (!others.raise(id, score)) continue;
      otherCovers[id] = Math.max(weight, otherCovers[id] ?? 0);
    }
    found.clear();
  }

  /**
   * BM25F over several forms of one word, into an empty tally. Returns the count of documents that have one.
   *
   * @param given - that count, as far as the statistics tell it.
   */
  #score(forms: readonly Term[], weight: number, exact: string, to: Tally, given = 0): number {
    const { saturation, otherForm } = this.#settings;
    for (const form of forms) this.#terms.addFrequencies(form, form.word === exact ? 1 : otherForm, to);
    const count = Math.max(to.size, given);
    const factor = weight * this.counts.idf(count) * (saturation + 1);
    const { sums } = to;
    for (const id of to.idsSoFar()) {
      const frequency = sums[id] ?? 0;
      sums[id] = (factor * frequency) / (saturation + frequency);
    }
    return count;
  }
}

/** What tells a word from itself among other words: no word has a space. */
function keyOf(word: string, compounds: readonly Term[], phrases: readonly Phrase[], isName: boolean): string {
  if (compounds.length + phrases.length === 0 && !isName) return word;
  const joined = compounds.map((compound) => compound.word);
  return [word, isName ? 1 : 0, joined.join('+'), ...phrases.map(({ key }) => key)].join(' ');
}

/** Takes the match out of the workspace, which is empty afterwards. */
function finish({ word, idf, sources }: Draft, { own, others, otherCovers }: Workspace): Found {
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
  return { word, ids: ids.slice(0, size), scores, covers, bySynonym, idf, sources };
}

/** The place of a document in a match; -1 for none. For a few documents: it looks through all. */
export function placeOf({ ids }: WordMatch, id: number): number {
  return ids.indexOf(id);
}
