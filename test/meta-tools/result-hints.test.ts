import type { SearchToolsResult, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import { Session } from './session.ts';

const answerTo = (query: string, options: ToolSearchProcessorOptions): Promise<SearchToolsResult> =>
  new Session(options).search({ query });

const withAnnotations = (name: string, annotations: unknown) =>
  tool(name, `Handles one issue: ${name}.`, { mcp: { annotations } });

describe('results of a search', () => {
  it('say what MCP tools tell of their effects, as far as that is true', async () => {
    const tools = toolRecord(
      withAnnotations('get_issue', { readOnlyHint: true, destructiveHint: true, title: 'Read' }),
      withAnnotations('delete_issue', { readOnlyHint: false, destructiveHint: true }),
      withAnnotations('close_issue', { readOnlyHint: 'yes', destructiveHint: false }),
      tool('list_issue', 'Lists the issue.'),
    );
    const { results } = await answerTo('issue', { tools });
    const hints = results.map(
      ({ name, readOnlyHint, destructiveHint }) => `${name} ${readOnlyHint} ${destructiveHint}`,
    );
    const [u, t] = [undefined, true];
    expect(hints.sort()).toEqual([
      `close_issue ${u} ${u}`,
      `delete_issue ${u} ${t}`,
      `get_issue ${t} ${u}`,
      `list_issue ${u} ${u}`,
    ]);
  });

  it('stand where reading the annotations throws', async () => {
    const hostile = withAnnotations('get_issue', {
      get readOnlyHint() {
        throw new Error('no');
      },
    });
    const { results } = await answerTo('issue', { tools: toolRecord(hostile) });
    expect(results.map(({ name }) => name)).toEqual(['get_issue']);
  });
});

describe('search.pending', () => {
  const tools = toolRecord(tool('get_weather', 'The weather of a city.'));

  it('names the servers whose tools are not there yet, whatever was found', async () => {
    const pending = () => ['github', 'sl<ack>\u0000'];
    for (const [query, count] of [
      ['weather', 1],
      ['open an issue', 0],
    ] as const) {
      const answer = await answerTo(query, { tools, search: { pending } });
      expect(answer.results).toHaveLength(count);
      expect(answer.pending?.[0]).toBe('github');
      expect(answer.pending?.[1]).not.toContain('\u0000');
      expect(answer.message).toContain('Still connecting: github');
    }
  });

  it('says nothing where all are there', async () => {
    const answer = await answerTo('weather', { tools, search: { pending: () => [] } });
    expect(answer).not.toHaveProperty('pending');
    expect(answer.message).not.toContain('Still connecting');
  });

  it.each<[how: string, pending: () => never]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['returns no list', (() => 'github') as never],
    ['returns a promise', (() => Promise.reject(new Error('down'))) as never],
  ])('costs no search its results where it %s, and is reported once', async (_, pending) => {
    const session = new Session({ tools, search: { pending } });
    const answer = await session.search({ query: 'weather' });
    expect(answer.results).toHaveLength(1);
    expect(answer).not.toHaveProperty('pending');
    expect(session.eventsOf('option-doubt')).toMatchObject([{ option: 'search.pending' }]);
  });
});
