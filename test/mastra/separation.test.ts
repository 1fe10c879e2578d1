import { describe, expect, it } from 'vitest';
import { MARK, type Mark, markSent, separate } from '../../src/mastra/marks.ts';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/harness.ts';

const request = (): object => ({});

/** A tool as it comes back from Mastra. */
function handed(name: string, kind: Mark['kind'] = 'converted'): object {
  return { [MARK]: { name, kind } satisfies Mark };
}

/** A tool that counts how often it is looked at. */
function watched(): { tool: object; looks: () => number } {
  let looks = 0;
  const subject = {
    execute: async () => 'ran',
    get onOutput() {
      looks += 1;
      return undefined;
    },
  };
  return { tool: subject, looks: () => looks };
}

describe('the tools that a step received', () => {
  it('are separated into own tools and handed-over ones, whichever processor handed them over', () => {
    const tools = { own: tool('own'), a: handed('a'), b_b: handed('b.b', 'light-proxy'), c: handed('c', 'resolved') };
    const separated = separate(request(), tools, undefined);
    expect(separated.own).toEqual({ own: tools.own, c: tools.c });
    expect(separated.registered.get('a')?.tool).toBe(tools.a);
    expect(separated.registered.get('b.b')?.tool).toBe(tools.b_b);
    expect(separated.registered.get('constructor')).toBeUndefined();
  });

  it('include those that an earlier processor sends in this step', () => {
    const a = handed('a');
    markSent([a]);
    const { own, registered: none } = separate(request(), { a }, undefined);
    expect([Object.keys(own), none.size]).toEqual([['a'], 0]);
  });

  it('that one processor takes out reach later ones by the message list, in every step', () => {
    const list = {};
    const [one, other] = [request(), request()];
    const tools = { a: handed('a'), b: handed('b') };
    for (let step = 0; step < 2; step++) {
      expect(separate(one, tools, list).own).toEqual({});
      const { own, registered: taken } = separate(other, {}, list);
      expect([own, [...taken.keys()]]).toEqual([{}, ['a', 'b']]);
      expect(separate(request(), {}, {}).registered.size).toBe(0);
    }
  });

  it('are looked at once, as long as they are the same', () => {
    const { tool: subject, looks } = watched();
    const same = request();
    const first = separate(same, { subject }, undefined);
    for (let step = 0; step < 5; step++) expect(separate(same, { subject }, undefined).own).toBe(first.own);
    expect(looks()).toBe(1);
    separate(same, { subject, more: tool('more') }, undefined);
    expect(looks()).toBe(2);
  });

  it('are separated for each request by itself', () => {
    const tools = { own: tool('own') };
    const of = (): object => separate(request(), tools, undefined).own;
    expect(of()).not.toBe(of());
  });

  it('may be none', () => {
    const { own, registered: none } = separate(request(), undefined, undefined);
    expect([own, none.get('a')]).toEqual([{}, undefined]);
  });

  it('may include one that cannot be read', () => {
    const odd = {
      get onOutput(): unknown {
        throw new Error('not today');
      },
    };
    expect(separate(request(), { odd }, undefined).own).toEqual({ odd });
  });

  it('are separated anew when they have changed, in the same object too', () => {
    const same = request();
    const tools: Record<string, unknown> = toolRecord(tool('a'));
    const { own } = separate(same, tools, undefined);
    tools['b'] = tool('b');
    expect(Object.keys(separate(same, tools, undefined).own)).toEqual(['a', 'b']);
    expect(Object.keys(own)).toEqual(['a']);
  });
});

describe('a request with includeResolvedTools', () => {
  it('has its tools looked at once, and again where they have changed', async () => {
    const session = new Session({ includeResolvedTools: true });
    const { tool: subject, looks } = watched();
    await session.step({ tools: { subject } });
    const once = looks();
    for (let step = 0; step < 5; step++) await session.step({ tools: { subject } });
    expect(looks()).toBe(once);
    await session.step({ tools: { subject, more: tool('more') } });
    expect(looks()).toBeGreaterThan(once);
  });

  it('is sent a tool that comes, goes and is replaced from step to step', async () => {
    const session = new Session({ includeResolvedTools: true, search: { autoLoad: true } });
    const [first, second] = [tool('mine', 'Mine.'), tool('mine', 'Mine.')];
    const { tools } = await session.step({ tools: { mine: first } });
    await tools['search_tools']?.execute?.({ query: 'mine' } as never, {} as never);
    expect((await session.step({ tools: { mine: first } })).tools['mine']).toBe(first);
    expect((await session.step({ tools: { mine: second } })).tools['mine']).toBe(second);
    expect((await session.step({ tools: {} })).tools['mine']).toBeUndefined();
    expect((await session.step({ tools: { mine: first } })).tools['mine']).toBe(first);
  });
});
