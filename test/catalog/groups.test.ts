import type { MastraTool, SearchToolsResult } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { ofServer, servers } from '../meta-tools/servers.ts';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord, weather } from '../support/harness.ts';

describe('the group of a search result', () => {
  const groupsIn = ({ results }: SearchToolsResult) => Object.fromEntries(results.map((r) => [r.name, r.group]));

  it('is the MCP server, where the catalog has several', async () => {
    const result = await new Session({ tools: servers() }).search({ query: ['create issue', 'list rooms', 'weather'] });
    expect(groupsIn(result)).toMatchObject({
      github_create_issue: 'github',
      list_rooms: 'Team Chat',
      get_weather: undefined,
    });
    expect(result.results.find(({ name }) => name === 'get_weather')).not.toHaveProperty('group');
  });

  it.each([
    { why: 'there is one group', tools: toolRecord(...ofServer('github', 'list_a', 'list_b'), tool('list_c')) },
    { why: 'there is none', tools: toolRecord(tool('list_a'), tool('list_b')) },
    { why: 'server names are no texts', tools: toolRecord(...ofServer(1, 'list_a'), ...ofServer(null, 'list_b')) },
    { why: 'they are empty', tools: toolRecord(...ofServer('', 'list_a'), ...ofServer('x', 'list_b')) },
  ])('is left out where $why', async ({ tools }) => {
    const result = await new Session({ tools }).search({ query: 'list' });
    expect(result.results.length).toBeGreaterThan(1);
    for (const shown of result.results) expect(shown).not.toHaveProperty('group');
  });

  it('is also shown for a select:', async () => {
    const result = await new Session({ tools: servers() }).search({ query: 'select:github_merge,post_message' });
    expect(groupsIn(result)).toEqual({ github_merge: 'github', post_message: 'Team Chat' });
  });

  it('is shown as one line of bounded length', async () => {
    const tools = toolRecord(
      ...ofServer(`a\n</tools>\u202e${'x'.repeat(10_000)}`, 'list_a'),
      ...ofServer('b', 'list_b'),
    );
    const { list_a = '' } = groupsIn(await new Session({ tools }).search({ query: 'list' }));
    expect(list_a).toMatch(/^a <\/tools>x+\.\.\.$/);
    expect(list_a.length).toBeLessThanOrEqual(80);
  });
});

describe('the option groups', () => {
  const bySuffix = (subject: MastraTool): string | undefined => /_([a-z]+)$/.exec(subject.id)?.[1];

  it('replaces MCP servers as the groups', async () => {
    const session = new Session({ tools: servers(), groups: bySuffix });
    expect(await session.load({ toolName: 'merge_*' })).toMatchObject({ loaded: ['github_merge'] });
    expect((await session.search({ query: 'message' })).results[0]).toMatchObject({ group: 'message' });
  });

  it('is called once for a tool', async () => {
    const groups = vi.fn(bySuffix);
    const session = new Session({ tools: servers(), groups });
    for (let n = 0; n < 3; n++) await session.load({ toolName: 'rooms*' });
    expect(groups).toHaveBeenCalledTimes(5);
  });

  it.each([
    {
      why: 'throws',
      groups: () => {
        throw new Error('no');
      },
    },
    { why: 'returns a number', groups: () => 5 },
    { why: 'returns null', groups: () => null },
    { why: 'returns an empty text', groups: () => '' },
    { why: 'returns an object', groups: () => ({ toString: () => 'x' }) },
    { why: 'returns a promise', groups: async () => 'x' },
  ])('gives a tool no group when the function $why', async ({ groups }) => {
    const session = new Session({ tools: servers(), groups: groups as never });
    expect(await session.load({ toolName: 'x*' })).toMatchObject({ success: false, notFound: ['x*'] });
    expect(await session.load({ toolName: 'github_*' })).toMatchObject({ success: true, loadedCount: 2 });
    const { results } = await session.search({ query: 'issue' });
    expect(results[0]).not.toHaveProperty('group');
  });

  it('leaves no rejection of an async function unhandled', async () => {
    const promise = Promise.resolve('x');
    const handle = vi.spyOn(promise, 'catch');
    await new Session({ tools: toolRecord(weather()), groups: (() => promise) as never }).load({ toolName: 'x*' });
    expect(handle).toHaveBeenCalled();
  });

  it('may say what can be said of all its tools, which finds them', async () => {
    const about = { github: 'Bugs of our product.', chat: '' };
    const name = ({ id }: MastraTool): keyof typeof about => (id.startsWith('github') ? 'github' : 'chat');
    const groups = (subject: MastraTool) => ({ name: name(subject), description: about[name(subject)] });
    const session = new Session({ tools: servers(), groups });
    const { results } = await session.search({ query: 'bugs of the product' });
    expect(results.map(({ name, group }) => [name, group])).toEqual([
      ['github_create_issue', 'github'],
      ['github_merge', 'github'],
    ]);
    expect(await session.load({ toolName: 'chat_*' })).toMatchObject({ loadedCount: 3 });
    expect(JSON.stringify(results)).not.toContain('our product');
  });

  it('names tools for searches as well, beside their MCP server', async () => {
    const session = new Session({ tools: servers(), groups: () => 'wombats' });
    const found = await session.search({ query: 'wombats' });
    // A tool of a server has that name, and no other.
    expect(found.results.map(({ name }) => name)).toEqual(['get_weather']);
  });

  it('may return a very long name, of which the first hundred characters count', async () => {
    const long = 'g'.repeat(5_000);
    const session = new Session({ tools: servers(), groups: () => long });
    expect(await session.load({ toolName: `${'g'.repeat(100)}*` })).toMatchObject({ loadedCount: 5 });
  });
});

describe('a group with includeResolvedTools', () => {
  it("has the request's own tools as members, by their group or their record key", async () => {
    const [first, second] = ofServer('jira', 'a', 'b');
    const session = new Session({ includeResolvedTools: true, tools: servers() });
    const tools = { jira_find: first, search_tickets: second };
    const { tools: sent } = await session.step({ tools });
    const result = await sent['load_tool']?.execute?.({ toolName: 'jira_*' } as never, {} as never);
    expect(result).toMatchObject({ success: true, loaded: ['a', 'b'] });
    expect(await session.sent({ tools })).toEqual(['a', 'b']);
    const byKey = await sent['load_tool']?.execute?.({ toolName: 'search_t*' } as never, {} as never);
    expect(byKey).toMatchObject({ success: true, alreadyLoaded: ['b'] });

    const selected = await sent['search_tools']?.execute?.(
      { query: 'select:jira_find,search_tickets' } as never,
      {} as never,
    );
    expect(selected).toMatchObject({ results: [{ group: 'jira' }, { group: 'jira' }] });
  });

  it('never has the tools of another request as members', async () => {
    const processor = new Session({ includeResolvedTools: true, tools: servers() });
    const tools = toolRecord(...ofServer('jira', 'jira_find'));
    await processor.step({ tools });
    const other = new Session({}, { processor: processor.processor, thread: 'other' });
    expect(await other.load({ toolName: 'jira_*' })).toMatchObject({ success: false });
  });
});
