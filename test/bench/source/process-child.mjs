// Holds tools and their index in memory, and searches them: what that takes. Plain JavaScript over the build.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { bm25Scorer } from 'mastra-tool-search';

process.once('message', async ({ file, warmUp, queries }) => {
  const tools = [];
  const documents = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { tool, document } = JSON.parse(line);
    tools.push(tool);
    documents.push(document);
  }
  const start = performance.now();
  const index = await bm25Scorer().index(documents);
  const build = performance.now() - start;
  for (const query of warmUp) await index.search(query);
  const before = process.cpuUsage();
  const alone = [];
  for (const query of queries) {
    const begun = performance.now();
    await index.search(query);
    alone.push(performance.now() - begun);
  }
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / 1_000 / queries.length;
  const megabytes = process.memoryUsage().rss / 1_048_576;
  process.send({ build, alone, cpu, megabytes, tools: tools.length }, () => process.disconnect());
});
