import type { ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { fillerTools, tool, toolRecord } from '../support/agent.ts';
import { HeldFilter } from './permissions-setup.ts';

const reports = (count: number) =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`report_${n}`, 'Write a report.')));
const NOTE =
  'Not all tools could be checked in time. If what you need is missing, search once more, or with more specific words.';

// The first search, load and list of a process import their code, for which a clock that stands still does not wait.
beforeAll(async () => {
  const session = new Session({ tools: reports(1), injectCatalog: true });
  await session.search({ query: 'report' });
  await session.load({ toolName: 'report_0' });
});

describe('a slow filter', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const slow =
    (allowed: string): ToolSearchFilter =>
    ({ toolName }) =>
      new Promise((resolve) => setTimeout(resolve, 600, toolName === allowed));
  /** Never answers for one tool, in one phase. */
  const hanging =
    (name: string, hung: string): ToolSearchFilter =>
    ({ toolName, phase }) =>
      toolName === name && phase === hung ? new Promise(() => {}) : true;

  async function take<Result>(work: Promise<Result>): Promise<{ result: Result; took: number }> {
    const start = performance.now();
    const done = work.then((result) => ({ result, took: performance.now() - start }));
    await vi.advanceTimersByTimeAsync(60_000);
    return done;
  }
  async function search(query: string | string[], options: Partial<ToolSearchProcessorOptions> = {}) {
    const session = new Session({ tools: reports(500), filter: slow('report_1'), ...options });
    const { result, took } = await take(session.search({ query }));
    const names = result.results.map(({ name }) => name);
    return { answer: result, names, took, budgets: session.eventsOf('filter-budget'), session };
  }

  it('is told to the model, with one query or several, where nothing is found, and where the search loads', async () => {
    for (const query of ['report', ['report', 'qqqq']]) {
      const { answer, names, budgets } = await search(query);
      expect(names).toEqual(['report_1']);
      expect(answer.message.endsWith(` ${NOTE}`)).toBe(true);
      // Each query asks about its own best first.
      expect(budgets).toMatchObject([query].flat().map(() => ({ phase: 'search' })));
    }
    const message = `No tools found matching "report". Try different keywords. ${NOTE}`;
    expect((await search('report', { filter: slow('') })).answer).toEqual({ results: [], message });
    const { answer } = await search('report', { search: { autoLoad: true } });
    expect(answer.loaded).toEqual(['report_1']);
    expect(answer.message).toContain(`Call it now. ${NOTE}`);
  });

  it('is asked about all of few tools, and about any tool by name', async () => {
    const few = await search('report', { tools: reports(5) });
    expect(few.answer.message).not.toContain(NOTE);
    const name = await search('select:report_1');
    expect(name.answer.loaded).toEqual(['report_1']);
    expect([...few.budgets, ...name.budgets]).toEqual([]);
  });

  it.each([
    { query: 'report', phase: 'search', autoLoad: false },
    { query: ['report', 'write'], phase: 'search', autoLoad: false },
    { query: 'report', phase: 'load', autoLoad: true },
  ])('that never answers delays the search for $query by one second in phase $phase', async (of) => {
    const filter = hanging('report_0', of.phase);
    const { names, took, budgets, session } = await search(of.query, {
      ...{ tools: reports(3), filter, search: { autoLoad: of.autoLoad } },
    });
    expect([names, took]).toEqual([['report_1', 'report_2'], 1_000]);
    expect(budgets.length).toBeGreaterThan(0);
    for (const event of budgets) expect(event).toMatchObject({ phase: of.phase, left: 1 });
    expect(session.eventsOf('filter-failed')).toEqual([]);
  });

  it('that never answers delays a load by name by timeouts.filter, its suggestions by one second', async () => {
    const session = new Session({ tools: reports(3), filter: hanging('report_0', 'load') });
    expect((await take<unknown>(session.load({ toolName: 'report_0' }))).took).toBe(11_000);
    const error = new Error('it took longer than 10000 ms');
    expect(session.eventsOf('filter-failed')[0]).toMatchObject({ toolName: 'report_0', phase: 'load', error });
  });

  it('that never answers delays any search by one second in each phase, and a step that injects the catalog by one', async () => {
    for (const query of ['select:report_1', 'select:report_*', 'select:repotr_1', 'report']) {
      const { names, took } = await search(query, { tools: reports(30), filter: () => new Promise(() => {}) });
      expect(names).toEqual([]);
      expect(took).toBeLessThanOrEqual(2_000);
    }
    const session = new Session({ tools: fillerTools(3_000), filter: slow('filler_0'), injectCatalog: 'names' });
    expect((await take(session.step())).took).toBeLessThanOrEqual(2_000);
    const [text] = session.messageList.getAllSystemMessages().slice(-1);
    expect(text?.content).toMatch(/deferred-tools>\nfiller_0\n<.*\n\nThe list ends here. There may be more/);
  });

  it('is waited for as long as timeouts.filter says, then the tool counts as denied', async () => {
    const filter = hanging('report_0', 'search');
    const { names, session } = await search('report', { tools: reports(3), filter, timeouts: { filter: 5 } });
    expect(names).toEqual(['report_1', 'report_2']);
    const error = new Error('it took longer than 5 ms');
    expect(session.eventsOf('filter-failed')).toMatchObject([{ toolName: 'report_0', phase: 'search', error }]);
  });
});

it('an aborted call loads nothing, neither what the filter permitted before nor without a filter', async () => {
  const held = new HeldFilter();
  const filter: ToolSearchFilter = (args) => args.phase === 'search' || held.filter(args);
  const session = new Session({ tools: reports(2), filter, search: { autoLoad: true } });
  const { tools } = await session.step();
  const call = new AbortController();
  const context = { abortSignal: call.signal } as never;
  const result = tools['search_tools']?.execute?.({ query: 'report' } as never, context);
  await held.whenAsked(2);
  held.answer('report_0', true);
  await new Promise((resolve) => setImmediate(resolve));
  call.abort();
  await result;
  expect(session.events.filter(({ type }) => type.startsWith('filter'))).toEqual([]);
  const after = session.sent();
  held.answerAll(true);
  expect(await after).toEqual([]);
  const open = new Session({ tools: reports(1) });
  const { load_tool } = (await open.step()).tools;
  await load_tool?.execute?.({ toolName: 'report_0' } as never, context);
  expect(await open.sent()).toEqual([]);
});
