import { RequestContext } from '@mastra/core/request-context';
import { type Rerank, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/simple-tools.ts';

const tools = toolRecord(
  tool('send_mail', 'Send a mail to somebody.'),
  tool('draft_mail', 'Draft a mail.'),
  tool('archive_mail', 'Archive a mail that was read.'),
  tool('get_weather', 'Get the weather of a city.'),
);
const namesOf = (results: readonly { name: string }[]) => results.map(({ name }) => name);
const reversed: Rerank = (matches) => matches.toReversed();

describe('search.rerank', () => {
  it('orders what is shown, to the model and to code', async () => {
    const plain = namesOf(await new ToolSearchProcessor({ tools }).search('a mail'));
    expect(plain.length).toBeGreaterThan(1);
    const search = { rerank: reversed };
    expect(namesOf(await new ToolSearchProcessor({ tools, search }).search('a mail'))).toEqual(plain.toReversed());
    const { results } = await new Session({ tools, search }).search({ query: 'a mail' });
    expect(namesOf(results)).toEqual(plain.toReversed());
  });

  it('gets the query, the request, and documents of what matches alone', async () => {
    const rerank = vi.fn<Rerank>((matches) => matches);
    const requestContext = new RequestContext();
    const processor = new ToolSearchProcessor({
      tools,
      filter: ({ toolName }) => toolName !== 'draft_mail',
      search: { rerank },
    });
    await processor.search('a mail', { requestContext });
    const [[matches = [], query, context] = []] = rerank.mock.calls;
    expect(namesOf(matches)).toEqual(expect.arrayContaining(['send_mail', 'archive_mail']));
    expect(namesOf(matches)).not.toContain('draft_mail');
    expect(query?.text).toBe('a mail');
    expect(context?.requestContext).toBe(requestContext);
    expect(context?.document('send_mail')?.description).toBe('Send a mail to somebody.');
    expect(context?.document('draft_mail')).toBeUndefined();
    expect(context?.document('get_weather')).toBeUndefined();
  });

  it('leaves out what it does not return, and shows nothing that did not match', async () => {
    const rerank: Rerank = () => [
      { name: 'get_weather', score: 9 },
      { name: 'archive_mail', score: 1 },
      { name: 'archive_mail', score: 1 },
      { name: 'nothing', score: 1 },
      null as never,
    ];
    const results = await new ToolSearchProcessor({ tools, search: { rerank } }).search('mail');
    expect(results).toMatchObject([{ name: 'archive_mail', score: 1 }]);
  });

  it('leaves the confidences with the places', async () => {
    const before = await new ToolSearchProcessor({ tools }).search('a mail');
    const after = await new ToolSearchProcessor({ tools, search: { rerank: reversed } }).search('a mail');
    expect(after.map(({ confidence }) => confidence)).toEqual(before.map(({ confidence }) => confidence));
  });

  it.each<{ why: string; rerank: Rerank }>([
    {
      why: 'throws',
      rerank: () => {
        throw new Error('out of order');
      },
    },
    { why: 'rejects', rerank: async () => Promise.reject(new Error('out of order')) },
    { why: 'returns no list', rerank: () => 'mail' as never },
    { why: 'never answers', rerank: () => new Promise(() => {}) },
  ])('that $why leaves the first ranking as it is, with an event', async ({ rerank }) => {
    const events: ToolSearchEvent[] = [];
    const processor = new ToolSearchProcessor({ tools, search: { rerank }, onEvent: (event) => events.push(event) });
    const found = namesOf(await processor.search('a mail'));
    expect(found).toEqual(namesOf(await new ToolSearchProcessor({ tools }).search('a mail')));
    expect(events).toContainEqual(expect.objectContaining({ type: 'scorer-failed', scorer: 'rerank', survived: true }));
  });

  it('is not asked where nothing matches', async () => {
    const rerank = vi.fn<Rerank>((matches) => matches);
    await new ToolSearchProcessor({ tools, search: { rerank } }).search('xylophone');
    expect(rerank).not.toHaveBeenCalled();
  });

  it('must be a function', () => {
    expect(() => new ToolSearchProcessor({ tools, search: { rerank: {} as never } })).toThrow(
      /search\.rerank.*a function/,
    );
  });
});
