import type { ToolDocument } from '../catalog/document.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import { fingerprint } from './fingerprint.ts';

/** When more than this share of the documents is new or gone, nothing is gained by looking at what is the same. */
const MAX_CHANGED_SHARE = 0.25;

/** What has to be done to one set of documents to make it another. */
export interface Changes<Set> {
  readonly from: Set;
  readonly added: readonly ToolDocument[];
  /** Names, those of documents that have changed included. */
  readonly removed: readonly string[];
}

/** The changes from that one of the sets which differs least; undefined where all differ much. */
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
    const known = before.get(document.name);
    if (known && (known === document || fingerprint(known) === fingerprint(document))) before.delete(document.name);
    else added.push(document);
  }
  return { from, added, removed: [...before.keys()] };
}

function sizeOf({ added, removed }: Changes<unknown>): number {
  return added.length + removed.length;
}
