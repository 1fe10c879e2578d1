// Words and meaning with an embedding model of a provider, by the name that Mastra's router knows, and a file that keeps
// the vectors over restarts. Without OPENAI_API_KEY a scripted model of the AI SDK stands in.
// Run it with: npm run example:hybrid-embedding-model
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from '@mastra/core/agent';
import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
import { MockEmbeddingModelV4 } from 'ai/test';
import { bm25Scorer, ToolSearchProcessor } from 'mastra-tool-search';
import { fileVectorCache, hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { scriptedModel } from '../test/support/scripted-model.ts';
import { tools } from './support/office.ts';
import { taskScript } from './support/task-script.ts';

/** Knows a handful of ideas, and says how often a text touches each. */
const ideas = [
  /weather|umbrella|rain/gi,
  /email|mail|message/gi,
  /money|currency|invoice/gi,
  /event|calendar|meeting/gi,
];
let embedded = 0;
const scripted = new MockEmbeddingModelV4({
  provider: 'scripted',
  modelId: 'ideas',
  doEmbed: async ({ values }) => {
    embedded += values.length;
    return {
      embeddings: values.map((text) => [...ideas.map((idea) => text.match(idea)?.length ?? 0), 0.1]),
      warnings: [],
    };
  },
});
const hasKey = process.env['OPENAI_API_KEY'] !== undefined;
const embed = hasKey ? new ModelRouterEmbeddingModel('openai/text-embedding-3-small') : scripted;

const file = path.join(mkdtempSync(path.join(tmpdir(), 'vectors-')), 'vectors.txt');
for (const start of ['first', 'second']) {
  const before = embedded;
  const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed, cache: fileVectorCache(file) })]);
  const agent = new Agent({
    id: 'office',
    name: 'Office',
    instructions: 'You help in an office.',
    model: scriptedModel(taskScript([{ search: 'umbrella needed', values: { city: 'Bern' } }])),
    inputProcessors: [new ToolSearchProcessor({ tools, search: { scorer } })],
    defaultOptions: { maxSteps: 20 },
  });
  const { text } = await agent.generate('Do I need an umbrella in Bern?');
  console.log(`${start} start: ${text}${hasKey ? '' : ` (${embedded - before} texts embedded)`}`);
}
