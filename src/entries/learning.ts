/**
 * Stores for what is learned from use, besides Redis; and functions that read uses from a log.
 *
 * @module mastra-tool-search/learning
 */

export {
  type FillOptions,
  fillLearningStore,
  keywordsOfUses,
  type LoggedUse,
  type LoggedUses,
  scorerWithUses,
  usesInLog,
} from '../learning/from-log.ts';
export { type FileLearningStoreOptions, fileLearningStore } from '../learning/stores/file-learning.ts';
export { type MemoryLearningStoreOptions, memoryLearningStore } from '../learning/stores/memory-learning.ts';
