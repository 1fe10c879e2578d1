import type { ToolDocument } from '../catalog/document.ts';
import type { ToolQuery } from '../query/query.ts';
import { contentWords, isStopWord, splitIdentifier, stem, words } from '../query/words.ts';
import { type Field, fieldWords } from './fields.ts';
import type { Match, ToolIndex } from './scorer.ts';
import type { Synonym, Synonyms } from './synonyms.ts';
import { type FieldWeight, inverseDocumentFrequency, TermEngine } from './term-engine.ts';
import { Vocabulary } from './vocabulary.ts';

export interface Bm25Settings {
  readonly fields: Readonly<Record<Field, FieldWeight>>;
  /** BM25's k1: how soon a further occurrence adds nothing more. */
  readonly saturation: number;
  /** Another form of the word (issue, issues), against 1 for the word itself. */
  readonly otherForm: number;
  /** Two words written as one, or one as two. */
  readonly compound: number;
  /** A word that the catalog does not have, by its beginning or by a few wrong letters. */
  readonly guess: number;
  /** A synonym of a phrase counts for each of the phrase's words. */
  readonly phrase: number;
  /** Words such as "need" and "want" in a query of more than two words. */
  readonly filler: number;
  /** Exponent of the share of the query that a tool covers: 0 ignores it. */
  readonly coverage: number;
  /** How much it adds when the query names the tool, by the share of the name's words that it has. */
  readonly nameCoverage: number;
  /** And once more when it has them all. */
  readonly fullName: number;
}

export const DEFAULT_SETTINGS: Bm25Settings = {
  fields: {
    name: { boost: 3, lengthNorm: 0.5 },
    keywords: { boost: 2, lengthNorm: 0.3 },
    title: { boost: 1, lengthNorm: 0.3 },
    summary: { boost: 1, lengthNorm: 0.5 },
    description: { boost: 0.7, lengthNorm: 0.7 },
    parameters: { boost: 0.4, lengthNorm: 0.7 },
    parameterDescriptions: { boost: 0.2, lengthNorm: 0.65 },
  },
  saturation: 2.1,
  otherForm: 0.625,
  compound: 0.3,
  guess: 0.3,
  phrase: 0.7,
  filler: 0.45,
  coverage: 0.7,
  nameCoverage: 0.5,
  fullName: 0.3,
};

/** Between three words and a sentence they are mostly noise, but "find" may be what is asked for. */
const FILLERS = new Set(
  `need needs needed want wants wanted like help helps tell give gives know hi hello hey thanks thank must may might just
  also really very much many any about after again am because before being between both but did does doing done each few
  further here he her him his itself me more most nor off once only other out over own same she such too under until
  while who whom why find finding looking look make sure try trying going go something someone anything everything good
  best great possible kindly able provide provides via per new`.split(/\s+/),
);

/** Words of one query that are looked for; what follows in a long text adds little. */
const MAX_WORDS = 64;

/** One word of the query with what it found. */
interface Group {
  readonly word: string;
  readonly weight: number;
  /** By document: the score by the word itself, by its other forms, or by a guess at it. */
  readonly own: Map<number, number>;
  /** By document: the best score by a synonym, and how fully that counts as a match. */
  readonly others: Map<number, { score: number; weight: number }>;
  /** How telling the word is in this catalog; that of its best synonym where the catalog does not have it. */
  rarity: number;
}

export class Bm25Index implements ToolIndex {
  readonly #settings: Bm25Settings;
  readonly #synonyms: Synonyms;
  readonly #names: readonly string[];
  readonly #engine: TermEngine;
  readonly #vocabulary = new Vocabulary();
  /** Stems of the words of each name. */
  readonly #nameStems: readonly (readonly string[])[];
  /** Document numbers by the letters and digits of their name alone, for queries that are a name. */
  readonly #spellings = new Map<string, number[]>();

  constructor(documents: readonly ToolDocument[], settings: Bm25Settings, synonyms: Synonyms) {
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#names = documents.map(({ name }) => name);
    const fields = fieldWords(documents);
    this.#engine = new TermEngine(fields, settings.fields);
    for (const record of fields)
      for (const list of Object.values(record)) for (const word of list) this.#vocabulary.add(word);
    const nameWords = this.#names.map(splitIdentifier);
    this.#nameStems = nameWords.map((list) => [...new Set(list.map(stem))]);
    for (const [id, list] of nameWords.entries()) {
      const spelling = list.join('');
      const known = this.#spellings.get(spelling);
      if (known) known.push(id);
      else this.#spellings.set(spelling, [id]);
    }
  }

  search(query: ToolQuery): readonly Match[] {
    const groups = this.#groups(this.#words(query.keywords));
    const scores = this.#combine(groups);
    this.#preferNamed(query, scores);
    for (const word of query.required) {
      if (isStopWord(word)) continue;
      const matching = this.#groups(this.#words([word]));
      for (const id of scores.keys()) {
        if (!matching.every(({ own, others }) => own.has(id) || (others.get(id)?.weight ?? 0) >= SURE))
          scores.delete(id);
      }
    }
    const matches = [...scores].map(([id, score]) => ({ name: this.#names[id] ?? '', score }));
    return matches.sort((first, second) => second.score - first.score || (first.name < second.name ? -1 : 1));
  }

  /** The words of the keywords, each once. A word such as GitHub stays one where the catalog knows it. */
  #words(keywords: readonly string[]): readonly string[] {
    const all = keywords.flatMap((keyword) => {
      const list = words(keyword);
      const isKnown = list.length > 1 || list.some((word) => this.#vocabulary.forms(word).length > 0);
      return isKnown ? list : splitIdentifier(keyword);
    });
    return [...new Set(contentWords(all))].slice(0, MAX_WORDS);
  }

  #groups(list: readonly string[]): Group[] {
    const { phrase, filler, compound } = this.#settings;
    const groups = list.map((word): Group => {
      const weight = list.length > 2 && FILLERS.has(word) ? filler : 1;
      return { word, weight, own: new Map(), others: new Map(), rarity: 0 };
    });
    for (const group of groups) this.#match(group);
    for (const [position, group] of groups.entries()) {
      const next = groups[position + 1];
      const joined = `${group.word}${next?.word}`;
      if (!next || !this.#vocabulary.has(joined)) continue;
      const scores = this.#scores([joined], compound);
      for (const side of [group, next]) for (const [id, score] of scores) add(side.own, id, score);
    }
    for (const { start, length, synonyms } of this.#synonyms.phrases(list)) {
      const share = length === 1 ? 1 : phrase;
      for (const synonym of synonyms) {
        for (const group of groups.slice(start, start + length)) this.#matchSynonym(group, synonym, share);
      }
    }
    return groups;
  }

  /** By the word and its other forms; by guesses where the catalog has none of them. */
  #match(group: Group): void {
    const forms = this.#vocabulary.forms(group.word);
    const found = forms.length > 0 ? forms : this.#vocabulary.guesses(group.word);
    const scores = this.#scores(found, forms.length > 0 ? 1 : this.#settings.guess, group.word);
    for (const [id, score] of scores) group.own.set(id, score);
    if (forms.length > 0) group.rarity = inverseDocumentFrequency(scores.size, this.#engine.size);
    else if (scores.size > 0) group.rarity = inverseDocumentFrequency(0, this.#engine.size);
  }

  #matchSynonym(group: Group, { words: parts, weight }: Synonym, share: number): void {
    let found: Map<number, number> | undefined;
    let rarity = 0;
    for (const part of parts) {
      const scores = this.#scores(this.#vocabulary.forms(part), 1, part);
      if (scores.size === 0) return;
      rarity = Math.max(rarity, inverseDocumentFrequency(scores.size, this.#engine.size));
      const before: Map<number, number> | undefined = found;
      found = before
        ? new Map(
            [...before].flatMap(([id, score]) => (scores.has(id) ? [[id, Math.min(score, scores.get(id) ?? 0)]] : [])),
          )
        : scores;
    }
    if (!found) return;
    // A rare synonym must not count for more than the common word that the user wrote.
    const factor = weight * share * (group.own.size > 0 ? Math.min(1, group.rarity / rarity) : 1);
    for (const [id, score] of found) {
      if (factor * score > (group.others.get(id)?.score ?? 0)) {
        group.others.set(id, {
          score: factor * score,
          weight: Math.max(weight * share, group.others.get(id)?.weight ?? 0),
        });
      }
    }
    if (group.own.size === 0) group.rarity = inverseDocumentFrequency(0, this.#engine.size);
  }

  /** BM25F over several forms of one word, by document. */
  #scores(forms: readonly string[], weight: number, exact?: string): Map<number, number> {
    const { saturation, otherForm } = this.#settings;
    const frequencies = new Map<number, number>();
    for (const form of forms) {
      const formWeight = exact === undefined || form === exact ? 1 : otherForm;
      const { ids, frequencies: found } = this.#engine.postings(form);
      for (let at = 0; at < ids.length; at++) add(frequencies, ids[at] ?? 0, formWeight * (found[at] ?? 0));
    }
    const rarity = weight * inverseDocumentFrequency(frequencies.size, this.#engine.size) * (saturation + 1);
    for (const [id, frequency] of frequencies) frequencies.set(id, (rarity * frequency) / (saturation + frequency));
    return frequencies;
  }

  #combine(groups: readonly Group[]): Map<number, number> {
    const { coverage, nameCoverage, fullName } = this.#settings;
    const scores = new Map<number, number>();
    const covered = new Map<number, number>();
    let total = 0;
    for (const { own, others, weight, rarity } of groups) {
      if (own.size + others.size === 0) continue;
      total += weight * rarity;
      for (const [id, score] of own) {
        add(scores, id, weight * Math.max(score, others.get(id)?.score ?? 0));
        add(covered, id, weight * rarity);
      }
      for (const [id, other] of others) {
        if (own.has(id)) continue;
        add(scores, id, weight * other.score);
        add(covered, id, weight * rarity * other.weight);
      }
    }
    const asked = this.#asked(groups);
    for (const [id, score] of scores) {
      const share = (covered.get(id) ?? 0) / total;
      const stems = this.#nameStems[id] ?? [];
      let named = 0;
      for (const part of stems) named += asked.get(part) ?? 0;
      const bonus = nameCoverage * (named / (stems.length || 1)) + (named === stems.length ? fullName : 0);
      scores.set(id, score * share ** coverage * (1 + bonus));
    }
    return scores;
  }

  /** The stems of the query's words and of their synonyms, with what each counts. */
  #asked(groups: readonly Group[]): Map<string, number> {
    const list = groups.map(({ word }) => word);
    const asked = new Map<string, number>();
    for (const { synonyms } of this.#synonyms.phrases(list)) {
      for (const { words: parts, weight } of synonyms) {
        for (const part of parts) asked.set(stem(part), Math.max(weight, asked.get(stem(part)) ?? 0));
      }
    }
    for (const word of list) asked.set(stem(word), 1);
    return asked;
  }

  /** Puts tools whose name was asked for first, in the spelling that was used before others. */
  #preferNamed({ text, keywords }: ToolQuery, scores: Map<number, number>): void {
    let best = 0;
    for (const score of scores.values()) best = Math.max(best, score);
    const bonus = best || 1;
    const named = new Set(this.#spellings.get(keywords.flatMap(splitIdentifier).join('')));
    for (const keyword of keywords) {
      if (splitIdentifier(keyword).length > 1) for (const id of this.#spelled(keyword)) named.add(id);
    }
    for (const id of named) {
      const isLiteral = this.#names[id] === text || keywords.includes(this.#names[id] ?? '');
      add(scores, id, isLiteral ? 2 * bonus : bonus);
    }
  }

  #spelled(name: string): readonly number[] {
    return this.#spellings.get(splitIdentifier(name).join('')) ?? [];
  }
}

/** A synonym that counts this much stands for a required word. */
const SURE = 0.8;

function add(sums: Map<number, number>, id: number, value: number): void {
  sums.set(id, (sums.get(id) ?? 0) + value);
}
