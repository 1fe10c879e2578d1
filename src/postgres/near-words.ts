import { editDistance, stem } from '../kit.ts';
import type { Tables } from './tables.ts';

/** Stems that a word may mean, with the count of the documents that have them. */
export type Near = readonly { readonly stem: string; readonly documents: number }[];

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

/** A row: a word of the catalog, and the asked word that it begins with, if any. */
interface NearRow {
  readonly asked: string | null;
  readonly word: string;
  readonly documents: number;
}

/** The statement for words that begin with those of `$2`, for those of `$3`, and for long ones that begin as those of `$4`. */
export function nearStatement({ words }: Tables): string {
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
export async function guessesFrom(
  words: readonly string[],
  ask: (values: readonly [readonly string[], readonly string[], readonly string[]]) => Promise<readonly NearRow[]>,
): Promise<ReadonlyMap<string, Near>> {
  const tried = words.filter((word) => word.length >= MIN_PREFIX).slice(0, MAX_WORDS);
  const guessed = new Map<string, Near>(words.map((word) => [word, []]));
  if (tried.length === 0) return guessed;
  const typed = tried.filter((word) => word.length >= MIN_TYPO);
  const long = typed.map(stem).filter((root) => root.length >= LONG - 1);
  const rows = await ask([tried, [...new Set(typed.flatMap(spellings))], long]);
  for (const word of tried) guessed.set(word, nearest(word, rows));
  return guessed;
}

/** The ways to spell a word and its stem with one wrong letter. */
function spellings(word: string): readonly string[] {
  return [...new Set([word, stem(word)])].flatMap((spelled) => [...variants(spelled)]);
}

function* variants(word: string): Iterable<string> {
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

function nearest(word: string, rows: readonly NearRow[]): Near {
  const longer = rows.filter(({ asked }) => asked === word);
  if (longer.length > 0) return longer.map(toNear);
  if (word.length < MIN_TYPO) return [];
  const root = stem(word);
  const most = word.length < LONG ? 1 : 2;
  const byDistance: NearRow[][] = [[], [], []];
  for (const row of rows) {
    if (row.asked !== null) continue;
    const distance = Math.min(
      editDistance(word, row.word, most) ?? Number.POSITIVE_INFINITY,
      editDistance(root, row.word, most) ?? Number.POSITIVE_INFINITY,
    );
    byDistance[distance]?.push(row);
  }
  const found = byDistance.find((list) => list.length > 0) ?? [];
  return found
    .sort((one, other) => other.documents - one.documents)
    .slice(0, MAX_GUESSES)
    .map(toNear);
}

function toNear({ word, documents }: NearRow): Near[number] {
  return { stem: word, documents };
}
