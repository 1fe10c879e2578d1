/**
 * The part that is used of a Mastra vector store (`MastraVector`): LibSQLVector, PgVector, QdrantVector and so on.
 * Metadata filters have to know `$in`.
 */
export interface VectorStoreLike {
  /** Throws for an index that does not exist. */
  describeIndex(params: { indexName: string }): Promise<{ readonly dimension: number }>;
  /** Changes nothing when the index exists. */
  createIndex(params: { indexName: string; dimension: number; metric?: 'cosine' }): Promise<unknown>;
  /** Replaces the rows that have one of the ids. */
  upsert(params: {
    indexName: string;
    vectors: number[][];
    ids?: string[];
    metadata?: Record<string, unknown>[];
  }): Promise<unknown>;
  /** The nearest rows, best first. */
  query(params: {
    indexName: string;
    queryVector: number[];
    topK?: number;
    filter?: Record<string, { $in: string[] }>;
  }): Promise<readonly VectorStoreRow[]>;
}

export interface VectorStoreRow {
  readonly id: string;
  readonly score: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
