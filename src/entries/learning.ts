/**
 * Places for what is learned from use, besides Redis.
 *
 * @module mastra-tool-search/learning
 */

export { type FileLearningStoreOptions, fileLearningStore } from '../stores/file-learning.ts';
export { type MemoryLearningStoreOptions, memoryLearningStore } from '../stores/memory-learning.ts';
