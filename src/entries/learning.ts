/**
 * Places for what is learned from use, besides Redis.
 *
 * @module mastra-tool-search/learning
 */

export { type FileLearningStoreOptions, fileLearningStore } from '../learning/stores/file-learning.ts';
export { type MemoryLearningStoreOptions, memoryLearningStore } from '../learning/stores/memory-learning.ts';
