import { RequestContext } from '@mastra/core/request-context';
import {
  bm25Scorer,
  type MastraTool,
  type ToolScorer,
  type ToolSearchFilter,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it, vi } from 'vitest';
import { memorySource } from '../../support/memory-source.ts';
import { ASKS_FOR_EMAIL, ASKS_FOR_WEATHER, CHATS, MODES, office, officeWith } from './office.ts';

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A search has so little time that the building of these indexes would never fit, but enough on a busy machine. */
const BUILD = 2_500;
const SEARCH = { preselect: 2_000, index: 60_000 };

/** The default scorer, whose index takes its time. */
function slowToBuild(): { readonly scorer: ToolScorer; readonly built: string[][] } {
  const inner = bm25Scorer();
  const built: string[][] = [];
  const scorer: ToolScorer = {
    name: 'slow',
    index: async (documents) => {
      built.push(documents.map(({ name }) => name));
      await after(BUILD);
      return inner.index(documents);
    },
  };
  return { scorer, built };
}

/** Tools of one run each, new objects that are equal. */
const ofRun = () => office();

describe.concurrent.each(MODES)('an index that takes longer to build than a search may take, in %s', (mode) => {
  it.each([
    { what: 'a record', tools: office() },
    { what: 'a function', tools: async () => ofRun() },
  ])('is waited for, so that the first run begins with the tool: tools as $what', async ({ tools }) => {
    const { scorer, built } = slowToBuild();
    const { say, decisions } = officeWith({ tools, search: { scorer }, timeouts: SEARCH });
    expect(await say(ASKS_FOR_WEATHER, {}, mode)).toEqual([['get_weather']]);
    expect(await say(ASKS_FOR_EMAIL, {}, mode)).toEqual([['send_email']]);
    expect(decisions()).toEqual([{ tools: ['get_weather'] }, { tools: ['send_email'] }]);
    expect(built).toHaveLength(1);
  });
});

const waited: readonly { what: string; options: Partial<ToolSearchProcessorOptions> }[] = [
  { what: 'an async filter', options: { filter: async ({ toolName }) => toolName !== 'translate_document' } },
  { what: 'the tools of the agent', options: { tools: {}, includeResolvedTools: true } },
  { what: 'call mode', options: { mode: 'call' } },
];

describe.concurrent('the time of a search does not count the building of the index', () => {
  it.each(waited)('with $what', async ({ what, options }) => {
    const { scorer } = slowToBuild();
    const agent = what.includes('agent') ? { agent: { tools: office() } } : {};
    const { say, decisions } = officeWith(
      { tools: async () => ofRun(), search: { scorer }, timeouts: SEARCH, ...options },
      [],
      agent,
    );
    await say(ASKS_FOR_WEATHER);
    expect(decisions()).toEqual([{ tools: ['get_weather'] }]);
  });

  it('with a hybrid whose part by meaning embeds the catalog first', async () => {
    const vectorOf = (text: string): number[] => (text.includes('weather') ? [1, 0] : [0, 1]);
    const embed = async (texts: string[]): Promise<number[][]> => {
      if (texts.length > 1) await after(BUILD);
      return texts.map(vectorOf);
    };
    const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed })]);
    const { say, decisions } = officeWith({ tools: async () => ofRun(), search: { scorer }, timeouts: SEARCH });
    await say(ASKS_FOR_WEATHER);
    expect(decisions()).toMatchObject([{ tools: ['get_weather'] }]);
  });

  it('with other tools for each user, and one index for users whose tools are equal', async () => {
    const { scorer, built } = slowToBuild();
    const tools = ({ requestContext }: { requestContext?: RequestContext }): Record<string, MastraTool> => {
      const { get_weather: weather, ...others } = ofRun();
      return requestContext?.get('user') === 'eve' ? others : { get_weather: weather!, ...others };
    };
    const { say, decisions } = officeWith({ tools, search: { scorer }, timeouts: SEARCH });
    for (const user of ['ada', 'eve', 'bob', 'eve'])
      await say(ASKS_FOR_WEATHER, { requestContext: new RequestContext([['user', user]]) });
    expect(decisions()).toMatchObject([
      { tools: ['get_weather'] },
      { tools: [] },
      { tools: ['get_weather'] },
      { tools: [] },
    ]);
    // That of a user whose tools differ a little is an update of it.
    expect(built).toHaveLength(1);
  });

  it('begins to build before the first step of the run', async () => {
    const { scorer, built } = slowToBuild();
    const { agent, processor } = officeWith({ tools: async () => ofRun(), search: { scorer }, timeouts: SEARCH });
    const handed = await processor.getLoadedToolsForRequestContext({
      requestContext: new RequestContext(),
      tools: {},
    });
    await expect.poll(() => built.length).toBe(1);
    expect(Object.keys(handed)).toHaveLength(5);
    await agent.generate(ASKS_FOR_WEATHER);
    expect(built).toHaveLength(1);
  });

  it('and a message without words waits for no index', async () => {
    const never: ToolScorer = { name: 'never', index: () => new Promise(() => {}) };
    const { say, decisions } = officeWith({ search: { scorer: never }, timeouts: { index: 100_000 } });
    await say(CHATS);
    expect(decisions()).toEqual([{ tools: [], reason: 'no-text' }]);
  });

  it('and a source has no index to wait for', async () => {
    const source = await memorySource(office());
    const { say, decisions } = officeWith({ tools: source, timeouts: SEARCH });
    await say(ASKS_FOR_WEATHER);
    expect(decisions()).toEqual([{ tools: ['get_weather'] }]);
  });

  it('and a run that is aborted waits no longer', async () => {
    const never: ToolScorer = { name: 'never', index: () => new Promise(() => {}) };
    const { agent, model } = officeWith({ search: { scorer: never }, timeouts: { index: 100_000 } });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    await agent.generate(ASKS_FOR_WEATHER, { abortSignal: abort.signal }).catch(() => {});
    expect(model.calls).toEqual([]);
  });
});

it('a filter that takes its time counts as a part of the search', async () => {
  const filter: ToolSearchFilter = async () => after(300).then(() => true);
  const { say, decisions } = officeWith({ filter, timeouts: { preselect: 100 } });
  await say(ASKS_FOR_WEATHER);
  expect(decisions()).toEqual([{ tools: [], reason: 'timeout' }]);
});

it('an index that fails is built once for a run, and tried again by the next', async () => {
  const index = vi.fn(async () => Promise.reject(new Error('no index')));
  const { say, decisions, events } = officeWith({ search: { scorer: { name: 'broken', index } } });
  await say(ASKS_FOR_WEATHER);
  expect(decisions()).toEqual([{ tools: [], reason: 'failed' }]);
  expect(events.filter(({ type }) => type === 'scorer-failed')).toHaveLength(1);
  const before = index.mock.calls.length;
  await say(ASKS_FOR_WEATHER);
  expect(index.mock.calls.length).toBe(before + 1);
});
