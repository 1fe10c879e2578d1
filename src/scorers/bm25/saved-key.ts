import { createHash } from 'node:crypto';
import type { ToolDocument } from '../../catalog/document.ts';
import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { FIELDS } from './settings.ts';

/** The version of the package. */
export const VERSION = '0.1.0';
/** Raised where a document is read otherwise, or the parts of a saved index change, within one version of the package. */
const FORMAT = 3;

const keys = new WeakMap<readonly ToolDocument[], string>();

/**
 * A text that is the same for equal documents in the same order, as far as this version of the package reads them the
 * same: the index of the one is that of the other. Words of scripts without spaces are found by Node's own dictionary.
 */
export function* keyOf(documents: readonly ToolDocument[]): SlicedWork<string> {
  const known = keys.get(documents);
  if (known !== undefined) return known;
  const sum = createHash('sha256');
  sum.update(JSON.stringify([FORMAT, VERSION, FIELDS, globalThis.process?.versions?.['icu'] ?? '']));
  for (let at = 0; at < documents.length; at += CHUNK) {
    sum.update(JSON.stringify(documents.slice(at, at + CHUNK)));
    yield;
  }
  const key = sum.digest('hex');
  keys.set(documents, key);
  return key;
}
