import { FIELDS, type Field, Lru } from '../kit.ts';
import { guessesFrom, type Near, nearStatement } from './near-words.ts';
import type { RunStatement } from './run.ts';
import type { Tables } from './tables.ts';

/** Counts that are kept, and for how many milliseconds: new tools are found after this time at the latest. */
const KEPT = 50_000;
const FOR = 10_000;

/** What the documents of a tenant sum up to. */
export interface Totals {
  readonly documents: number;
  /** The documents of all tenants, about; 0 where nobody knows. */
  readonly ofAll: number;
  readonly averageLengths: Readonly<Partial<Record<Field, number>>>;
}

interface Timed<Value> {
  readonly value: Value;
  readonly until: number;
}

/** A row of the statement for counts: a word's; with a null in place of the word, the tenant's; with '', that of all. */
interface CountRow {
  readonly word: string | null;
  readonly documents: number;
  readonly lengths: readonly number[] | null;
}

const NOTHING: Totals = { documents: 0, ofAll: 0, averageLengths: {} };

/** Reads how often words are in the documents of tenants, and keeps it for a short time. */
export class CatalogFigures {
  readonly #run: RunStatement;
  readonly #counting: string;
  readonly #guessing: string;
  #counts = new Lru<Timed<number>>(KEPT);
  #totals = new Lru<Timed<Totals>>(KEPT);
  #near = new Lru<Timed<Near>>(KEPT / 10);

  constructor(run: RunStatement, tables: Tables) {
    this.#run = run;
    this.#counting = `
      SELECT word, documents::float8, NULL::float8[] AS lengths FROM ${tables.words}
        WHERE tenant = $1 AND word = ANY ($2::text[])
      UNION ALL SELECT NULL, documents::float8, lengths::float8[] FROM ${tables.tenants} WHERE tenant = $1
      UNION ALL SELECT '', reltuples::float8, NULL FROM pg_class WHERE oid = to_regclass('${tables.tools}')`;
    this.#guessing = nearStatement(tables);
  }

  /** Forgets what is kept of all tenants: their tools have changed. */
  forget(): void {
    this.#counts = new Lru(KEPT);
    this.#totals = new Lru(KEPT);
    this.#near = new Lru(KEPT / 10);
  }

  /** Counts the documents that have each lexeme. */
  async read(
    tenant: string,
    lexemes: readonly string[],
    abortSignal?: AbortSignal,
  ): Promise<{ readonly totals: Totals; readonly counts: ReadonlyMap<string, number> }> {
    const now = Date.now();
    // An answer from before the tools changed is not kept for after it.
    const [allCounts, allTotals] = [this.#counts, this.#totals];
    const counts = new Map<string, number>();
    const unknown: string[] = [];
    for (const lexeme of new Set(lexemes)) {
      const kept = allCounts.get(keyOf(tenant, lexeme));
      if (kept && kept.until > now) counts.set(lexeme, kept.value);
      else unknown.push(lexeme);
    }
    const kept = allTotals.get(tenant);
    let totals = kept && kept.until > now ? kept.value : undefined;
    if (unknown.length > 0 || !totals) {
      const rows = await this.#run<CountRow>(this.#counting, [tenant, unknown], abortSignal);
      const until = Date.now() + FOR;
      const found = new Map(rows.map(({ word, documents }) => [word, documents]));
      for (const lexeme of unknown) {
        const value = found.get(lexeme) ?? 0;
        allCounts.set(keyOf(tenant, lexeme), { value, until });
        counts.set(lexeme, value);
      }
      totals = totalsOf(
        rows.find(({ word }) => word === null),
        found.get('') ?? 0,
      );
      allTotals.set(tenant, { value: totals, until });
    }
    return { totals, counts };
  }

  /** What words may mean that no document has: stems with the count of the documents that have them. */
  async guesses(
    tenant: string,
    words: readonly string[],
    abortSignal?: AbortSignal,
  ): Promise<ReadonlyMap<string, Near>> {
    const now = Date.now();
    const all = this.#near;
    const found = new Map<string, Near>();
    const unknown: string[] = [];
    for (const word of words) {
      const kept = all.get(keyOf(tenant, word));
      if (kept && kept.until > now) found.set(word, kept.value);
      else unknown.push(word);
    }
    if (unknown.length === 0) return found;
    const guessed = await guessesFrom(unknown, (values) => this.#run(this.#guessing, [tenant, ...values], abortSignal));
    const until = Date.now() + FOR;
    for (const [word, value] of guessed) {
      all.set(keyOf(tenant, word), { value, until });
      found.set(word, value);
    }
    return found;
  }
}

/** No tenant and no lexeme has a zero byte: PostgreSQL has none in its texts. */
function keyOf(tenant: string, lexeme: string): string {
  return `${tenant}\0${lexeme}`;
}

function totalsOf(row: CountRow | undefined, ofAll: number): Totals {
  if (!row || row.documents <= 0) return NOTHING;
  const { documents, lengths } = row;
  return {
    documents,
    ofAll,
    averageLengths: Object.fromEntries(FIELDS.map((field, at) => [field, (lengths?.[at] ?? 0) / documents])),
  };
}
