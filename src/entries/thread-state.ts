/**
 * Loaded tools, and pins, in the storage that the Mastra instance already has.
 *
 * @module mastra-tool-search/thread-state
 */

export {
  type MastraWithStorage,
  type ThreadStateStoreOptions,
  threadStateStore,
} from '../stores/thread-state.ts';
export { threadStatePinStore } from '../stores/thread-state-pins.ts';
