import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/simple-tools.ts';

const ISSUES = [
  ['create_issue', 'Create an issue with a title and a body in a repository.'],
  ['list_issues', 'List the issues of a repository, the newest first.'],
  ['close_issue', 'Close an issue of a repository.'],
] as const;

/** The tools of one server, installed under several names. */
const installed = (...servers: string[]) =>
  servers.flatMap((server) =>
    ISSUES.map(([name, description]) =>
      Object.assign(tool(`${server}_${name}`, description), { mcpMetadata: { serverName: server } }),
    ),
  );
const others = [tool('send_mail', 'Send a mail to somebody.'), tool('issue_refund', 'Refund a payment.')];
const five = toolRecord(...installed('team1', 'team2', 'team3', 'team4', 'team5'), ...others);

describe('copies of a tool on several servers', () => {
  it('are one result, which names the others', async () => {
    const { results, message } = await new Session({ tools: five }).search({ query: 'create an issue' });
    expect(results[0]).toMatchObject({
      name: 'team1_create_issue',
      alsoAs: ['team2_create_issue', 'team3_create_issue', 'team4_create_issue', 'team5_create_issue'],
    });
    expect(results.filter(({ name }) => name.endsWith('create_issue'))).toHaveLength(1);
    expect(message).toContain('alsoAs');
  });

  it('can each be loaded', async () => {
    const session = new Session({ tools: five });
    await session.search({ query: 'create an issue' });
    expect(await session.load({ toolName: 'team4_create_issue' })).toMatchObject({ success: true });
  });

  it('score as one tool would: the same with one server as with five', async () => {
    const scored = async (...servers: string[]) => {
      const processor = new ToolSearchProcessor({ tools: toolRecord(...installed(...servers), ...others) });
      const results = await processor.search('issue of a repository');
      return results.map(({ name, score, confidence }) => [name, score, confidence]);
    };
    expect(await scored('team1', 'team2', 'team3', 'team4', 'team5')).toEqual(await scored('team1'));
  });

  it('are led by the one whose server is asked for', async () => {
    const { results } = await new Session({ tools: five }).search({ query: 'create an issue at team3' });
    expect(results[0]).toMatchObject({ name: 'team3_create_issue' });
  });

  it('are results of their own where their names stand in the query', async () => {
    const query = 'team2_create_issue team5_create_issue';
    const { results } = await new Session({ tools: five }).search({ query });
    expect(results.slice(0, 2).map(({ name }) => name)).toEqual(['team2_create_issue', 'team5_create_issue']);
  });

  it.each(['search', 'load'])('that the filter hides in the phase %s are never named', async (hiddenIn) => {
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
      phase !== hiddenIn || /^(team2|team4|send)/.test(toolName);
    const session = new Session({ tools: five, filter, search: { autoLoad: hiddenIn === 'load' } });
    const answer = await session.search({ query: 'create an issue' });
    expect(answer.results[0]).toMatchObject({ name: 'team2_create_issue', alsoAs: ['team4_create_issue'] });
    expect(JSON.stringify(answer)).not.toMatch(/team[135]/);
    const processor = new ToolSearchProcessor({ tools: five, filter, search: { autoLoad: hiddenIn === 'load' } });
    expect(JSON.stringify(await processor.search('create an issue'))).not.toMatch(/team[135]/);
  });

  it('are one result for several queries of a call', async () => {
    const query = ['create an issue at team3', 'create an issue at team1'];
    const { results } = await new Session({ tools: five }).search({ query });
    expect(results.filter(({ name }) => name.endsWith('create_issue'))).toHaveLength(1);
  });

  it('are found by code as well', async () => {
    const [best] = await new ToolSearchProcessor({ tools: five }).search('close an issue');
    expect(best).toMatchObject({ name: 'team1_close_issue', alsoAs: expect.arrayContaining(['team5_close_issue']) });
  });

  it.each([
    { why: 'their texts differ', one: 'Create an issue.', other: 'Create an issue, as a draft.' },
    { why: 'nothing is said of them', one: '', other: '' },
  ])('are two tools where $why', async ({ one, other }) => {
    const of = (server: string, description: string) =>
      Object.assign(tool(`${server}_create_issue`, description), { mcpMetadata: { serverName: server } });
    const processor = new ToolSearchProcessor({ tools: toolRecord(of('a1', one), of('b1', other)) });
    const results = await processor.search('create issue');
    expect(results).toHaveLength(2);
    expect(results.every(({ alsoAs }) => alsoAs === undefined)).toBe(true);
  });

  it('are two tools where they are not of two servers', async () => {
    const tools = toolRecord(tool('list_users', 'List all of them.'), tool('list_groups', 'List all of them.'));
    expect(await new ToolSearchProcessor({ tools }).search('list all')).toHaveLength(2);
  });

  it('are no more than twenty names', async () => {
    const servers = Array.from({ length: 60 }, (_, n) => `team${n}`);
    const [best] = await new ToolSearchProcessor({ tools: toolRecord(...installed(...servers)) }).search('close issue');
    expect(best?.alsoAs).toHaveLength(20);
  });
});
