// A process that prepares default steps, and searches: sends back the files of src of which a function ran in each.
import { Session } from 'node:inspector/promises';
import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor } from '../src/index.ts';
import { answerParent } from './support/new-process.ts';
import { tool, toolRecord } from './support/simple-tools.ts';

/** The files of which a function ran, by what ran. */
export interface FilesOfAStep {
  readonly step: readonly string[];
  readonly search: readonly string[];
}

const SRC = new URL('../src/', import.meta.url).href;
const session = new Session();

answerParent<string, FilesOfAStep>(async () => {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  const processor = new ToolSearchProcessor({ tools: toolRecord(tool('get_weather'), tool('send_email')) });
  const messageList = { addSystem() {}, clearSystemMessages() {}, get: { all: { db: () => [] } } };
  const stepArgs = {
    ...{ messages: [], messageList, requestContext: new RequestContext(), state: {}, tools: {} },
    ...{ model: { specificationVersion: 'v3', provider: 'p', modelId: 'm' }, systemMessages: [], steps: [] },
  } as never;
  const { tools } = await processor.processInputStep(stepArgs);
  await tools.search_tools.execute?.({ query: 'weather' }, {} as never);
  await ran();
  await processor.processInputStep(stepArgs);
  const step = await ran();
  await tools.search_tools.execute?.({ query: 'send an email' }, {} as never);
  const search = await ran();
  session.disconnect();
  return { step, search };
});

/** The files of which a function ran since the last call. */
async function ran(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url, functions }) => url.startsWith(SRC) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => url.slice(SRC.length))
    .sort();
}
