import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { messageOf, ToolSearchError } from '../../errors.ts';
import { asRecord } from '../../util/record.ts';
import { ended } from '../../util/text.ts';

/** A JSON file that caches the keywords written by models, by key. */
export class KeywordFile {
  /** Why the file could not be written; undefined if it could. */
  fault: string | undefined;
  readonly #file: string;
  readonly #written: Map<string, unknown>;

  /** @throws ToolSearchError `invalid-option` for a file of another form. */
  constructor(file: string) {
    this.#file = file;
    this.#written = new Map(existsSync(file) ? Object.entries(recordIn(file)) : []);
  }

  get(key: string): readonly unknown[] | undefined {
    const written = this.#written.get(key);
    return Array.isArray(written) ? written : undefined;
  }

  /** Adds entries to the file. If writing fails, the next run only repeats the model calls. */
  add(written: Iterable<readonly [key: string, keywords: readonly unknown[]]>): void {
    for (const [key, keywords] of written) this.#written.set(key, keywords);
    try {
      const next = `${this.#file}.${process.pid}`;
      writeFileSync(next, JSON.stringify(Object.fromEntries(this.#written)));
      renameSync(next, this.#file);
    } catch (error) {
      this.fault = messageOf(error);
    }
  }
}

function recordIn(file: string): Readonly<Record<string, unknown>> {
  try {
    const value = asRecord(JSON.parse(readFileSync(file, 'utf8')));
    if (value) return value;
    throw new Error('it holds no object');
  } catch (error) {
    throw new ToolSearchError(
      'invalid-option',
      `"cache": ${file} cannot be read as keywords: ${ended(messageOf(error))} Name another file, or delete it.`,
    );
  }
}
