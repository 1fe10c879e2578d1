// A name without the prefix of its server, as skills and instructions write it.
import type { MastraTool, ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { ofServer } from '../meta-tools/servers.ts';
import { Session } from '../meta-tools/session.ts';
import { answersTo, through } from '../modes/call/setup.ts';
import { call, calls, inThread, newMemory, rig, tool, toolRecord } from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';
import { toolResults } from '../support/scripted-model.ts';

type Options = Partial<ToolSearchProcessorOptions>;

const github = (): MastraTool[] => ofServer('github', 'github_create_issue', 'github_get_me');
const gitlab = (): MastraTool[] => ofServer('gitlab', 'gitlab_create_issue', 'gitlab_get_user');
const one = (): Record<string, MastraTool> => toolRecord(...github(), ...ofServer('chat', 'chat_post'));
const two = (): Record<string, MastraTool> => toolRecord(...github(), ...gitlab());
const denies =
  (name: string, ...phases: string[]): ToolSearchFilter =>
  ({ toolName, phase }) =>
    toolName !== name || !phases.includes(phase);

/** What each way to a tool says of a name, and the tool that it reached. */
const WAYS: readonly { readonly way: string; readonly of: (name: string, options: Options) => Promise<string> }[] = [
  {
    way: 'load_tool',
    of: async (toolName, options) => JSON.stringify(await new Session(given(options)).load({ toolName })),
  },
  {
    way: 'load_tool with several',
    of: async (name, options) =>
      JSON.stringify(await new Session(given(options)).load({ toolNames: [name, 'no_such'] })),
  },
  {
    way: 'select:',
    of: async (name, options) => JSON.stringify(await new Session(given(options)).search({ query: `select:${name}` })),
  },
  {
    way: 'select: in call mode',
    of: async (name, options) => {
      const { values } = await answersTo(given(options), [call('search_tools', { query: `select:${name}` })]);
      return JSON.stringify(values);
    },
  },
  {
    way: 'call_tool',
    of: async (name, options) => JSON.stringify((await answersTo(given(options), [through(name)])).values),
  },
  { way: 'a direct call, onMiss: load', of: (name, options) => directly(name, { onMiss: 'load', ...options }) },
];

const given = (options: Options): ToolSearchProcessorOptions => ({ tools: one(), ...options }) as never;

async function directly(name: string, options: Options): Promise<string> {
  const { agent, model } = rig(given(options), { script: calls(call(name)) });
  await agent.generate('go');
  const last = model.calls.at(-1)!;
  // Mastra's own words for a tool that is not there name those that are.
  const sent = last.tools
    ?.map((each) => each.name)
    .filter((each) => !each.endsWith('_tool') && each !== 'search_tools');
  return JSON.stringify([toolResults(last.prompt).map(({ value }) => value), sent]);
}

describe.each(WAYS)('$way', ({ of }) => {
  it('reaches the one tool that has the name behind the prefix of its server, in any spelling', async () => {
    expect(await of('create_issue', {})).toContain('github_create_issue');
    expect(await of('createIssue', {})).toContain('github_create_issue');
    expect(await of('post', {})).toContain('chat_post');
    expect(await of('create_issue', {})).not.toMatch(/did you mean/i);
  });

  it('says both where two servers have it', async () => {
    const said = await of('create_issue', { tools: two() });
    expect(said).toMatch(/[Dd]id you mean:? github_create_issue, gitlab_create_issue\?/);
    expect(said).not.toContain('"ran"');
  });

  it.each([['search'], ['load'], ['active']])('does not see a twin that the phase %s forbids', async (phase) => {
    const forbidding = { tools: two(), filter: denies('gitlab_create_issue', phase) };
    const said = await of('create_issue', forbidding);
    expect(said).toContain('github_create_issue');
    expect(said).not.toContain('gitlab_create_issue');
    expect(said).toBe(
      await of('create_issue', { tools: toolRecord(...github(), ...ofServer('gitlab', 'gitlab_get_user')) }),
    );
  });

  it('takes the tool that has the very name, and no prefix that is a verb', async () => {
    const tools = toolRecord(...github(), tool('create_issue'), tool('delete_file'), tool('delete_user'));
    expect(await of('create_issue', { tools })).not.toContain('github_create_issue');
    const said = await of('file', { tools, filter: denies('delete_user', 'search', 'load', 'active') });
    expect(said).not.toContain('"ran"');
    expect(said).not.toMatch(/"loaded":\["delete_file"\]/);
  });
});

it('a prefix that tools without a server share counts, as far as the request may see them', async () => {
  const tools = toolRecord(tool('jira_create_ticket'), tool('jira_list_boards'), tool('get_weather'));
  const { loaded } = await new Session({ tools }).load({ toolName: 'create_ticket' });
  expect(loaded).toEqual(['jira_create_ticket']);
  const filter = denies('jira_list_boards', 'search', 'load', 'active');
  const alone = await new Session({ tools, filter }).load({ toolName: 'create_ticket' });
  expect(alone).toMatchObject({ success: false });
  // A single word is too little for a guess.
  expect(
    await new Session({ tools: toolRecord(tool('jira_create'), tool('jira_list')) }).load({ toolName: 'create' }),
  ).toMatchObject({
    success: false,
  });
});

it('a group of the user is a server as well', async () => {
  const tools = toolRecord(tool('crm_lookup'), tool('erp_orders'));
  const groups = ({ id }: MastraTool): string => id.split('_')[0] ?? '';
  expect(await new Session({ tools, groups }).load({ toolName: 'lookup' })).toMatchObject({ loaded: ['crm_lookup'] });
});

it("the agent's own tool makes a name ambiguous, and needs no load where it is the one", async () => {
  const own = toolRecord(...gitlab());
  const both = await new Session({ tools: one() }).step({ tools: own });
  const said = await both.tools['load_tool']?.execute?.({ toolName: 'create_issue' } as never, {} as never);
  expect(JSON.stringify(said)).toMatch(/github_create_issue, gitlab_create_issue/);
  const alone = await both.tools['load_tool']?.execute?.({ toolName: 'get_user' } as never, {} as never);
  expect(alone).toMatchObject({ success: true, toolName: 'gitlab_get_user' });
});

it('a source is searched for it', async () => {
  const session = new Session({ tools: await memorySource(one()) } as never);
  expect(await session.load({ toolName: 'create_issue' })).toMatchObject({ loaded: ['github_create_issue'] });
});

it('a tool that was missed by it stays loaded in the next turn, where the conversation is the store', async () => {
  const script = calls(call('create_issue'), call('github_create_issue'));
  const { agent, model } = rig({ tools: one(), storage: 'context' }, { script, agent: { memory: newMemory() } });
  await agent.generate('go', inThread);
  await agent.generate('again', inThread);
  expect(model.calls.at(-1)!.tools?.map(({ name }) => name)).toContain('github_create_issue');
});

it('a typo that is called directly is answered with what may be meant, and with no forbidden tool', async () => {
  const said = await directly('github_creat_isue', {});
  expect(said).toContain('Did you mean: github_create_issue?');
  const filter = denies('github_create_issue', 'search', 'load', 'active');
  expect(await directly('github_creat_isue', { filter })).not.toContain('github_create_issue');
});
