import { asRecord } from '../../util/record.ts';

/**
 * States in a search's result that all of its tools were loaded. @mastra/core, after 1.71, believes a search only with
 * a receipt that names exactly the results.
 */
export interface LoadReceipt {
  type: 'tool-search-auto-load';
  version: 1;
  loaded: string[];
}

const TYPE: LoadReceipt['type'] = 'tool-search-auto-load';
const VERSION: LoadReceipt['version'] = 1;

export function receiptOf(loaded: readonly string[]): LoadReceipt {
  return { type: TYPE, version: VERSION, loaded: [...loaded] };
}

/** Whether it is a receipt of a version that is understood; what it lists is not checked. */
export function isReceipt(value: unknown): value is { readonly loaded?: unknown } {
  const { type, version } = asRecord(value) ?? {};
  return type === TYPE && version === VERSION;
}
