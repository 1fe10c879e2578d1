import type { NativeDialect } from '../options/native.ts';

/** How a step uses the provider's tool search. */
export interface NativePlan {
  readonly dialect: NativeDialect;
  readonly execution: 'client' | 'server';
  /** The name of the search tool, as it is sent. */
  readonly searchName: string;
  readonly variant: 'bm25' | 'regex';
}
