import type { LoadToolResult, MastraTool, ToolScorer, ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';
import { ofServer, servers } from './servers.ts';
import { Session } from './session.ts';

const numbered = (count: number): Record<string, MastraTool> =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`t${n}`)));
const denying =
  (denied: string, ...names: string[]): ToolSearchFilter =>
  ({ phase, toolName }) =>
    phase !== denied || !names.includes(toolName);

/** Finds all tools, in their order. */
const everything = (): ToolScorer => ({
  name: 'everything',
  index: (documents) => ({ search: () => documents.map(({ name }) => ({ name, score: 1 })) }),
});

describe('a pattern, a name with a star at its end,', () => {
  const chat = ['post_message', 'list_rooms'];
  const github = ['github_create_issue', 'github_merge'];
  it.each([
    { pattern: 'github_*', names: github, why: 'the beginning of names' },
    { pattern: 'github*', names: github, why: 'with or without the separator' },
    { pattern: 'github_c*', names: ['github_create_issue'], why: 'any beginning' },
    { pattern: 'github_merge*', names: ['github_merge'], why: 'a whole name' },
    { pattern: 'Team Chat*', names: chat, why: 'a group that no name begins with' },
    { pattern: 'team chat_*', names: chat, why: 'a group in other letters, with a separator' },
    { pattern: 'TEAM CHAT__*', names: chat, why: 'more separators' },
  ])('loads $names for $pattern: $why', async ({ pattern, names }) => {
    const message = `Loaded: ${names.join(', ')} — call ${names.length > 1 ? 'them' : 'it'} now`;
    const whole: LoadToolResult = { success: true, message, loadedCount: names.length, loaded: names };
    for (const input of [{ toolNames: [pattern] }, { toolName: pattern }]) {
      const session = new Session({ tools: servers() });
      expect(await session.load(input)).toEqual(whole);
      expect(await session.sent()).toEqual(names);
    }
    const session = new Session({ tools: servers() });
    const selected = await session.search({ query: `select:${pattern}` });
    expect(selected.results.map(({ name }) => name)).toEqual(names);
    expect(selected.loaded).toEqual(names);
    expect(await session.sent()).toEqual(names);
  });

  it.each([
    { pattern: '*', why: 'everything is not meant' },
    { pattern: '**', why: 'nor is it so' },
    { pattern: '_*', why: 'a separator is no name' },
    { pattern: '*_issue', why: 'a star at the beginning' },
    { pattern: 'git*_issue', why: 'a star in the middle' },
    { pattern: 'github', why: 'a group without a star' },
    { pattern: 'Team Chat', why: 'a group without a star' },
    { pattern: 'GITHUB_C*', why: 'names have one spelling' },
    { pattern: 'constructor*', why: 'names of objects are just unknown' },
    { pattern: '__proto__*', why: 'names of objects are just unknown' },
  ])('loads nothing for $pattern: $why', async ({ pattern }) => {
    const session = new Session({ tools: servers() });
    const result = await session.load({ toolNames: [pattern] });
    expect(result).toMatchObject({ success: false, loadedCount: 0, notFound: [pattern] });
    expect(await session.sent()).toEqual([]);
  });

  it('is not found when nothing matches, and names what may be meant', async () => {
    const session = new Session({ tools: servers() });
    expect(await session.load({ toolNames: ['github_create_isue*'] })).toMatchObject({
      success: false,
      message: expect.stringMatching(/^Not found: github_create_isue\* \(did you mean github_create_issue/),
    });
    expect((await session.search({ query: 'select:gitlab_*' })).message).toMatch(/^Not found: gitlab_\*/);
  });

  it('may stand in a list beside names', async () => {
    const session = new Session({ tools: servers() });
    const result = await session.load({ toolNames: ['get_weather', 'github_*', 'nope', 'github_merge'] });
    expect(result).toMatchObject({
      success: false,
      loaded: ['get_weather', 'github_create_issue', 'github_merge'],
      notFound: ['nope'],
    });
    expect(session.eventsOf('load')).toEqual([
      {
        type: 'load',
        loaded: ['get_weather', 'github_create_issue', 'github_merge'],
        alreadyLoaded: [],
        notFound: ['nope'],
      },
    ]);
  });

  it('loads the rest of a group of which a part is loaded', async () => {
    const session = new Session({ tools: servers() });
    await session.load({ toolName: 'github_merge' });
    expect(await session.load({ toolName: 'github_*' })).toMatchObject({
      success: true,
      loaded: ['github_create_issue'],
      alreadyLoaded: ['github_merge'],
    });
    expect(await session.load({ toolName: 'github_*' })).toMatchObject({
      success: true,
      loadedCount: 0,
      alreadyLoaded: ['github_create_issue', 'github_merge'],
    });
  });

  it('means one tool alone where it is the id of that tool', async () => {
    const session = new Session({ tools: { ...servers(), star: tool('github_*'), other: tool('github_all') } });
    expect(await session.load({ toolNames: ['github_*'] })).toMatchObject({ loaded: ['github__'] });
    expect(await session.sent()).toEqual(['github__']);
  });

  it.each(['in-memory', 'context'] as const)('loads in a real agent, for the next turn too (%s)', async (storage) => {
    const { agent, model } = rig(
      { tools: servers(), storage },
      { script: calls(call('load_tool', { toolName: 'github_*' }), call('github_merge')) },
    );
    await agent.generate('go');
    expect(model.calls.map((received) => toolNames(received).slice(2))).toEqual([
      [],
      ['github_create_issue', 'github_merge'],
      ['github_create_issue', 'github_merge'],
    ]);
  });
});

describe('the filter, asked about a pattern,', () => {
  it.each(['search', 'load'])('leaves forbidden members out of a select: without a word (%s phase)', async (phase) => {
    const session = new Session({ tools: servers(), filter: denying(phase, 'github_merge') });
    const result = await session.search({ query: 'select:github_*' });
    expect(result.loaded).toEqual(['github_create_issue']);
    expect(JSON.stringify(result)).not.toContain('github_merge');
  });

  it('leaves forbidden members out of a load without a word', async () => {
    const session = new Session({ tools: servers(), filter: denying('load', 'github_merge') });
    const result = await session.load({ toolName: 'github_*' });
    expect(result).toMatchObject({ success: true, loaded: ['github_create_issue'] });
    expect(JSON.stringify(result)).not.toContain('github_merge');
  });

  it.each(['github_*', 'team chat*'])(
    'makes %s look like an unknown pattern when it forbids all members',
    async (pattern) => {
      const known = new Session({ tools: servers(), filter: ({ toolName }) => toolName === 'get_weather' });
      const unknown = new Session({ tools: toolRecord(weather()) });
      expect(await known.load({ toolName: pattern })).toEqual(await unknown.load({ toolName: pattern }));
      const query = `select:${pattern}`;
      expect(await known.search({ query })).toEqual(await unknown.search({ query }));
    },
  );

  it('decides first, so that a forbidden name does not hide a group', async () => {
    const tools = toolRecord(...ofServer('chat', 'post_message'), tool('chat_admin'));
    const session = new Session({ tools, filter: denying('load', 'chat_admin') });
    expect((await session.load({ toolName: 'chat_*' })).loaded).toEqual(['post_message']);
  });
});

describe('one call for more than 20 tools', () => {
  it('loads 20, and says how many more there are, with some of their names', async () => {
    const session = new Session({ tools: numbered(35) });
    const result = await session.load({ toolName: 't*' });
    expect(result).toMatchObject({ success: false, loadedCount: 20 });
    expect(result.message).toMatch(
      / 15 more were not loaded, as one call loads no more: t20, t21, t22, t23, t24, t25, t26, t27, t28, t29 and 5 more\. Ask again for those you need\.$/,
    );
    expect(await session.sent()).toHaveLength(20);
  });

  it('leaves the others to the next call', async () => {
    const session = new Session({ tools: numbered(35) });
    await session.load({ toolName: 't*' });
    expect((await session.load({ toolName: 't*' })).loadedCount).toBe(15);
  });

  it('counts a tool once that a pattern and a name mean', async () => {
    const session = new Session({ tools: numbered(20) });
    const result = await session.load({ toolNames: ['t*', 't19'] });
    expect(result.loaded).toHaveLength(20);
    expect(result.success).toBe(true);
    expect(result.message).not.toContain('not loaded');
  });

  const tens = ['t1*', 't2*', 't3*', 't4*', 't5*', 't6*', 't7*', 't8*'];
  it.each([
    { how: 'load_tool with exact names', name: 'load_tool', input: { toolNames: Object.keys(numbered(100)) } },
    { how: 'load_tool with several patterns', name: 'load_tool', input: { toolNames: tens } },
    { how: 'a select: of names', name: 'search_tools', input: { query: `select:${Object.keys(numbered(100))}` } },
    { how: 'several select: of one call', name: 'search_tools', input: { query: tens.map((ten) => `select:${ten}`) } },
  ])('never loads more than 20, with $how', async ({ name, input }) => {
    const session = new Session({ tools: numbered(200) });
    const { message } = await session.call<{ message: string }>(name, input);
    expect(await session.sent()).toHaveLength(20);
    expect(message).toMatch(/\d more were not loaded/);
  });

  it('never loads more than 20 with autoLoad, whatever topK is', async () => {
    const session = new Session({ tools: numbered(50), search: { autoLoad: true, topK: 40, scorer: everything() } });
    const result = await session.search({ query: 'tool' });
    expect(result.loaded).toHaveLength(20);
    expect(result.message).toContain('20 more were not loaded');
    expect(await session.sent()).toHaveLength(20);
  });

  it('does not count tools that are loaded already', async () => {
    const session = new Session({ tools: numbered(30) });
    await session.load({ toolNames: Object.keys(numbered(15)) });
    expect(await session.load({ toolName: 't*' })).toMatchObject({ success: true, loadedCount: 15 });
  });
});

describe('the option maxLoaded', () => {
  it('bounds the load of a pattern, and the message says what was left out', async () => {
    const session = new Session({ tools: servers(), maxLoaded: { tools: 1 } });
    expect(await session.load({ toolName: 'github_*' })).toEqual({
      success: false,
      message: 'Loaded: github_create_issue — call it now No room for: github_merge. Load fewer at a time.',
      loadedCount: 1,
      loaded: ['github_create_issue'],
    });
    const selected = await session.search({ query: 'select:team chat*' });
    expect(selected.message).toContain('Unloaded to make room: github_create_issue. No room for: list_rooms.');
    expect(await session.sent()).toEqual(['post_message']);
  });
});
