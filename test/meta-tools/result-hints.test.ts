import type { SearchToolsResult, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { Session } from './session.ts';

const answerTo = (query: string, options: ToolSearchProcessorOptions): Promise<SearchToolsResult> =>
  new Session(options).search({ query });

it('results say what MCP tools tell of their effects, as far as that is true and can be read', async () => {
  const annotated = (name: string, annotations: unknown) =>
    tool(name, `Handles one issue: ${name}.`, { mcp: { annotations } });
  const hostile = Object.defineProperty({}, 'readOnlyHint', {
    get: () => {
      throw new Error('no');
    },
  });
  const tools = toolRecord(
    annotated('get_issue', { readOnlyHint: true, destructiveHint: true, title: 'Read' }),
    annotated('delete_issue', { readOnlyHint: false, destructiveHint: true }),
    annotated('close_issue', { readOnlyHint: 'yes', destructiveHint: false }),
    annotated('open_issue', hostile),
    tool('list_issue', 'Lists the issue.'),
  );
  const { results } = await answerTo('issue', { tools });
  const hints = results.map(({ name, readOnlyHint, destructiveHint }) => [name, readOnlyHint, destructiveHint]);
  expect(hints.sort()).toEqual([
    ['close_issue', undefined, undefined],
    ['delete_issue', undefined, true],
    ['get_issue', true, undefined],
    ['list_issue', undefined, undefined],
    ['open_issue', undefined, undefined],
  ]);
});

const tools = toolRecord(tool('get_weather', 'The weather of a city.'));

it('search.pending names the servers whose tools are not there yet, whatever was found', async () => {
  const pending = () => ['github', 'sl<ack>\u0000'];
  for (const query of ['weather', 'open an issue']) {
    const answer = await answerTo(query, { tools, search: { pending } });
    expect(answer.results).toHaveLength(query === 'weather' ? 1 : 0);
    expect(answer.pending?.[0]).toBe('github');
    expect(answer.pending?.[1]).not.toContain('\u0000');
    expect(answer.message).toContain('Still connecting: github');
  }
  const answer = await answerTo('weather', { tools, search: { pending: () => [] } });
  expect(answer).not.toHaveProperty('pending');
  expect(answer.message).not.toContain('Still connecting');
});

it.each<[how: string, pending: unknown]>([
  ['throws', () => JSON.parse('{')],
  ['returns no list', () => 'github'],
  ['returns a promise', () => Promise.reject(new Error('down'))],
])('search.pending costs no search its results where it %s, and is reported once', async (_, pending) => {
  const session = new Session({ tools, search: { pending: pending as never } });
  const answer = await session.search({ query: 'weather' });
  expect(answer.results).toHaveLength(1);
  expect(answer).not.toHaveProperty('pending');
  expect(session.eventsOf('option-doubt')).toMatchObject([{ option: 'search.pending' }]);
});
