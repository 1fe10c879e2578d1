import type { ToolDocument } from '../catalog/document.ts';
import type { ToolQuery } from '../query/query.ts';
import { isStopWord, splitIdentifier, stem } from '../query/words.ts';
import type { Bm25Settings } from './bm25-settings.ts';
import { confidenceOf } from './confidence.ts';
import type { Explanation, WordExplanation } from './explanation.ts';
import { bestFirst } from './ranking.ts';
import type { Match, ToolIndex } from './scorer.ts';
import { Spellings } from './spellings.ts';
import type { Synonyms } from './synonyms.ts';
import { placeOf, type WordMatch, WordMatcher } from './word-matcher.ts';

/** A synonym that counts this much stands for a required word. */
const SURE = 0.8;
/** A tool whose name was asked for is what was meant. */
const NAMED_CONFIDENCE = 0.99;

/** What a query found: kept as long as the query object lives, for its confidence and explanation. */
interface Evaluation {
  readonly words: readonly WordMatch[];
  readonly scores: ReadonlyMap<number, number>;
  /** Documents whose name was asked for. */
  readonly named: ReadonlySet<number>;
  /** Stems of the words of the query and of their synonyms, with what each counts for a name. */
  readonly asked: ReadonlyMap<string, number>;
}

export class Bm25Index implements ToolIndex {
  readonly #settings: Bm25Settings;
  readonly #names: readonly string[];
  readonly #ids: ReadonlyMap<string, number>;
  /** Stems of the words of each name. */
  readonly #nameStems: readonly (readonly string[])[];
  readonly #spellings: Spellings;
  readonly #matcher: WordMatcher;
  readonly #evaluations = new WeakMap<ToolQuery, Evaluation>();
  /** Scratch space of one search, by document; zero in between. */
  readonly #sums: Float64Array;
  readonly #covered: Float64Array;

  constructor(documents: readonly ToolDocument[], settings: Bm25Settings, synonyms: Synonyms) {
    this.#settings = settings;
    this.#names = documents.map(({ name }) => name);
    this.#ids = new Map(this.#names.map((name, id) => [name, id]));
    this.#nameStems = this.#names.map((name) => [...new Set(splitIdentifier(name).map(stem))]);
    this.#spellings = new Spellings(this.#names);
    this.#matcher = new WordMatcher(documents, settings, synonyms);
    this.#sums = new Float64Array(documents.length);
    this.#covered = new Float64Array(documents.length);
  }

  search(query: ToolQuery): readonly Match[] {
    const { scores } = this.#evaluate(query);
    return bestFirst([...scores].map(([id, score]) => ({ name: this.#names[id] ?? '', score })));
  }

  confidence(query: ToolQuery, names: readonly string[]): readonly number[] {
    const evaluation = this.#evaluate(query);
    const { scores, words, named } = evaluation;
    const ids = names.map((name) => this.#ids.get(name) ?? -1);
    const [best = 0, second = 0] = ids.map((id) => scores.get(id) ?? 0);
    return ids.map((id, position) => {
      if (named.has(id)) return NAMED_CONFIDENCE;
      const coverage = this.#coverage(id, words);
      // One that stands alone leads for want of others: it is worth what it covers.
      const lead = ids.length === 1 ? coverage : 1 - second / (best || 1);
      return confidenceOf({
        coverage,
        nameCoverage: this.#nameCoverage(id, evaluation.asked),
        ratio: best > 0 ? (scores.get(id) ?? 0) / best : 0,
        lead: position === 0 ? lead : 0,
        words: words.length,
      });
    });
  }

  explain(query: ToolQuery, name: string): Explanation | undefined {
    const { words, scores, named, asked } = this.#evaluate(query);
    const id = this.#ids.get(name);
    if (id === undefined || !scores.has(id)) return undefined;
    return {
      words: words.map((match) => this.#explainWord(match, id, words.length)),
      coverage: this.#coverage(id, words),
      nameCoverage: this.#nameCoverage(id, asked),
      isNamed: named.has(id),
    };
  }

  #evaluate(query: ToolQuery): Evaluation {
    const known = this.#evaluations.get(query);
    if (known) return known;
    const words = this.#matcher.match(query.keywords);
    const asked = this.#asked(words);
    const scores = this.#combine(words, asked);
    const named = this.#named(query, scores);
    for (const word of query.required) {
      if (isStopWord(word)) continue;
      const matches = this.#matcher.match([word]);
      for (const id of scores.keys()) if (!matches.every((match) => isSure(match, id))) scores.delete(id);
    }
    const evaluation: Evaluation = { words, scores, named, asked };
    this.#evaluations.set(query, evaluation);
    return evaluation;
  }

  #combine(words: readonly WordMatch[], asked: ReadonlyMap<string, number>): Map<number, number> {
    const { coverage, nameCoverage, fullName } = this.#settings;
    const sums = this.#sums;
    const covered = this.#covered;
    const touched: number[] = [];
    let total = 0;
    for (const { word, ids, scores, covers, rarity } of words) {
      const weight = this.#matcher.weightOf(word, words.length);
      total += weight * rarity;
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at] ?? 0;
        if (sums[id] === 0) touched.push(id);
        sums[id] = (sums[id] ?? 0) + weight * (scores[at] ?? 0);
        covered[id] = (covered[id] ?? 0) + weight * rarity * (covers[at] ?? 0);
      }
    }
    const found = new Map<number, number>();
    for (const id of touched) {
      const share = this.#nameCoverage(id, asked);
      const bonus = nameCoverage * share + (share === 1 ? fullName : 0);
      found.set(id, (sums[id] ?? 0) * ((covered[id] ?? 0) / total) ** coverage * (1 + bonus));
      sums[id] = 0;
      covered[id] = 0;
    }
    return found;
  }

  /** The share of the query's words that a document has, by their rarity, words that no document has included. */
  #coverage(id: number, words: readonly WordMatch[]): number {
    let covered = 0;
    let total = 0;
    for (const match of words) {
      const weight = this.#matcher.weightOf(match.word, words.length);
      const size = weight * (match.rarity || this.#matcher.highestRarity);
      total += size;
      covered += size * (match.covers[placeOf(match, id)] ?? 0);
    }
    return total === 0 ? 0 : covered / total;
  }

  #nameCoverage(id: number, asked: ReadonlyMap<string, number>): number {
    const stems = this.#nameStems[id] ?? [];
    let named = 0;
    for (const part of stems) named += asked.get(part) ?? 0;
    return named / (stems.length || 1);
  }

  #asked(words: readonly WordMatch[]): Map<string, number> {
    const asked = new Map<string, number>();
    for (const { words: parts, weight } of words.flatMap(({ synonyms }) => synonyms)) {
      for (const part of parts) asked.set(stem(part), Math.max(weight, asked.get(stem(part)) ?? 0));
    }
    for (const { word } of words) asked.set(stem(word), 1);
    return asked;
  }

  /** Puts tools whose name was asked for first, in the spelling that was used before others. */
  #named({ text, keywords }: ToolQuery, scores: Map<number, number>): Set<number> {
    let best = 0;
    for (const score of scores.values()) best = Math.max(best, score);
    const named = new Set(this.#spellings.of(keywords));
    for (const keyword of keywords) {
      if (splitIdentifier(keyword).length > 1) for (const id of this.#spellings.of([keyword])) named.add(id);
    }
    for (const id of named) {
      const name = this.#names[id] ?? '';
      const isLiteral = name === text || keywords.includes(name);
      add(scores, id, (isLiteral ? 2 : 1) * (best || 1));
    }
    return named;
  }

  #explainWord(match: WordMatch, id: number, words: number): WordExplanation {
    const { word, scores, bySynonym, sources } = match;
    const place = placeOf(match, id);
    for (const { by, terms } of place < 0 ? [] : sources) {
      if ((by === 'synonym') !== (bySynonym[place] === 1)) continue;
      const found = terms.map((forms) => forms.find((form) => this.#has(id, form)));
      if (!found.every((form) => form !== undefined)) continue;
      const fields: Record<string, number> = {};
      for (const form of found) {
        for (const [field, frequency] of Object.entries(this.#matcher.fieldsOf(id, form))) {
          fields[field] = (fields[field] ?? 0) + frequency;
        }
      }
      const score = this.#matcher.weightOf(word, words) * (scores[place] ?? 0);
      return { word, found: found.join(' '), by, fields, score };
    }
    return { word, found: '', by: 'nothing', fields: {}, score: 0 };
  }

  #has(id: number, term: string): boolean {
    return Object.keys(this.#matcher.fieldsOf(id, term)).length > 0;
  }
}

function isSure(match: WordMatch, id: number): boolean {
  return (match.covers[placeOf(match, id)] ?? 0) >= SURE;
}

function add(sums: Map<number, number>, id: number, value: number): void {
  sums.set(id, (sums.get(id) ?? 0) + value);
}
