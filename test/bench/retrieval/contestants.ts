import { miniSearchScorer } from '../../../src/entries/minisearch.ts';
import { hybridScorer } from '../../../src/entries/semantic.ts';
import { bm25Scorer, tieredScorer } from '../../../src/index.ts';
import type { Contestant } from './contestant.ts';
import { npmModelScorer } from './npm-model.ts';
import { ofScorer } from './of-scorer.ts';
import { ourProcessor } from './our-processor.ts';
import { aiSdk } from './peers/ai-sdk.ts';
import { einoTiers } from './peers/eino-tiers.ts';
import { haystackBm25l } from './peers/haystack-bm25l.ts';
import { mastraCore } from './peers/mastra-core.ts';
import { minisearchDefaults } from './peers/minisearch-defaults.ts';

/** All others are compared to this one. */
export const BASELINE: Contestant = mastraCore;

/** What is measured unless a run names others. A scorer is added by one line: `ofScorer(myScorer())`, or `ofScorer(myScorer(options), 'a-name-of-its-own')`. */
export const CONTESTANTS: readonly Contestant[] = [
  BASELINE,
  einoTiers,
  haystackBm25l,
  aiSdk,
  minisearchDefaults,
  ofScorer(bm25Scorer()),
  ofScorer(tieredScorer()),
  ofScorer(miniSearchScorer(), 'miniSearchScorer'),
  ourProcessor,
];

/** Measured only when they are named: embedding takes some 20 ms for each tool, once, and for each query. */
export const ON_REQUEST: readonly Contestant[] = [
  ofScorer(npmModelScorer()),
  ofScorer(hybridScorer([bm25Scorer(), npmModelScorer()])),
];
