import type { ToolDocument } from '../../catalog/document.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import { inSlices, runToEnd, type SlicedWork } from '../../util/time-slices.ts';
import type { IncrementalIndex } from '../incremental-index.ts';
import { consoleContext, type ScorerContext } from '../scorer.ts';
import { builtInSynonyms } from '../words/thesaurus/built-in.ts';
import type { SynonymGroup } from '../words/thesaurus/synonym-group.ts';
import { keyedGroups, Synonyms } from '../words/thesaurus/synonyms.ts';
import { Bm25Index, sharedBy } from './bm25-index.ts';
import { pack, unpack } from './packed.ts';
import { savedIndex } from './saved.ts';
import { keyOf } from './saved-key.ts';
import type { Bm25Settings } from './settings.ts';
import { TermIndex } from './term-index.ts';
import type { Shared } from './word-matcher.ts';

/** Builds the indexes of one scorer. */
export type Indexer = (documents: readonly ToolDocument[], context?: ScorerContext) => MaybePromise<IncrementalIndex>;

/**
 * @param groups - synonyms; without them, those of the built-in vocabulary.
 * @param saved - an index as it was saved.
 */
export function createIndexer(settings: Bm25Settings, groups?: readonly SynonymGroup[], saved?: Uint8Array): Indexer {
  const synonyms = groups ? new Synonyms(keyedGroups(groups)) : builtInSynonyms();
  const shared = sharedBy(settings, synonyms);
  const build = (documents: readonly ToolDocument[]): MaybePromise<SavableIndex> =>
    inSlices(SavableIndex.build(documents, shared));
  const load = (bytes: unknown, documents: readonly ToolDocument[], key: string): SavableIndex =>
    new SavableIndex(TermIndex.unpack(documents, unpack(bytes, key), settings.fields), shared);
  return (documents, context = consoleContext) =>
    saved || context.indexCache ? savedIndex(documents, context, saved, { load, build }) : build(documents);
}

/** An index of all documents that a scorer was given. Its updates and parts cannot be saved. */
class SavableIndex extends Bm25Index {
  static override *build(documents: readonly ToolDocument[], shared: Shared): SlicedWork<SavableIndex> {
    return new SavableIndex(yield* TermIndex.build(documents, shared.settings.fields), shared);
  }

  save(): Uint8Array | undefined {
    const packed = this.terms.packed();
    return packed && pack(runToEnd(keyOf(this.terms.documents)), packed);
  }
}
