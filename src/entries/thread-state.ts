export { type MastraWithStorage, type ThreadStateStoreOptions, threadStateStore } from '../stores/thread-state.ts';
