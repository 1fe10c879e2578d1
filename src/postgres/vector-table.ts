import { ended, messageOf, ToolSearchError } from '../kit.ts';
import type { PostgresSession } from './client.ts';
import { checkDimension, type VectorSettings } from './embed-options.ts';
import { comment } from './schema.ts';
import type { Tables } from './tables.ts';

/** The most numbers of four bytes that an index takes; of more, each has two bytes. */
const MAX_SINGLE = 2_000;

/** The type of the column for vectors of a length. */
export function vectorType(dimension: number): 'vector' | 'halfvec' {
  return dimension <= MAX_SINGLE ? 'vector' : 'halfvec';
}

/** How many numbers the model's vectors have: as the option says, or as one has. */
export async function dimensionOf({ dimension, embedder }: VectorSettings): Promise<number> {
  if (dimension !== undefined) return dimension;
  const [vector = []] = await embedder.embed(['A tool.'], 'document');
  checkDimension(vector.length);
  return vector.length;
}

/**
 * Makes the extension pgvector unless it is there.
 *
 * @throws ToolSearchError `storage-unavailable` where it is not installed, or may not be made.
 */
export async function ensureExtension(session: PostgresSession): Promise<void> {
  const { rows } = await session.query(`SELECT 1 FROM pg_extension WHERE extname = 'vector'`);
  if (rows.length > 0) return;
  try {
    await session.query('CREATE EXTENSION IF NOT EXISTS vector');
  } catch (error) {
    throw new ToolSearchError(
      'storage-unavailable',
      `"embed" needs the extension pgvector in the database: ${ended(messageOf(error))} Install pgvector 0.5 or later, have a ` +
        'superuser run `CREATE EXTENSION vector`, or leave "embed" out.',
      { cause: error },
    );
  }
}

/** Makes the table of the vectors. One for vectors of another length goes first: nothing of it is of use any more. */
export function vectorsOf({ tools, vectors, bare }: Tables, dimension: number): string {
  const type = vectorType(dimension);
  return `DECLARE length_before integer;
  BEGIN
    SELECT atttypmod INTO length_before FROM pg_attribute
      WHERE attrelid = to_regclass('${vectors}') AND attname = 'vector' AND NOT attisdropped;
    IF length_before <> ${dimension} THEN
      DROP TABLE ${vectors};
    END IF;
    IF length_before IS DISTINCT FROM ${dimension} THEN
      CREATE TABLE ${vectors} (
        tenant text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        model text NOT NULL,
        tool text NOT NULL,
        embedded text NOT NULL,
        vector ${type}(${dimension}) NOT NULL,
        PRIMARY KEY (tenant, name),
        FOREIGN KEY (tenant, name) REFERENCES ${tools} ON DELETE CASCADE
      );
      CREATE INDEX ${bare('by_vector')} ON ${vectors} USING hnsw (vector ${type}_cosine_ops);
      ${comment(vectors, 'the vectors of the tools')}
    END IF;
  END;`;
}
