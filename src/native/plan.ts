import type { Dialect } from '../options/native.ts';

/** How a step uses the provider's tool search. */
export interface NativeForm {
  readonly dialect: Dialect;
  readonly execution: 'client' | 'server';
  /** The name of the search tool, as it is sent. */
  readonly searchName: string;
  readonly variant: 'bm25' | 'regex';
}
