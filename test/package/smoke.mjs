// Imports the built package under its own name, as ESM and as CommonJS, and compares what they export.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as imported from 'mastra-tool-search';

const require = createRequire(import.meta.url);
const required = require('mastra-tool-search');
const names = Object.keys(imported).sort();

assert.ok(names.includes('ToolSearchProcessor'));
assert.deepEqual(Object.keys(required).sort(), names);
for (const { ToolSearchProcessor } of [imported, required]) {
  const processor = new ToolSearchProcessor({ tools: {} });
  const { tools } = await processor.processInputStep({ tools: {}, messages: [], messageList: messageList() });
  assert.deepEqual(Object.keys(tools), ['search_tools', 'load_tool']);
}
assert.equal(require('mastra-tool-search/package.json').name, 'mastra-tool-search');
console.log(`smoke: ESM and CommonJS both export ${names.join(', ')}`);

function messageList() {
  return { addSystem() {}, clearSystemMessages() {} };
}
