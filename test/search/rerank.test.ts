import { RequestContext } from '@mastra/core/request-context';
import { type Rerank, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';

const tools = toolRecord(
  tool('send_mail', 'Send a mail to somebody.'),
  tool('draft_mail', 'Draft a mail.'),
  tool('archive_mail', 'Archive a mail that was read.'),
  tool('get_weather', 'Get the weather of a city.'),
);
const plain = new ToolSearchProcessor({ tools });
const namesOf = (results: readonly { name: string }[]) => results.map(({ name }) => name);

describe('search.rerank', () => {
  it('orders what is shown, to the model and to code, and leaves the confidences with the places', async () => {
    const before = await plain.search('a mail');
    expect(before.length).toBeGreaterThan(1);
    const session = new Session({ tools, search: { rerank: (matches) => matches.toReversed() } });
    const after = await session.processor.search('a mail');
    expect(namesOf(after)).toEqual(namesOf(before).toReversed());
    expect(after.map(({ confidence }) => confidence)).toEqual(before.map(({ confidence }) => confidence));
    expect(namesOf((await session.search({ query: 'a mail' })).results)).toEqual(namesOf(after));
  });

  it('gets the query, the request, and documents of what matches and may be seen alone', async () => {
    const rerank = vi.fn<Rerank>((matches) => matches);
    const requestContext = new RequestContext();
    const filter = ({ toolName }: { toolName: string }) => toolName !== 'draft_mail';
    const processor = new ToolSearchProcessor({ tools, filter, search: { rerank } });
    await processor.search('xylophone');
    expect(rerank).not.toHaveBeenCalled();
    await processor.search('a mail', { requestContext });
    const [[matches = [], query, context] = []] = rerank.mock.calls;
    // The weather is a little like a mail: it matches by meaning, last.
    expect(namesOf(matches).slice(0, 2).sort()).toEqual(['archive_mail', 'send_mail']);
    expect(namesOf(matches)).not.toContain('draft_mail');
    expect(query?.text).toBe('a mail');
    expect(context?.requestContext).toBe(requestContext);
    expect(context?.document('send_mail')?.description).toBe('Send a mail to somebody.');
    for (const name of ['draft_mail', 'nothing']) expect(context?.document(name)).toBeUndefined();
  });

  it('leaves out what it does not return, and shows nothing that did not match', async () => {
    const anew = ['get_weather', 'archive_mail', 'archive_mail', 'nothing'].map((name) => ({ name, score: 1 }));
    const bad = [null, { name: 'send_mail', score: '1' }] as never[];
    // By words alone, the weather does not match.
    const search = { embedder: false, rerank: () => [...bad, ...anew] } as const;
    const processor = new ToolSearchProcessor({ tools, search });
    expect(await processor.search('mail')).toMatchObject([{ name: 'archive_mail', score: 1 }]);
  });

  it.each<[why: string, rerank: unknown]>([
    ['rejects', async () => Promise.reject(new Error('out of order'))],
    ['returns no list', () => 'mail'],
    ['never answers', () => new Promise(() => {})],
    [
      'throws',
      () => {
        throw new Error('out of order');
      },
    ],
  ])('that %s leaves the first ranking as it is, with an event', async (_, rerank) => {
    const expected = namesOf(await plain.search('a mail'));
    const session = new Session({ tools, search: { rerank: rerank as Rerank } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const found = session.processor.search('a mail');
    let hasEnded = false;
    const ended = found.finally(() => {
      hasEnded = true;
    });
    // On a busy machine, the hook is not asked before the event loop had some turns.
    while (!hasEnded) {
      await vi.advanceTimersByTimeAsync(2_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(namesOf(await ended)).toEqual(expected);
    expect(session.eventsOf('scorer-failed')).toMatchObject([{ scorer: 'rerank', survived: true }]);
  });
});
