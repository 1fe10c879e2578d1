import type { ToolDocument } from '../catalog/document.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import { fingerprint } from './fingerprint.ts';

/** The share of new and gone documents above which an update gains nothing. */
const MAX_CHANGED_SHARE = 0.25;

/** The changes that make one set of documents another. */
export interface Changes<Set> {
  readonly from: Set;
  readonly added: readonly ToolDocument[];
  /** Names of removed documents, and of changed ones. */
  readonly removed: readonly string[];
}

/** The changes from the set that differs least; undefined where all differ much. */
export function* changesBetween<Set extends { readonly documents: readonly ToolDocument[] }>(
  sets: readonly Set[],
  documents: readonly ToolDocument[],
): SlicedWork<Changes<Set> | undefined> {
  const most = documents.length * MAX_CHANGED_SHARE;
  let least: Changes<Set> | undefined;
  for (const from of sets) {
    if (Math.abs(from.documents.length - documents.length) > most) continue;
    const changes = changesFrom(from, documents);
    if (sizeOf(changes) <= (least ? sizeOf(least) : most)) least = changes;
    yield;
  }
  return least;
}

function changesFrom<Set extends { readonly documents: readonly ToolDocument[] }>(
  from: Set,
  documents: readonly ToolDocument[],
): Changes<Set> {
  const before = new Map(from.documents.map((document) => [document.name, document]));
  const added: ToolDocument[] = [];
  for (const document of documents) {
    const old = before.get(document.name);
    if (old && (old === document || fingerprint(old) === fingerprint(document))) before.delete(document.name);
    else added.push(document);
  }
  return { from, added, removed: [...before.keys()] };
}

function sizeOf({ added, removed }: Changes<unknown>): number {
  return added.length + removed.length;
}
