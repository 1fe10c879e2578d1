export type { InspectorHandler } from './inspect/handler.ts';
export type { InspectorOptions } from './inspect/live-inspector.ts';
export type { Learning, LearningRequest } from './learning/learning.ts';
export type { SourceSet } from './source/source-set.ts';
export type { Funnel, FunnelCounter } from './workbench/usage.ts';

/** The wings of the processor, whose code is loaded on first use. The other wings are entries of the package. */
export const wings = {
  /** `mode: 'native'`. */
  native: (): Promise<typeof import('./native/mode.ts')> => import('./native/mode.ts'),
  /** The option `tools`, if it is a `ToolSource`. */
  source: (): Promise<typeof import('./source/source-set.ts')> => import('./source/source-set.ts'),
  /** The option `learning`. */
  learning: (): Promise<typeof import('./learning/learning.ts')> => import('./learning/learning.ts'),
  /** The option `search.embedder`. */
  semantic: (): Promise<typeof import('./semantic/words-and-model.ts')> => import('./semantic/words-and-model.ts'),
  /** `processor.inspector()`. */
  inspector: (): Promise<typeof import('./inspect/live-inspector.ts')> => import('./inspect/live-inspector.ts'),
  /** `processor.stats()`. */
  usage: (): Promise<typeof import('./workbench/usage.ts')> => import('./workbench/usage.ts'),
} as const;
