import { bm25Scorer, type ToolScorer, tableOf, tableScorer } from '../../../kit.ts';
import { words } from '../../../util/words.ts';

/** The table of word vectors. */
export type Table = ReturnType<typeof tableOf>;

/** The scorers that run in the page, with default options. The first one waits for the table of word vectors. */
export class LocalScorers {
  readonly #byName: ReadonlyMap<string, ToolScorer>;
  readonly #table: Promise<Table>;
  #take: (base64: string | undefined) => void = () => {};

  constructor() {
    const vectors = new Promise<string | undefined>((resolve) => {
      this.#take = resolve;
    });
    this.#table = vectors.then(tableIn);
    // The rejection reaches those who rank with the table; this avoids an unhandled one.
    this.#table.catch(() => {});
    const scorers = [tableScorer(() => this.#table), bm25Scorer()];
    this.#byName = new Map(scorers.map((scorer) => [scorer.name, scorer]));
  }

  /** @throws Error for a scorer that the page does not have. */
  of(name: string): ToolScorer {
    const scorer = this.#byName.get(name);
    if (!scorer) throw new Error(`The page has no scorer "${name}".`);
    return scorer;
  }

  /** The table of word vectors once it is loaded; undefined if it cannot be loaded. */
  table(): Promise<Table | undefined> {
    return this.#table.catch(() => undefined);
  }

  /** @param base64 - the table; undefined if it cannot be loaded. */
  setVectors(base64: string | undefined): void {
    this.#take(base64);
  }
}

/** @throws Error without a table, because words alone would rank differently from the agent under the same name. */
function tableIn(base64: string | undefined): Table {
  if (base64 !== undefined) return tableOf(base64);
  throw new Error('The table of word vectors cannot be loaded. Load the page again, or choose the scorer "bm25".');
}

/** The cosine of two texts' meanings, from -1 to 1; 0 if the table has no word of one of them. */
export function closeness(one: string, other: string, table: Table): number {
  const [left, right] = [vectorOf(one, table), vectorOf(other, table)];
  const dot = (some: Int32Array, others: Int32Array): number =>
    some.reduce((sum, number, at) => sum + number * (others[at] ?? 0), 0);
  const lengths = Math.sqrt(dot(left, left) * dot(right, right));
  return lengths === 0 ? 0 : dot(left, right) / lengths;
}

function vectorOf(text: string, table: Table): Int32Array {
  const sum = new Int32Array(table.dims);
  for (const word of words(text)) table.add(word, sum);
  return sum;
}
