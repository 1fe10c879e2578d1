import { RequestContext } from '@mastra/core/request-context';
import {
  bm25Scorer,
  type ToolDocument,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { beforeEach, describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { turnsDuring } from '../scorers/turns.ts';
import { tool, toolRecord } from '../support/harness.ts';

const numbered = (count: number, start = 0): string[] => Array.from({ length: count }, (_, n) => `tool_${start + n}`);
const recordOf = (names: readonly string[]) => toolRecord(...names.map((name) => tool(name)));
const namesIn = (documents: readonly ToolDocument[]): string => documents.map(({ name }) => name).join();
const broken = new Error('broken');

/** What scorers were asked to make: indexes by the number of their documents, with a + for each update. */
let log: string[] = [];
let faults: unknown[] = [];
beforeEach(() => {
  log = [];
  faults = [];
});

interface Making {
  readonly name?: (documents: readonly ToolDocument[]) => string;
  readonly update?: (added: readonly ToolDocument[], removed: readonly string[]) => unknown;
  readonly restrict?: (names: ReadonlySet<string>) => unknown;
  /** Waited for before an index is there; what it throws is the fault of the build. */
  readonly before?: (name: string) => unknown;
}

function noting({ name = ({ length }) => `${length}`, update, restrict, before }: Making = {}): never {
  const indexOf = (is: string) => ({
    search: () => {
      if (restrict) log.push(`search ${is}`);
      return [];
    },
    ...(update ? { update } : {}),
    ...(restrict ? { restrictedTo: restrict } : {}),
  });
  const index = (documents: readonly ToolDocument[]) => {
    const is = name(documents);
    log.push(`index ${is}`);
    const waited = before?.(is);
    return waited instanceof Promise ? waited.then(() => indexOf(is)) : indexOf(is);
  };
  return { name: 'noting', index } as never;
}

/** A scorer whose indexes can be updated. */
function updating(): never {
  const updates = (is: string) => (added: readonly ToolDocument[], removed: readonly string[]) => {
    log.push(`update ${is}: +${namesIn(added)} -${removed.join()}`);
    return { search: () => [], update: updates(`${is}+`) };
  };
  const index = (documents: readonly ToolDocument[]) => {
    log.push(`index ${documents.length}`);
    return { search: () => [], update: updates(`${documents.length}`) };
  };
  return { name: 'noting', index } as never;
}

function processorOf(scorer: never, options: Partial<ToolSearchProcessorOptions>): ToolSearchProcessor {
  const onEvent: ToolSearchProcessorOptions['onEvent'] = (event) => {
    if (event.type === 'scorer-failed' && event.survived) faults.push(event.error);
  };
  return new ToolSearchProcessor({ tools: {}, ...options, search: { scorer }, onEvent });
}

/** Searches among these tools, which are new objects each time. */
function searching(scorer: never = noting(), options: Partial<ToolSearchProcessorOptions> = {}) {
  const tools = ({ requestContext }: { requestContext?: RequestContext }) => requestContext?.get('tools') as never;
  const processor = processorOf(scorer, { ...options, tools });
  return (names: readonly string[] | object) => {
    const given = Array.isArray(names) ? recordOf(names) : names;
    return processor.search('x', { requestContext: new RequestContext([['tools', given]] as never) });
  };
}

/** Searches among tools of the constructor, and of the request. */
function overBase(base: readonly string[], scorer: never = updating()) {
  const processor = processorOf(scorer, { tools: recordOf(base), includeResolvedTools: true });
  return (...own: string[]) => processor.search('x', { tools: recordOf(own) });
}

const byNames = { name: namesIn };

describe('an index', () => {
  it('is built at the first search, once for equal tools, of documents and a context alone', async () => {
    const search = searching(noting(byNames));
    expect(log).toEqual([]);
    for (let time = 0; time < 3; time++) await search(['a', 'b']);
    expect(log).toEqual(['index a,b']);
    await searching(noting(byNames))(['a', 'b']);
    expect(log).toEqual(['index a,b', 'index a,b']);
  });

  it.each([
    { why: 'a tool more', other: recordOf(['a', 'b', 'c']) },
    { why: 'a tool less', other: recordOf(['a']) },
    { why: 'another name', other: recordOf(['a', 'B']) },
    { why: 'another order', other: recordOf(['b', 'a']), isUpdate: true },
    { why: 'another description', other: { ...recordOf(['a']), b: tool('b', 'Else.') } },
    { why: 'another title', other: { ...recordOf(['a']), b: Object.assign(tool('b'), { title: 'Else' }) } },
    {
      why: 'another server',
      other: { ...recordOf(['a']), b: Object.assign(tool('b'), { mcpMetadata: { serverName: 'Else' } }) },
    },
    {
      why: 'another keyword',
      other: { ...recordOf(['a']), b: Object.assign(tool('b'), { metadata: { keywords: 'else' } }) },
    },
    {
      why: 'another parameter',
      other: { ...recordOf(['a']), b: Object.assign(tool('b'), { inputSchema: { properties: { else: {} } } }) },
    },
    {
      why: 'another value of a parameter',
      other: {
        ...recordOf(['a']),
        b: Object.assign(tool('b'), { inputSchema: { properties: { text: { enum: ['else'] } } } }),
      },
    },
  ])('is not shared with tools of which there is $why', async ({ other, isUpdate = false }) => {
    const search = searching();
    await search(['a', 'b']);
    await search(other);
    // Another order needs nothing new.
    expect(log).toHaveLength(isUpdate ? 1 : 2);
  });

  it('is built once for searches at the same time, also a thousand of them', async () => {
    const search = searching(noting({ before: () => Promise.resolve() }));
    await Promise.all(Array.from({ length: 1_000 }, () => search(['read', 'write'])));
    expect(log).toEqual(['index 2']);
  });

  it('is built in slices, so that others have their turn', async () => {
    const search = searching();
    expect(await turnsDuring(() => search(numbered(320)))).toBeGreaterThanOrEqual(15);
  });

  it('is built again after dispose()', async () => {
    const processor = processorOf(noting(), { tools: recordOf(['a']), includeResolvedTools: true });
    for (let time = 0; time < 2; time++) {
      for (const own of [['b'], ['b'], []]) await processor.search('x', { tools: recordOf(own) });
      processor.dispose();
    }
    expect(log).toEqual(['index 2', 'index 1', 'index 2', 'index 1']);
  });

  it('is kept for 64 sets of tools, and the one that was used longest ago goes first', async () => {
    const search = searching(noting(byNames));
    for (const name of [...numbered(64), 'tool_0', 'tool_64', 'tool_0']) await search([name]);
    expect(log).toHaveLength(65);
    await search(['tool_1']);
    expect(log.at(-1)).toBe('index tool_1');
    expect(log).toHaveLength(66);
  });
});

describe('a build that fails', () => {
  const failing = (isDown: () => boolean) =>
    noting({ ...byNames, before: (name) => name.startsWith('bad') && isDown() && Promise.reject(broken) });

  it('fails for all searches that wait for it, and the next one builds again, which costs no other index', async () => {
    let isDown = true;
    const search = searching(failing(() => isDown));
    await search(['good']);
    const both = await Promise.allSettled([search(['bad']), search(['bad'])]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(search(['bad'])).rejects.toThrow('broken');
    isDown = false;
    for (const name of ['bad', 'bad', 'good']) await search([name]);
    expect(log).toEqual(['index good', 'index bad', 'index bad', 'index bad']);
  });

  it('is tried again for the tools of the constructor too', async () => {
    let isDown = true;
    const search = overBase(
      ['bad'],
      failing(() => isDown),
    );
    for (let time = 0; time < 2; time++) await expect(search()).rejects.toThrow('broken');
    isDown = false;
    for (let time = 0; time < 2; time++) await search();
    expect(log).toHaveLength(3);
  });
});

describe('the index of the tools of the constructor', () => {
  it('is kept, whatever tools requests have', async () => {
    const search = overBase(['base'], noting(byNames));
    await search();
    for (let n = 0; n < 70; n++) await search(`tool_${n}`);
    await search();
    expect(log.filter((line) => line === 'index base')).toHaveLength(1);
  });

  it('is prepared once before the first search, when there is nothing else to do', async () => {
    const session = new Session({ tools: recordOf(['base']), search: { scorer: noting() } });
    const step = session.step();
    expect(log).toEqual([]);
    await step;
    await expect.poll(() => log).toEqual(['index 1']);
    await session.step();
    await session.search({ query: 'x' });
    expect(log).toEqual(['index 1']);
  });

  it('is built by the first search when its preparation failed', async () => {
    const before = () => log.length < 2 && Promise.reject(broken);
    const session = new Session({ tools: recordOf(['base']), search: { scorer: noting({ before }) } });
    await session.step();
    await expect.poll(() => log).toEqual(['index 1']);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await session.search({ query: 'x' })).message).toContain('No tools found');
    expect(log).toHaveLength(2);
  });

  it('is not prepared where there are none', async () => {
    await new Session({ tools: {}, search: { scorer: noting() } }).step();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual([]);
  });
});

describe('the index of tools that are nearly as those before', () => {
  it.each([
    { why: 'a tool more', names: [...numbered(10), 'new'], done: ['update 10: +new -'] },
    { why: 'a tool less', names: numbered(9), done: ['update 10: + -tool_9'] },
    { why: 'another tool', names: [...numbered(9), 'new'], done: ['update 10: +new -tool_9'] },
    {
      why: 'a changed tool',
      names: { ...recordOf(numbered(10)), tool_3: tool('tool_3', 'Else.') },
      done: ['update 10: +tool_3 -tool_3'],
    },
    { why: 'three tools more', names: numbered(13), done: ['update 10: +tool_10,tool_11,tool_12 -'] },
    { why: 'another order', names: numbered(10).reverse(), done: [] },
    { why: 'more than a quarter of it new', names: numbered(14), done: ['index 14'] },
    { why: 'more than a quarter gone', names: numbered(7), done: ['index 7'] },
    {
      why: 'two changed tools, which count twice',
      names: { ...recordOf(numbered(10)), tool_3: tool('tool_3', 'Else.'), tool_4: tool('tool_4', 'Else.') },
      done: ['index 10'],
    },
    { why: 'nothing in common', names: ['a', 'b'], done: ['index 2'] },
  ])('is updated where little is new: $why', async ({ names, done }) => {
    const search = searching(updating());
    await search(numbered(10));
    await search(names);
    expect(log).toEqual(['index 10', ...done]);
  });

  it('is updated from the nearest index of the last four', async () => {
    const search = searching(updating());
    for (const count of [20, 30, 24, 23]) await search(numbered(count));
    // Not from the first.
    expect(log.slice(2)).toEqual([`update 20: +${numbered(4, 20).join()} -`, 'update 20+: + -tool_23']);
    for (let n = 0; n < 4; n++) await search([`other_${n}`]);
    await search(numbered(22));
    expect(log.at(-1)).toBe('index 22');
  });

  it('is updated from the nearest one, in whatever order they came', async () => {
    for (const counts of [
      [13, 20],
      [20, 13],
    ]) {
      log = [];
      const search = searching(updating());
      for (const count of counts) await search(numbered(count, count === 20 ? 0 : 7));
      await search(numbered(14, 6));
      expect(log.at(-1)).toBe('update 13: +tool_6 -');
    }
  });

  it('is updated from that of the constructor, whatever came since, once for searches at the same time', async () => {
    const search = overBase(numbered(1_000));
    await search();
    for (let n = 0; n < 5; n++) await search(`other_${n}`, `another_${n}`);
    log = [];
    await Promise.all(Array.from({ length: 5 }, () => search('mine', 'other')));
    expect(log).toEqual(['update 1000: +mine,other -']);
  });

  it('of the default scorer finds what a new index finds', async () => {
    const processor = processorOf(bm25Scorer() as never, {
      tools: recordOf(['read_heron', ...numbered(20)]),
      includeResolvedTools: true,
    });
    const found = async (tools = {}) => (await processor.search('heron', { tools })).map(({ name }) => name);
    expect([await found(), await found(recordOf(['feed_heron']))]).toEqual([
      ['read_heron'],
      ['feed_heron', 'read_heron'],
    ]);
    expect(faults).toEqual([]);
  });

  it.each([
    { why: 'the scorer cannot update', update: undefined, reported: 0 },
    { why: 'an update is not worth it', update: () => undefined, reported: 0 },
    { why: 'this is said by promise', update: async () => undefined, reported: 0 },
    { why: 'the update fails', update: async () => Promise.reject(broken), reported: 1 },
    {
      why: 'the update throws',
      update: () => {
        throw broken;
      },
      reported: 1,
    },
  ])('is built anew where $why', async ({ update, reported }) => {
    const search = overBase(numbered(10), noting(update ? { update } : {}));
    await search();
    await search('new');
    expect(log).toEqual(['index 10', 'index 11']);
    expect(faults).toEqual(Array.from({ length: reported }, () => broken));
  });

  it('is built anew where the one before it fails, which is not asked again', async () => {
    let fail = (_error: Error): void => {};
    const before = (name: string) => name === '10' && new Promise((_, reject) => (fail = reject));
    const search = overBase(numbered(10), noting({ before }));
    const both = Promise.allSettled([search(), search('new')]);
    await expect.poll(() => log).toEqual(['index 10']);
    fail(broken);
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(log).toEqual(['index 10', 'index 11']);
    const reported = faults.length;
    await search('newer');
    expect(faults).toHaveLength(reported);
  });
});

describe('the index of what a request may see', () => {
  /** A processor over these tools, searched by requests that may see some of them. */
  function restricting(restrict: Making['restrict'], names: readonly string[] = ['a', 'b', 'c']) {
    const all = recordOf(names);
    const filter = ({ toolName, requestContext }: { toolName: string; requestContext?: RequestContext }) =>
      (requestContext?.get('visible') as string[] | undefined)?.includes(toolName) === true;
    const processor = processorOf(noting(restrict ? { restrict } : {}), { tools: all, filter });
    return (...visible: string[]) =>
      processor.search('x', { requestContext: new RequestContext([['visible', visible]] as never) });
  }
  const part = (names: ReadonlySet<string>) => {
    const is = [...names].join();
    log.push(`part ${is}`);
    return { search: () => log.push(`search ${is}`) && [] };
  };

  it('is made from that of all tools, once for the same names', async () => {
    const search = restricting(part);
    await search('c', 'a');
    await search('a', 'c');
    await search('a', 'b');
    expect(log.filter((line) => !line.startsWith('search'))).toEqual(['index 3', 'part a,c', 'part a,b']);
    expect(log.filter((line) => line.startsWith('search ') && line !== 'search 3')).toEqual([
      'search a,c',
      'search a,c',
      'search a,b',
    ]);
  });

  it('is that of all tools where the scorer cannot restrict it', async () => {
    const search = restricting(undefined);
    expect(await search('a')).toEqual([]);
    expect(log).toEqual(['index 3']);
  });

  it('is made again by the next search when it could not be made', async () => {
    let isBroken = true;
    const search = restricting((names) => {
      if (isBroken) throw broken;
      return part(names);
    });
    await expect(search('a')).rejects.toThrow('broken');
    isBroken = false;
    await search('a');
    expect(log).toContain('search a');
  });
});
