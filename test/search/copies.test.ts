import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';

const ISSUES = [
  ['create_issue', 'Create an issue with a title and a body in a repository.'],
  ['list_issues', 'List the issues of a repository, the newest first.'],
  ['close_issue', 'Close an issue of a repository.'],
] as const;

const of = (server: string, name: string, description: string) =>
  Object.assign(tool(`${server}_${name}`, description), { mcpMetadata: { serverName: server } });
/** The tools of one server, installed under several names. */
const installed = (...servers: string[]) =>
  servers.flatMap((server) => ISSUES.map(([name, description]) => of(server, name, description)));
const others = [tool('send_mail', 'Send a mail to somebody.'), tool('issue_refund', 'Refund a payment.')];
const five = toolRecord(...installed('team1', 'team2', 'team3', 'team4', 'team5'), ...others);

describe('copies of a tool on several servers', () => {
  it('are one result, for several queries of a call too, which names the others; each can be loaded', async () => {
    const session = new Session({ tools: five });
    for (const query of ['create an issue', ['create an issue', 'create issue']]) {
      const { results, message } = await session.search({ query });
      const alsoAs = ['team2', 'team3', 'team4', 'team5'].map((server) => `${server}_create_issue`);
      expect(results[0]).toMatchObject({ name: 'team1_create_issue', alsoAs });
      expect(results.filter(({ name }) => name.endsWith('create_issue'))).toHaveLength(1);
      expect(message).toContain('alsoAs');
    }
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

  it.each([
    { why: 'led by the one whose server is asked for', query: 'create an issue at team3', first: ['team3'] },
    {
      why: 'results of their own where their names stand in the query',
      query: 'team2_create_issue team5_create_issue',
      first: ['team2', 'team5'],
    },
  ])('are $why', async ({ query, first }) => {
    const { results } = await new Session({ tools: five }).search({ query });
    const names = results.slice(0, first.length).map(({ name }) => name);
    expect(names).toEqual(first.map((server) => `${server}_create_issue`));
  });

  it.each(['search', 'load'])('that the filter hides in the phase %s are never named', async (hiddenIn) => {
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
      phase !== hiddenIn || /^(team2|team4|send)/.test(toolName);
    const session = new Session({ tools: five, filter, search: { autoLoad: hiddenIn === 'load' } });
    const answer = await session.search({ query: 'create an issue' });
    expect(answer.results[0]).toMatchObject({ name: 'team2_create_issue', alsoAs: ['team4_create_issue'] });
    const byCode = await session.processor.search('create an issue');
    expect(JSON.stringify([answer, byCode])).not.toMatch(/team[135]/);
  });

  it('are no more than twenty names', async () => {
    const servers = Array.from({ length: 60 }, (_, n) => `team${n}`);
    const [best] = await new ToolSearchProcessor({ tools: toolRecord(...installed(...servers)) }).search('close issue');
    expect(best?.alsoAs).toHaveLength(20);
  });

  it.each([
    { why: 'their texts differ', tools: [of('a1', 'x', 'List all.'), of('b1', 'x', 'List all, as a draft.')] },
    { why: 'nothing is said of them', tools: [of('a1', 'list', ''), of('b1', 'list', '')] },
    { why: 'they are not of two servers', tools: [tool('x', 'List all.'), tool('y', 'List all.')] },
  ])('are two tools where $why', async ({ tools }) => {
    const results = await new ToolSearchProcessor({ tools: toolRecord(...tools) }).search('list all');
    expect(results.map(({ alsoAs }) => alsoAs)).toEqual([undefined, undefined]);
  });
});
