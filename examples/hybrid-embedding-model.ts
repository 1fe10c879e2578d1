// Words and meaning with an embedding model of a provider, by the name that Mastra's router knows, and a file that keeps
// the vectors over restarts. Without OPENAI_API_KEY a scripted model of the AI SDK stands in.
// Run it with: npm run example:hybrid-embedding-model
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from '@mastra/core/agent';
import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
import { MockEmbeddingModelV4 } from 'ai/test';
import { bm25Scorer, ToolSearchProcessor } from 'mastra-tool-search';
import { hybridScorer, semanticScorer, type VectorCache } from 'mastra-tool-search/semantic';
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

/** One JSON file. A table, Redis or any key-value store will do as well: a key never changes its vector. */
function fileCache(file: string): VectorCache {
  const read = (): Record<string, number[]> => {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      return {};
    }
  };
  return {
    get: (keys) => {
      const entries = read();
      return keys.map((key) => entries[key]);
    },
    set: (entries) => {
      const added = Object.fromEntries(entries.map(({ key, vector }) => [key, [...vector]]));
      writeFileSync(file, JSON.stringify({ ...read(), ...added }));
    },
  };
}

const file = path.join(mkdtempSync(path.join(tmpdir(), 'vectors-')), 'vectors.json');
for (const start of ['first', 'second']) {
  const before = embedded;
  const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed, cache: fileCache(file) })]);
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
