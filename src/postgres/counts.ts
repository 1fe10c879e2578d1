/**
 * Reads how many documents contain the words of a query, and guesses what words mean that no document contains.
 *
 * @module
 */
import { type CatalogStatistics, FIELDS } from '../kit.ts';
import { editDistance } from '../util/suggest.ts';
import { stem } from '../util/words.ts';
import type { AskedWord } from './asked-words.ts';
import type { RunStatement } from './client.ts';
import type { Tables } from './schema.ts';
import { inName, serverLexeme } from './words.ts';

/** Statistics of a tenant's catalog about the words of a query. */
export interface KnownWords {
  /** Number of the tenant's documents. */
  readonly total: number;
  /** Approximate number of documents of all tenants; 0 or less if unknown. */
  readonly ofAll: number;
  /** Number of documents that contain a lexeme. */
  countOf(lexeme: string): number;
  /** Stems that a word may mean if no document contains the word. */
  guessesOf(word: string): readonly string[];
  /** The statistics in the form that the ranking takes. */
  readonly statistics: CatalogStatistics;
  /** Lexemes of the query, or of guesses, that some document contains. */
  readonly wanted: ReadonlySet<string>;
}

/** The row that {@link countingStatement} returns. */
interface CountRow {
  /** Number of the tenant's documents. */
  readonly documents: number;
  /** Total length of each field over all documents. */
  readonly lengths: readonly number[];
  /** Number of documents by lexeme. */
  readonly words: Readonly<Record<string, number>> | null;
  readonly everybody: number | null;
}

const countingStatement = ({ words, tenants, tools }: Tables): string => `
  SELECT documents::float8, to_json(lengths) AS lengths,
    (SELECT json_object_agg(word, documents) FROM ${words} WHERE tenant = $1 AND word = ANY ($2::text[])) AS words,
    (SELECT reltuples::float8 FROM pg_class WHERE oid = to_regclass('${tools}')) AS everybody
  FROM ${tenants} WHERE tenant = $1`;

/** Reads the statistics of a tenant's catalog; undefined if it has no tools, or no words are asked for. */
export async function readCounts(
  run: RunStatement,
  tables: Tables,
  tenant: string,
  asked: readonly AskedWord[],
  abortSignal: AbortSignal | undefined,
): Promise<KnownWords | undefined> {
  if (asked.length === 0) return undefined;
  const lexemes = asked.flatMap(({ stem: root, alternatives }) => [
    ...[root, inName(root), serverLexeme(root)],
    ...alternatives.flatMap(({ stems }) => stems),
  ]);
  const [row] = await run<CountRow>(countingStatement(tables), [tenant, [...new Set(lexemes)]], abortSignal);
  if (!row || row.documents <= 0) return undefined;
  const total = row.documents;
  const stems = new Map(Object.entries(row.words ?? {}));
  const missing = asked.filter(({ stem: root }) => !stems.get(root)).map(({ word }) => word);
  const guesses = await guessed([...new Set(missing)], (values) =>
    run(guessingStatement(tables), [tenant, ...values], abortSignal),
  );
  const guessedStems = new Map([...guesses.values()].flat().map(({ word, documents }) => [word, documents]));
  const countOf = (lexeme: string): number => stems.get(lexeme) || (guessedStems.get(lexeme) ?? 0);
  return {
    ...{ total, countOf, wanted: new Set([...stems.keys(), ...guessedStems.keys()]) },
    ofAll: row.everybody ?? 0,
    guessesOf: (word) => (guesses.get(word) ?? []).map((guess) => guess.word),
    statistics: {
      ...{ documents: total, stems },
      averageLengths: Object.fromEntries(FIELDS.map((field, at) => [field, (row.lengths[at] ?? 0) / total])),
      instructions: new Map(asked.map(({ stem: root }) => [root, countOf(serverLexeme(root))])),
      guesses: new Map(
        [...guesses].map(([word, found]) => {
          const documents = found.reduce((sum, guess) => sum + guess.documents, 0);
          return [word, { stems: found.map((guess) => guess.word), documents }];
        }),
      ),
    },
  };
}

/** The limits of guesses in memory; see `guesses` in scorers/bm25/inverted-index.ts. */
const MIN_PREFIX = 3;
const MIN_TYPO = 4;
const MAX_GUESSES = 8;
/** A word of LONG letters may have two typos; it is compared with words that share its first BEGINNING letters. */
const LONG = 8;
const BEGINNING = 3;
/** Limit of guessed words per query, because each is compared with about a thousand words. */
const MAX_WORDS = 4;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LATIN = /^[a-z0-9]+$/;

/** A word of the catalog, and the asked word that it begins with, if any. */
interface GuessRow {
  readonly asked: string | null;
  readonly word: string;
  readonly documents: number;
}

/** Selects words with a prefix of `$2`, the words of `$3`, and words of similar length that begin like those of `$4`. */
function guessingStatement({ words }: Tables): string {
  const after = (text: string): string => `${text} || chr(1114111)`;
  return `
    SELECT asked, near.word, near.documents::float8 FROM unnest($2::text[]) AS asked, LATERAL (
      SELECT word, documents FROM ${words}
      WHERE tenant = $1 AND word >= asked AND word < ${after('asked')} ORDER BY word LIMIT ${MAX_GUESSES}
    ) AS near
    UNION ALL SELECT NULL, word, documents::float8 FROM ${words} WHERE tenant = $1
      AND word = ANY (string_to_array($3, ' '))
    UNION ALL SELECT NULL, near.word, near.documents::float8 FROM unnest($4::text[]) AS asked, LATERAL (
      SELECT word, documents FROM ${words}
      WHERE tenant = $1 AND word >= left(asked, ${BEGINNING}) AND word < ${after(`left(asked, ${BEGINNING})`)}
        AND length(word) BETWEEN length(asked) - 2 AND length(asked) + 2
    ) AS near`;
}

/** Guesses what unknown words mean, as `guesses` of the default scorer does, but compares stems. */
async function guessed(
  words: readonly string[],
  ask: (
    values: readonly [tried: readonly string[], spelled: string, long: readonly string[]],
  ) => Promise<readonly GuessRow[]>,
): Promise<ReadonlyMap<string, readonly GuessRow[]>> {
  const tried = words.filter((word) => word.length >= MIN_PREFIX).slice(0, MAX_WORDS);
  if (tried.length === 0) return new Map();
  const typed = tried.filter((word) => word.length >= MIN_TYPO);
  // One joined text, because pg would quote thousands of list elements one by one.
  const spelled = [...new Set(typed.flatMap((word) => [word, stem(word)]))].flatMap(spellings).join(' ');
  const long = typed.map(stem).filter((root) => root.length >= LONG - 1);
  const rows = await ask([tried, spelled, long]);
  return new Map(tried.map((word) => [word, nearestTo(word, rows)]));
}

/** The word itself and all its spellings with one typo. */
function spellings(word: string): readonly string[] {
  const alphabet = LATIN.test(word) ? LETTERS : '';
  // Split into code points, because half of a surrogate pair is no valid text.
  const letters = [...word];
  const found = [word];
  for (let at = 0; at <= letters.length; at++) {
    const [before, one, other] = [letters.slice(0, at).join(''), letters[at] ?? '', letters[at + 1] ?? ''];
    const [after, behind] = [letters.slice(at + 1).join(''), letters.slice(at + 2).join('')];
    found.push(before + after, before + other + one + behind);
    for (const letter of alphabet) found.push(before + letter + one + after, before + letter + after);
  }
  return found;
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
