/**
 * Loaded tools in the storage that the Mastra instance already has.
 *
 * @module mastra-tool-search/thread-state
 */

export {
  type MastraWithStorage,
  type ThreadStateStoreOptions,
  threadStateStore,
} from '../loaded/stores/thread-state.ts';
