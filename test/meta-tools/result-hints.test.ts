import { type SearchToolsResult, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { AgentRequest } from '../bench/agent-request.ts';
import { tool, toolRecord } from '../support/harness.ts';

type Options = ConstructorParameters<typeof ToolSearchProcessor>[0];

/** The answer to one search of a model. */
async function answerTo(query: string, options: Options, events: ToolSearchEvent[] = []): Promise<SearchToolsResult> {
  const processor = new ToolSearchProcessor({ onEvent: (event) => events.push(event), ...options });
  const tools = await new AgentRequest(processor).step();
  return (await tools['search_tools']?.execute?.({ query }, {} as never)) as SearchToolsResult;
}

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
    const hints = results.map(({ name, readOnlyHint, destructiveHint }) => [name, readOnlyHint, destructiveHint]);
    expect(new Set(hints)).toEqual(
      new Set([
        ['get_issue', true, undefined],
        ['delete_issue', undefined, true],
        ['close_issue', undefined, undefined],
        ['list_issue', undefined, undefined],
      ]),
    );
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
    const events: ToolSearchEvent[] = [];
    const answer = await answerTo('weather', { tools, search: { pending } }, events);
    expect(answer.results).toHaveLength(1);
    expect(answer).not.toHaveProperty('pending');
    const doubts = events.filter(({ type }) => type === 'option-doubt');
    expect(doubts).toMatchObject([{ option: 'search.pending' }]);
  });
});
