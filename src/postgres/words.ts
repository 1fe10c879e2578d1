/**
 * The words of documents, as the database keeps them, and how often it has them.
 *
 * @module
 */
import { hash } from 'node:crypto';
import {
  type AskedWord,
  type CatalogStatistics,
  documentWords,
  editDistance,
  FIELDS,
  Lru,
  type SlicedWork,
  stem,
  type ToolDocument,
} from '../kit.ts';
import type { RunStatement } from './client.ts';
import type { Tables } from './schema.ts';

/** What the database keeps of a document's words. */
export interface DocumentLexemes {
  /** The literal of its tsvector: each stem once, with the best weight of the fields that have it. */
  readonly words: string;
  /** Counts of different words in each field, as the ranking counts them. */
  readonly lengths: readonly number[];
}

/** The weight of each field in a tsvector; those of the other fields have D. */
const WEIGHTS: Readonly<Record<string, string>> = { name: 'A', keywords: 'B', title: 'B', server: 'B', summary: 'C' };
/** The best weight of some fields, by their bits. */
const BEST_WEIGHT = Array.from({ length: 1 << FIELDS.length }, (_, bits) =>
  FIELDS.reduce((best, field, at) => {
    const weight = (bits & (1 << at) && WEIGHTS[field]) || 'D';
    return weight < best ? weight : best;
  }, 'D'),
);

/** The lexemes of documents without boilerplate: words are letters, marks and digits alone, and need no escapes. */
export function* lexemesOf(tenant: string, documents: readonly ToolDocument[]): SlicedWork<readonly DocumentLexemes[]> {
  return (yield* documentWords(documents)).map(({ stems, instructions, lengths }) => {
    const found = [`'${tenantLexeme(tenant)}':1D`];
    for (const [root, fields] of stems) {
      const weight = BEST_WEIGHT[fields] ?? 'D';
      found.push(`'${root}':1${weight}`);
      if (weight === 'A') found.push(`'${inName(root)}':1A`);
    }
    for (const root of instructions) found.push(`'${serverLexeme(root)}':1D`);
    return { words: found.join(' '), lengths };
  });
}

/** The lexeme that all documents of a tenant have, and no others: no word begins so. */
export function tenantLexeme(tenant: string): string {
  return `@${hash('sha256', tenant, 'hex').slice(0, 20)}`;
}

/** The lexeme of a stem for documents that have it in their name, so that these are counted apart. */
export function inName(root: string): string {
  return `=${root}`;
}

/** The lexeme of a stem for documents whose server says it of all its tools. */
export function serverLexeme(root: string): string {
  return `~${root}`;
}

/** Counts that are kept, and for how many milliseconds: new tools are found after this time at the latest. */
const KEPT = 50_000;
const FOR = 10_000;

/** What the database counts for a lexeme; under the two keys below, for the tenant and for all. */
interface Count {
  readonly documents: number;
  /** Sums of the lengths of fields: of the tenant alone. */
  readonly lengths?: readonly number[] | null;
}

const NOTHING: Count = { documents: 0 };
/** The keys of the tenant's own figures, and of the count of all documents. No lexeme is so. */
const TENANT = '';
const EVERYBODY = '*';

/** Stems that a word may mean, with the count of the documents that have them. */
type Guesses = readonly { readonly stem: string; readonly documents: number }[];

/** What a tenant's catalog has of the words of a query. */
export interface KnownWords {
  /** Count of its documents. */
  readonly total: number;
  /** The documents of all tenants, about; 0 where nobody knows. */
  readonly ofAll: number;
  /** Count of the documents that have a lexeme. */
  countOf(lexeme: string): number;
  /** The stems that a word may mean which no document has. */
  guessesOf(word: string): readonly string[];
  /** All of it, as the ranking takes it. */
  readonly statistics: CatalogStatistics;
}

/** Reads how often words are in the documents of tenants, and keeps it for a short time. */
export class WordCounts {
  readonly #run: RunStatement;
  readonly #counting: string;
  readonly #guessing: string;
  #counts = new Lru<{ readonly value: Count; readonly until: number }>(KEPT);
  #guesses = new Lru<{ readonly value: Guesses; readonly until: number }>(KEPT / 10);

  constructor(run: RunStatement, tables: Tables) {
    this.#run = run;
    this.#counting = `
      SELECT word, documents::float8, NULL::float8[] AS lengths FROM ${tables.words}
        WHERE tenant = $1 AND word = ANY ($2::text[])
      UNION ALL SELECT '${TENANT}', documents::float8, lengths::float8[] FROM ${tables.tenants} WHERE tenant = $1
      UNION ALL SELECT '${EVERYBODY}', reltuples::float8, NULL FROM pg_class WHERE oid = to_regclass('${tables.tools}')`;
    this.#guessing = guessingStatement(tables);
  }

  /** Forgets what is kept of all tenants: their tools have changed. */
  forget(): void {
    this.#counts = new Lru(KEPT);
    this.#guesses = new Lru(KEPT / 10);
  }

  /** What a tenant's catalog has of some words; undefined where it has no tools, or there are no words. */
  async read(
    tenant: string,
    asked: readonly AskedWord[],
    abortSignal: AbortSignal | undefined,
  ): Promise<KnownWords | undefined> {
    if (asked.length === 0) return undefined;
    const lexemes = asked.flatMap(({ stem: root, others }) => [
      ...[root, inName(root), serverLexeme(root)],
      ...others.flatMap(({ stems }) => stems),
    ]);
    const counts = await keptOr(this.#counts, tenant, [TENANT, EVERYBODY, ...lexemes], async (unknown) => {
      const rows = await this.#run<Count & { word: string }>(this.#counting, [tenant, unknown], abortSignal);
      const found = new Map<string, Count>(rows.map((row) => [row.word, row]));
      return (lexeme) => found.get(lexeme) ?? NOTHING;
    });
    const { documents: total, lengths } = counts.get(TENANT) ?? NOTHING;
    if (total <= 0) return undefined;
    const missing = asked.filter(({ stem: root }) => !counts.get(root)?.documents).map(({ word }) => word);
    const guesses = await keptOr(this.#guesses, tenant, missing, (unknown) =>
      guessed(unknown, (values) => this.#run(this.#guessing, [tenant, ...values], abortSignal)),
    );
    const guessedStems = new Map([...guesses.values()].flat().map((guess) => [guess.stem, guess.documents]));
    const countOf = (lexeme: string): number => counts.get(lexeme)?.documents || (guessedStems.get(lexeme) ?? 0);
    return {
      ...{ total, countOf },
      ofAll: counts.get(EVERYBODY)?.documents ?? 0,
      guessesOf: (word) => (guesses.get(word) ?? []).map(({ stem: root }) => root),
      statistics: {
        documents: total,
        averageLengths: Object.fromEntries(FIELDS.map((field, at) => [field, (lengths?.[at] ?? 0) / total])),
        stems: new Map([...counts].map(([lexeme, { documents }]) => [lexeme, documents])),
        instructions: new Map(asked.map(({ stem: root }) => [root, countOf(serverLexeme(root))])),
        guesses: new Map(
          [...guesses].map(([word, found]) => [
            word,
            {
              stems: found.map(({ stem: root }) => root),
              documents: found.reduce((sum, { documents }) => sum + documents, 0),
            },
          ]),
        ),
      },
    };
  }
}

/** The values of keys: those that are kept, and the others as `read` tells them, which are kept then. */
async function keptOr<Value>(
  // An answer from before the tools changed goes into what nobody reads any more.
  kept: Lru<{ readonly value: Value; readonly until: number }>,
  tenant: string,
  keys: readonly string[],
  read: (unknown: readonly string[]) => Promise<(key: string) => Value>,
): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>();
  const unknown: string[] = [];
  for (const key of new Set(keys)) {
    // No tenant and no word has a zero byte: PostgreSQL has none in its texts.
    const known = kept.get(`${tenant}\0${key}`);
    if (known && known.until > Date.now()) found.set(key, known.value);
    else unknown.push(key);
  }
  if (unknown.length === 0) return found;
  const told = await read(unknown);
  const until = Date.now() + FOR;
  for (const key of unknown) {
    found.set(key, told(key));
    kept.set(`${tenant}\0${key}`, { value: told(key), until });
  }
  return found;
}

/** As for guesses in memory: see `guesses` of scorers/bm25/word-match.ts. */
const MIN_PREFIX = 3;
const MIN_TYPO = 4;
const MAX_GUESSES = 8;
/** Letters of a word that may have two wrong ones, which are looked for behind its first few. */
const LONG = 8;
const BEGINNING = 3;
/** Words of one query that are guessed: each is compared with a thousand others. */
const MAX_WORDS = 4;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LATIN = /^[a-z0-9]+$/;

/** A word of the catalog, and the asked word that it begins with, if any. */
interface GuessRow {
  readonly asked: string | null;
  readonly word: string;
  readonly documents: number;
}

/** The statement for words that begin with those of `$2`, for those of `$3`, and for long ones that begin as those of `$4`. */
function guessingStatement({ words }: Tables): string {
  const after = (text: string): string => `${text} || chr(1114111)`;
  return `
    SELECT asked, near.word, near.documents::float8 FROM unnest($2::text[]) AS asked, LATERAL (
      SELECT word, documents FROM ${words}
      WHERE tenant = $1 AND word >= asked AND word < ${after('asked')} ORDER BY word LIMIT ${MAX_GUESSES}
    ) AS near
    UNION ALL SELECT NULL, word, documents::float8 FROM ${words} WHERE tenant = $1 AND word = ANY ($3::text[])
    UNION ALL SELECT NULL, near.word, near.documents::float8 FROM unnest($4::text[]) AS asked, LATERAL (
      SELECT word, documents FROM ${words}
      WHERE tenant = $1 AND word >= left(asked, ${BEGINNING}) AND word < ${after(`left(asked, ${BEGINNING})`)}
        AND length(word) BETWEEN length(asked) - 2 AND length(asked) + 2
    ) AS near`;
}

/** Guesses what words mean that no document has: see `guesses` of the default scorer; here, stems are compared. */
async function guessed(
  words: readonly string[],
  ask: (values: readonly (readonly string[])[]) => Promise<readonly GuessRow[]>,
): Promise<(word: string) => Guesses> {
  const tried = words.filter((word) => word.length >= MIN_PREFIX).slice(0, MAX_WORDS);
  if (tried.length === 0) return () => [];
  const typed = tried.filter((word) => word.length >= MIN_TYPO);
  const spelled = new Set(typed.flatMap((word) => [word, stem(word)]).flatMap((word) => [...spellings(word)]));
  const long = typed.map(stem).filter((root) => root.length >= LONG - 1);
  const rows = await ask([tried, [...spelled], long]);
  return (word) => {
    const nearest = tried.includes(word) ? nearestTo(word, rows) : [];
    return nearest.map((row) => ({ stem: row.word, documents: row.documents }));
  };
}

/** The ways to spell a word with one wrong letter. */
function* spellings(word: string): Iterable<string> {
  const alphabet = LATIN.test(word) ? LETTERS : '';
  // Whole characters: a half of one is no text.
  const letters = [...word];
  yield word;
  for (let at = 0; at <= letters.length; at++) {
    const [before, one, other] = [letters.slice(0, at).join(''), letters[at] ?? '', letters[at + 1] ?? ''];
    const [after, behind] = [letters.slice(at + 1).join(''), letters.slice(at + 2).join('')];
    yield before + after;
    yield before + other + one + behind;
    for (const letter of alphabet) {
      yield before + letter + one + after;
      yield before + letter + after;
    }
  }
}

function nearestTo(word: string, rows: readonly GuessRow[]): readonly GuessRow[] {
  const longer = rows.filter(({ asked }) => asked === word);
  if (longer.length > 0 || word.length < MIN_TYPO) return longer;
  const most = word.length < LONG ? 1 : 2;
  const byDistance: GuessRow[][] = [[], [], []];
  for (const row of rows) {
    if (row.asked !== null) continue;
    const distances = [word, stem(word)].map((each) => editDistance(each, row.word, most) ?? most + 1);
    byDistance[Math.min(...distances)]?.push(row);
  }
  const found = byDistance.slice(0, most + 1).find((list) => list.length > 0) ?? [];
  return found.sort((one, other) => other.documents - one.documents).slice(0, MAX_GUESSES);
}
