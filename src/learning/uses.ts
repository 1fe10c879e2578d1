import { createHmac, randomBytes } from 'node:crypto';
import { consoleContext, type LearnedUse, type LearningStore, queryVector, type ScorerContext } from '../kit.ts';
import { Lru } from '../util/lru.ts';
import { contentWords, stem, words as wordsOf } from '../util/words.ts';

/** Most words of a query that are read. Further words of a long message say little. */
const MAX_WORDS = 40;
/** Characters of the hash of a word, and of a conversation, six bits each: enough for the uses of one scope. */
const WORD = 6;
const VOTER = 4;
const SEPARATOR = '.';
/** Separates the hashes of the words from the vector. */
const MEANING = ',';
/** Follows the hash of the conversation if the search had ranked the tool first. */
const FIRST = '1';
/** Characters of the longest use: a longer entry was not written here. */
const MAX_USE = 500;
/** Most uses of a scope that are kept and read. */
export const MAX_USES = 10_000;
/** Most uses of a scope that are read from a store, which may keep more than it was asked to. */
export const MAX_READ = 20_000;
/** Most uses that are kept of one conversation, or of one user in a shared scope. */
const MAX_OF_VOTER = 200;
/** Most conversations that a scope keeps for the same tool after exactly the same words. */
const MAX_SAME = 8;

/** A use of a tool: what was asked, in which conversation, when. Words and conversation are hashes. */
export interface Use {
  /** The hashes of the words, joined. */
  readonly words: string;
  /** The encoded vector of the query; empty without one. */
  readonly vector: string;
  /** The hash of the conversation, which has one vote. */
  readonly voter: string;
  readonly tool: string;
  readonly usedAt: number;
  /** Whether the search had ranked the tool first even without learning. */
  readonly wasFirst?: boolean;
}

/** The words that identify a query: its distinct stems. */
export function learnedWords(text: string): readonly string[] {
  return [...new Set(contentWords(wordsOf(text)).map(stem))].slice(0, MAX_WORDS);
}

export function newKey(): string {
  return randomBytes(18).toString('base64url');
}

/** The hashes of words, sorted, so that they do not tell the order in the query. */
function hashedWords(words: readonly string[], key: string): string {
  return [...new Set(words.map((word) => hashed(`word ${word}`, key, WORD)))].sort().join('');
}

/** The distinct hashes in a text of joined hashes. */
export function hashesIn(words: string): ReadonlySet<string> {
  return new Set(Array.from({ length: words.length / WORD }, (_, at) => words.slice(at * WORD, (at + 1) * WORD)));
}

export function hashedVoter(conversation: string, key: string): string {
  return hashed(`conversation ${conversation}`, key, VOTER);
}

function hashed(text: string, key: string, length: number): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, length);
}

/**
 * A query in the form that its scope keeps: hashed and encoded with the scope's key.
 *
 * @param hasMeaning - whether the query's vector is kept, too.
 */
export async function keyedQuery(
  query: string,
  key: string,
  hasMeaning: boolean,
  context: ScorerContext = consoleContext,
): Promise<Pick<Use, 'words' | 'vector'>> {
  const vector = hasMeaning ? await queryVector(query, context) : undefined;
  return { words: hashedWords(learnedWords(query), key), vector: vector ? keyedVector(vector, key) : '' };
}

/** The highest absolute value of a number in four bits. */
const MOST = 7;

/**
 * A vector in the form that its scope keeps: four bits a number, in an order and with signs that the key determines.
 * The cosine of two vectors of a scope stays the same.
 */
function keyedVector(vector: Int32Array, key: string): string {
  const most = vector.reduce((highest, value) => Math.max(highest, Math.abs(value)), 1);
  const places = placesOf(key, vector.length);
  const bytes = Buffer.alloc(Math.ceil(places.length / 2));
  for (const [at, place] of places.entries()) {
    const value = Math.round((MOST * Math.sign(place) * (vector[Math.abs(place) - 1] ?? 0)) / most);
    bytes[at >> 1] = (bytes[at >> 1] ?? 0) | ((value & 15) << (4 * (at & 1)));
  }
  return bytes.toString('base64url');
}

const placesOfKeys = new Lru<readonly number[]>(100);

/** For each place in the key's order, the place in the vector, from 1; negative if the number's sign is turned. */
function placesOf(key: string, dims: number): readonly number[] {
  const known = placesOfKeys.get(key);
  if (known?.length === dims) return known;
  const marks = Array.from({ length: dims }, (_, at) => createHmac('sha256', key).update(`place ${at}`).digest());
  const order = marks.map((mark, at) => ({ mark, at })).sort((one, other) => one.mark.compare(other.mark));
  const places = order.map(({ mark, at }) => ((mark.at(-1) ?? 0) % 2 === 0 ? at + 1 : -(at + 1)));
  placesOfKeys.set(key, places);
  return places;
}

/** The numbers of an encoded vector, in the key's order. */
export function readVector(text: string): Int8Array {
  const bytes = Buffer.from(text, 'base64url');
  return Int8Array.from({ length: 2 * bytes.length }, (_, at) => {
    const value = ((bytes[at >> 1] ?? 0) >> (4 * (at & 1))) & 15;
    return value > MOST ? value - 16 : value;
  });
}

/** A use in the form that a store keeps. */
export function written({ words, vector, voter, tool, usedAt, wasFirst }: Use): LearnedUse {
  const query = vector === '' ? words : words + MEANING + vector;
  return { use: [query, wasFirst ? voter + FIRST : voter, tool].join(SEPARATOR), usedAt };
}

/** Parses a use; undefined for text of another form. */
export function readUse({ use, usedAt }: LearnedUse): Use | undefined {
  const [query = '', mark = '', ...rest] = use.split(SEPARATOR);
  const [words = '', vector = ''] = query.split(MEANING);
  const [voter, first] = [mark.slice(0, VOTER), mark.slice(VOTER)];
  const tool = rest.join(SEPARATOR);
  const isMarked = voter.length === VOTER && (first === '' || first === FIRST);
  if (words.length % WORD > 0 || !isMarked || tool === '' || use.length > MAX_USE) return undefined;
  return { words, vector, voter, tool, usedAt, ...(first === FIRST ? { wasFirst: true } : {}) };
}

/**
 * Adds a use: returns the uses that stay, the ones that are dropped, and the new one in the form that a store takes.
 *
 * If enough conversations have used the tool after the same words, the new use replaces the oldest of theirs. So a
 * question that everybody asks does not fill the scope.
 */
export function withUse(
  uses: readonly Use[],
  use: Use,
): { readonly added: LearnedUse; readonly drop: readonly string[]; readonly stay: readonly Use[] } {
  const same = uses.filter((other) => other.tool === use.tool && other.words === use.words);
  const voters = new Set(same.map(({ voter }) => voter));
  const [oldest] = same;
  const isFull = oldest && !voters.has(use.voter) && voters.size >= MAX_SAME;
  const kept = isFull ? { ...use, voter: oldest.voter } : use;
  const added = written(kept);
  const all = [...uses.filter((other) => written(other).use !== added.use), kept];
  const stay = withinBounds(all);
  const staying = new Set(stay);
  return { added, stay, drop: all.filter((one) => !staying.has(one)).map((one) => written(one).use) };
}

/**
 * The uses of a scope that stay, in their order. If there are too many, the tool with the most uses loses its oldest,
 * so that no tool pushes out what was learned of others. The conversations of a tool share its room in the same way.
 *
 * @param uses - the latest last.
 */
export function withinBounds(uses: readonly Use[]): readonly Use[] {
  const latestFirst = inTurns(uses.toReversed(), ({ voter, tool }) => `${voter}.${tool}`).map(({ item }) => item);
  const ofVoters = inTurns(latestFirst, ({ voter }) => voter).filter(({ turn }) => turn < MAX_OF_VOTER);
  if (ofVoters.length === uses.length && uses.length <= MAX_USES) return uses;
  const placed = new Set(ofVoters.map(({ item }) => item));
  const ofTools = inTurns(
    latestFirst.filter((use) => placed.has(use)),
    ({ tool }) => tool,
  );
  const kept = new Set(ofTools.slice(0, MAX_USES).map(({ item }) => item));
  return uses.filter((use) => kept.has(use));
}

/** Orders items in turns: the first item of every key, then the second of every key, and so on. */
export function inTurns<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly { readonly item: Item; readonly turn: number }[] {
  const counts = new Map<string, number>();
  const turns = items.map((item) => {
    const key = keyOf(item);
    const turn = counts.get(key) ?? 0;
    counts.set(key, turn + 1);
    return { item, turn };
  });
  return turns.sort((one, other) => one.turn - other.turn);
}

/** The latest `max` uses, each once with its last time; the latest last. */
export function latestUses(uses: Iterable<LearnedUse>, max: number): readonly LearnedUse[] {
  const times = new Map<string, number>();
  for (const { use, usedAt } of uses) times.set(use, usedAt);
  const latest = [...times].map(([use, usedAt]) => ({ use, usedAt })).sort((one, other) => one.usedAt - other.usedAt);
  return latest.slice(Math.max(0, latest.length - max));
}

type Append = Parameters<LearningStore['append']>;

/** A scope after an append, for stores that hold it in memory; undefined if the scope has another key. */
export function appended(
  kept: Append[1] | undefined,
  { key, uses }: Append[1],
  { max, drop = [] }: Append[2],
): Append[1] | undefined {
  if (kept && kept.key !== key) return undefined;
  const gone = new Set(drop);
  const left = (kept?.uses ?? []).filter(({ use }) => !gone.has(use));
  return { key, uses: latestUses([...left, ...uses], max) };
}
