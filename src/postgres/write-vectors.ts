import { hash } from 'node:crypto';
import { ended, messageOf, type ToolDocument, unlessAborted } from '../kit.ts';
import { Batches, documentText, type Embedder, unitVector } from '../semantic/embedder.ts';
import type { PostgresSession } from './client.ts';
import type { VectorSettings } from './embed-options.ts';
import { Pipeline } from './pipeline.ts';
import type { Tables } from './tables.ts';
import { vectorType } from './vector-table.ts';

/** Tools that are read at once. */
const PAGE = 1_000;

/** The embedding of a tenant's tools. */
export interface EmbedTask {
  readonly session: PostgresSession;
  readonly tables: Tables;
  readonly tenant: string;
  readonly vectors: VectorSettings;
  readonly signal: AbortSignal | undefined;
}

/** A tool whose vector is not that of its text, or may not be. */
interface Stale {
  readonly name: string;
  /** The hash of its row. */
  readonly tool: string;
  readonly document: ToolDocument;
  /** The hash of the text that was embedded; null where none was by this model. */
  readonly embedded: string | null;
}

/** A tool with what is to be embedded of it. */
interface Told extends Stale {
  readonly text: string;
  readonly hash: string;
}

/**
 * Embeds the tools of a tenant that have no vector of this model, or that of another text. Yields how many they were, page
 * by page. What was embedded before a fault stays.
 *
 * @throws an Error with the embedder's as its cause; the reason of the signal.
 */
export async function* embedTenant({ session, tables, tenant, vectors, signal }: EmbedTask): AsyncIterable<number> {
  const { embedder, model } = vectors;
  const statements = statementsOf(tables);
  const batches = new Batches(() => embedder.limits());
  const pipeline = new Pipeline();
  const write = async (text: string, values: unknown[]): Promise<void> =>
    pipeline.inTurn(async () => void (await session.query(text, [tenant, ...values])));

  const embed = async (groups: readonly (readonly Told[])[]): Promise<void> => {
    signal?.throwIfAborted();
    const texts = groups.map(([first]) => first?.text ?? '');
    const made = await unlessAborted(unitVectors(embedder, texts), signal);
    if (!made) throw signal?.reason;
    const rows = groups.flatMap((tools, at) => tools.map((tool) => ({ ...tool, vector: literal(made[at] ?? []) })));
    await write(statements.put(made[0]?.length ?? 0), [
      model,
      rows.map(({ name }) => name),
      rows.map(({ tool }) => tool),
      rows.map(({ hash: digest }) => digest),
      rows.map(({ vector }) => vector),
    ]);
  };

  for (let last = ''; ; ) {
    signal?.throwIfAborted();
    const { rows } = await session.query(statements.stale, [tenant, last, model]);
    const stale = (rows as unknown as readonly Stale[]).map(told);
    const kept = stale.filter((tool) => tool.embedded === tool.hash);
    if (kept.length > 0) await write(statements.keep, [kept.map(({ name }) => name), kept.map(({ tool }) => tool)]);
    const changed = stale.filter((tool) => tool.embedded !== tool.hash);
    await batches.run(alike(changed), embed);
    if (changed.length > 0) yield changed.length;
    if (stale.length < PAGE) return;
    last = stale.at(-1)?.name ?? '';
  }
}

function told(tool: Stale): Told {
  const text = documentText(tool.document);
  return { ...tool, text, hash: hash('sha256', text, 'base64').slice(0, 24) };
}

/** Tools by their texts, so that each is embedded once. */
function alike(tools: readonly Told[]): readonly (readonly Told[])[] {
  const groups = new Map<string, Told[]>();
  for (const tool of tools) {
    const group = groups.get(tool.hash);
    if (group) group.push(tool);
    else groups.set(tool.hash, [tool]);
  }
  return [...groups.values()];
}

/** @throws an Error that says what is there all the same. */
async function unitVectors(embedder: Embedder, texts: readonly string[]): Promise<readonly Float32Array[]> {
  try {
    return (await embedder.embed(texts, 'document')).map(unitVector);
  } catch (error) {
    const message = `The tools are stored, but not all of their vectors: ${ended(messageOf(error))} Sync again for the rest.`;
    throw new Error(message, { cause: error });
  }
}

/** The text of a vector, as pgvector reads it: seven digits are all that its numbers have. */
export function literal(vector: ArrayLike<number>): string {
  return `[${Array.from(vector, (value) => Number(value.toPrecision(7))).join(',')}]`;
}

/** The statements over vectors; the tenant is `$1` in each. */
function statementsOf({ tools, vectors }: Tables) {
  return {
    stale: `SELECT kept.name, kept.hash AS tool, kept.document, had.embedded FROM ${tools} AS kept
      LEFT JOIN ${vectors} AS had ON had.tenant = kept.tenant AND had.name = kept.name AND had.model = $3
      WHERE kept.tenant = $1 AND kept.name > $2 AND had.tool IS DISTINCT FROM kept.hash ORDER BY kept.name LIMIT ${PAGE}`,
    keep: `UPDATE ${vectors} AS kept SET tool = given.tool FROM unnest($2::text[], $3::text[]) AS given (name, tool)
      WHERE kept.tenant = $1 AND kept.name = given.name`,
    put: (dimension: number) => `INSERT INTO ${vectors} (tenant, name, model, tool, embedded, vector)
      SELECT $1, given.name, $2, given.tool, given.embedded, given.vector::${vectorType(dimension)}
      FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS given (name, tool, embedded, vector)
      JOIN ${tools} AS kept ON kept.tenant = $1 AND kept.name = given.name
      ON CONFLICT (tenant, name) DO UPDATE SET model = excluded.model, tool = excluded.tool,
        embedded = excluded.embedded, vector = excluded.vector`,
  };
}
