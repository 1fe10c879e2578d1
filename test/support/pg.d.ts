/** The part of pg that tests and examples use: it comes with @mastra/pg, and without types. */
declare module 'pg' {
  export interface Result {
    // biome-ignore lint/suspicious/noExplicitAny: as pg's own types have it.
    readonly rows: any[];
  }
  export interface PoolClient {
    query(text: string, values?: unknown[]): Promise<Result>;
    release(error?: Error | boolean): void;
  }
  export class Pool {
    constructor(options?: { connectionString?: string; max?: number; options?: string });
    query(text: string, values?: unknown[]): Promise<Result>;
    connect(): Promise<PoolClient>;
    on(event: 'error', listener: (error: Error) => void): this;
    end(): Promise<void>;
  }
}
