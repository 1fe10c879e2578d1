import type { MastraTool, SearchToolsResult } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { ofServer, servers } from '../meta-tools/servers.ts';
import { callIn, Session } from '../meta-tools/session.ts';
import { tool, toolRecord, weather } from '../support/agent.ts';

const groupsIn = ({ results }: SearchToolsResult) => Object.fromEntries(results.map((r) => [r.name, r.group]));

describe('the group of a search result', () => {
  it('is the MCP server, where the catalog has several, for a select: as well', async () => {
    const result = await new Session({ tools: servers() }).search({ query: ['create issue', 'list rooms', 'weather'] });
    const found = { github_create_issue: 'github', list_rooms: 'Team Chat', get_weather: undefined };
    expect(groupsIn(result)).toMatchObject(found);
    expect(result.results.find(({ name }) => name === 'get_weather')).not.toHaveProperty('group');
    const selected = await new Session({ tools: servers() }).search({ query: 'select:github_merge,post_message' });
    expect(groupsIn(selected)).toEqual({ github_merge: 'github', post_message: 'Team Chat' });
  });

  it.each([
    { why: 'there is one group', tools: toolRecord(...ofServer('github', 'list_a', 'list_b'), tool('list_c')) },
    { why: 'server names are no texts', tools: toolRecord(...ofServer(1, 'list_a'), ...ofServer(null, 'list_b')) },
    { why: 'they are empty', tools: toolRecord(...ofServer('', 'list_a'), ...ofServer('x', 'list_b')) },
  ])('is left out where $why', async ({ tools }) => {
    const { results } = await new Session({ tools }).search({ query: 'list' });
    expect(results.length).toBeGreaterThan(1);
    for (const shown of results) expect(shown).not.toHaveProperty('group');
  });
});

describe('the option groups', () => {
  const bySuffix = (subject: MastraTool): string | undefined => /_([a-z]+)$/.exec(subject.id)?.[1];

  it('replaces MCP servers as the groups, and is called once for a tool', async () => {
    const groups = vi.fn(bySuffix);
    const session = new Session({ tools: servers(), groups });
    expect(await session.load({ toolName: 'merge_*' })).toMatchObject({ loaded: ['github_merge'] });
    expect((await session.search({ query: 'message' })).results[0]).toMatchObject({ group: 'message' });
    for (let n = 0; n < 3; n++) await session.load({ toolName: 'rooms*' });
    expect(groups).toHaveBeenCalledTimes(5);
  });

  it.each([
    { why: 'throws', groups: () => JSON.parse('{') },
    { why: 'returns a number', groups: () => 5 },
    { why: 'returns null', groups: () => null },
    { why: 'returns an empty text', groups: () => '' },
    { why: 'returns an object', groups: () => ({ toString: () => 'x' }) },
    { why: 'returns a promise, which may reject', groups: () => Promise.reject(new Error('x')) },
  ])('gives a tool no group when the function $why', async ({ groups }) => {
    const session = new Session({ tools: servers(), groups: groups as never });
    expect(await session.load({ toolName: 'x*' })).toMatchObject({ success: false, notFound: ['x*'] });
    expect(await session.load({ toolName: 'github_*' })).toMatchObject({ success: true, loadedCount: 2 });
    expect((await session.search({ query: 'issue' })).results[0]).not.toHaveProperty('group');
  });

  it('may say what can be said of all its tools, which finds them', async () => {
    const about = { github: 'Bugs of our product.', chat: '' };
    const name = ({ id }: MastraTool): keyof typeof about => (id.startsWith('github') ? 'github' : 'chat');
    const groups = (subject: MastraTool) => ({ name: name(subject), description: about[name(subject)] });
    const session = new Session({ tools: servers(), groups });
    const found = await session.search({ query: 'bugs of the product' });
    expect(groupsIn(found)).toEqual({ github_create_issue: 'github', github_merge: 'github' });
    expect(await session.load({ toolName: 'chat_*' })).toMatchObject({ loadedCount: 3 });
    expect(JSON.stringify(found.results)).not.toContain('our product');
  });

  it('names tools for searches as well, beside their MCP server, by a hundred characters', async () => {
    const session = new Session({ tools: servers(), groups: () => 'wombats' });
    // A tool of a server has that name, and no other.
    expect(Object.keys(groupsIn(await session.search({ query: 'wombats' })))).toEqual(['get_weather']);
    const long = new Session({ tools: servers(), groups: () => 'g'.repeat(5_000) });
    expect(await long.load({ toolName: `${'g'.repeat(100)}*` })).toMatchObject({ loadedCount: 5 });
  });
});

it("a group has the request's own tools as members, by their group or their record key, and no other request's", async () => {
  const [first, second] = ofServer('jira', 'a', 'b');
  const session = new Session({ includeResolvedTools: true, tools: toolRecord(weather()) });
  const tools = { jira_find: first, search_tickets: second };
  const { tools: sent } = await session.step({ tools });
  const load = (toolName: string) => callIn(sent, 'load_tool', { toolName });
  expect(await load('jira_*')).toMatchObject({ success: true, loaded: ['a', 'b'] });
  expect(await session.sent({ tools })).toEqual(['a', 'b']);
  expect(await load('search_t*')).toMatchObject({ success: true, alreadyLoaded: ['b'] });
  const other = new Session({}, { processor: session.processor, thread: 'other' });
  expect(await other.load({ toolName: 'jira_*' })).toMatchObject({ success: false });
});
