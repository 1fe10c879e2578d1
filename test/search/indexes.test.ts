import { RequestContext } from '@mastra/core/request-context';
import {
  type ToolDocument,
  type ToolScorer,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { beforeEach, describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { turnsDuring } from '../scorers/turns.ts';
import { tool, toolRecord } from '../support/agent.ts';

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

function noting({ name = ({ length }) => `${length}`, update, restrict, before }: Making = {}): ToolScorer {
  const index = async (documents: readonly ToolDocument[]) => {
    const is = name(documents);
    log.push(`index ${is}`);
    await before?.(is);
    const search = () => {
      if (restrict) log.push(`search ${is}`);
      return [];
    };
    return { search, ...(update ? { update } : {}), ...(restrict ? { restrictedTo: restrict } : {}) };
  };
  return { name: 'noting', index } as never;
}

/** A scorer whose indexes can be updated. */
function updating(): ToolScorer {
  const indexOf = (is: string) => ({
    search: () => [],
    update(added: readonly ToolDocument[], removed: readonly string[]) {
      log.push(`update ${is}: +${namesIn(added)} -${removed.join()}`);
      return indexOf(`${is}+`);
    },
  });
  const index = (documents: readonly ToolDocument[]) => {
    log.push(`index ${documents.length}`);
    return indexOf(`${documents.length}`);
  };
  return { name: 'noting', index };
}

function processorOf(scorer: ToolScorer, options: Partial<ToolSearchProcessorOptions>): ToolSearchProcessor {
  const onEvent: ToolSearchProcessorOptions['onEvent'] = (event) => {
    if (event.type === 'scorer-failed' && event.survived) faults.push(event.error);
  };
  return new ToolSearchProcessor({ tools: {}, ...options, search: { scorer }, onEvent });
}

/** Searches among these tools, which are new objects each time. */
function searching(scorer = noting()) {
  const tools = ({ requestContext }: { requestContext?: RequestContext }) => requestContext?.get('tools') as never;
  const processor = processorOf(scorer, { tools });
  return (names: readonly string[] | object) => {
    const given = Array.isArray(names) ? recordOf(names) : names;
    return processor.search('x', { requestContext: new RequestContext([['tools', given]] as never) });
  };
}

/** Searches among tools of the constructor, and of the request. */
function overBase(base: readonly string[], scorer = updating()) {
  const processor = processorOf(scorer, { tools: recordOf(base), includeResolvedTools: true });
  return (...own: string[]) => processor.search('x', { tools: recordOf(own) });
}

const byNames = { name: namesIn };

describe('an index', () => {
  const others: Readonly<Record<string, object>> = {
    'a tool more': recordOf(['a', 'b', 'c']),
    'a tool less': recordOf(['a']),
    'another name': recordOf(['a', 'B']),
    'another description': { b: tool('b', 'Else.') },
    'another title': { b: Object.assign(tool('b'), { title: 'Else' }) },
    'another server': { b: Object.assign(tool('b'), { mcpMetadata: { serverName: 'Else' } }) },
    'another keyword': { b: Object.assign(tool('b'), { metadata: { keywords: 'else' } }) },
    'another parameter': { b: Object.assign(tool('b'), { inputSchema: { properties: { else: {} } } }) },
    'another value': { b: Object.assign(tool('b'), { inputSchema: { properties: { text: { enum: ['else'] } } } }) },
  };

  it.each(Object.keys(others))('is built once for equal tools, and anew where there is %s', async (why) => {
    const search = searching(noting(byNames));
    for (let time = 0; time < 2; time++) await search(['a', 'b']);
    expect(log).toEqual(['index a,b']);
    const other = others[why] ?? {};
    await search('b' in other && !('a' in other) ? { ...recordOf(['a']), ...other } : other);
    expect(log).toHaveLength(2);
    await searching(noting(byNames))(['a', 'b']);
    expect(log).toHaveLength(3);
  });

  it('is built once for searches at the same time', async () => {
    const search = searching(noting({ before: () => Promise.resolve() }));
    await Promise.all(Array.from({ length: 100 }, () => search(['read', 'write'])));
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
    expect(log.slice(65)).toEqual(['index tool_1']);
  });
});

it('a build that fails does so for all searches that wait for it; the next one builds again, and no other index', async () => {
  let isDown = true;
  const before = (name: string) => name.startsWith('bad') && isDown && Promise.reject(broken);
  const search = searching(noting({ ...byNames, before }));
  const base = overBase(['bad'], noting({ ...byNames, before }));
  await search(['good']);
  const both = await Promise.allSettled([search(['bad']), search(['bad'])]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(search(['bad'])).rejects.toThrow('broken');
  for (let time = 0; time < 2; time++) await expect(base()).rejects.toThrow('broken');
  isDown = false;
  for (const name of ['bad', 'bad', 'good']) await search([name]);
  for (let time = 0; time < 2; time++) await base();
  expect(log).toEqual(['index good', ...new Array(4).fill('index bad'), 'index bad', 'index bad']);
});

describe('the index of the tools of the constructor', () => {
  it('is kept, whatever tools requests have', async () => {
    const search = overBase(['base'], noting(byNames));
    await search();
    for (let n = 0; n < 70; n++) await search(`tool_${n}`);
    await search();
    expect(log.filter((line) => line === 'index base')).toHaveLength(1);
  });

  it.each([0, 1])(
    'is prepared once, when there is nothing else to do; where that fails, by a search: %i',
    async (bad) => {
      const before = () => log.length <= bad && Promise.reject(broken);
      const session = new Session({ tools: recordOf(['base']), search: { scorer: noting({ before }) } });
      const step = session.step();
      expect(log).toEqual([]);
      await step;
      await expect.poll(() => log).toEqual(['index 1']);
      await session.step();
      await new Promise((resolve) => setImmediate(resolve));
      expect((await session.search({ query: 'x' })).message).toContain('No tools found');
      expect(log).toHaveLength(1 + bad);
    },
  );

  it('is not prepared where there are none', async () => {
    await new Session({ tools: {}, search: { scorer: noting() } }).step();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual([]);
  });
});

describe('the index of tools that are nearly as those before', () => {
  const changed = (...names: string[]) => Object.fromEntries(names.map((name) => [name, tool(name, 'Else.')]));
  it.each<[why: string, names: readonly string[] | object, done: string[]]>([
    ['a tool more', [...numbered(10), 'new'], ['update 10: +new -']],
    ['a tool less', numbered(9), ['update 10: + -tool_9']],
    ['a changed tool', { ...recordOf(numbered(10)), ...changed('tool_3') }, ['update 10: +tool_3 -tool_3']],
    ['three tools more', numbered(13), ['update 10: +tool_10,tool_11,tool_12 -']],
    ['a quarter gone', numbered(8), ['update 10: + -tool_8,tool_9']],
    ['another order', numbered(10).reverse(), []],
    ['more than a quarter new', numbered(14), ['index 14']],
    ['more than a quarter gone', numbered(7), ['index 7']],
    ['two changed, which count twice', { ...recordOf(numbered(10)), ...changed('tool_3', 'tool_4') }, ['index 10']],
    ['nothing in common', ['a', 'b'], ['index 2']],
  ])('is updated where little is new: %s', async (_, names, done) => {
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
    for (const sets of [
      [numbered(13, 7), numbered(20)],
      [numbered(20), numbered(13, 7)],
    ]) {
      const search = searching(updating());
      for (const names of sets) await search(names);
      await search(numbered(14, 6));
      expect(log.at(-1)).toBe('update 13: +tool_6 -');
    }
  });

  it('is updated from that of the constructor, whatever came since, once for searches at the same time', async () => {
    const search = overBase(numbered(100));
    await search();
    for (let n = 0; n < 5; n++) await search(`other_${n}`, `another_${n}`);
    log = [];
    await Promise.all(Array.from({ length: 5 }, () => search('mine', 'other')));
    expect(log).toEqual(['update 100: +mine,other -']);
  });

  it.each<[why: string, update: Making['update'], reported: unknown[]]>([
    ['the scorer cannot update', undefined, []],
    ['an update is not worth it, as said by promise', async () => undefined, []],
    ['the update fails', async () => Promise.reject(broken), [broken]],
  ])('is built anew where %s', async (_, update, reported) => {
    const search = overBase(numbered(10), noting(update ? { update } : {}));
    await search();
    await search('new');
    expect(log).toEqual(['index 10', 'index 11']);
    expect(faults).toEqual(reported);
  });

  it('is built anew where the one before it fails, which is not asked again', async () => {
    let fail = (_error: Error): void => {};
    const promise = new Promise((_, reject) => (fail = reject));
    const search = overBase(numbered(10), noting({ before: (name) => name === '10' && promise }));
    const first = search();
    // Reads go in slices of time: of two searches at once, either may begin its index first.
    await expect.poll(() => log).toEqual(['index 10']);
    const both = Promise.allSettled([first, search('new')]);
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    fail(broken);
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(log).toEqual(['index 10', 'index 11']);
    const reported = faults.length;
    await search('newer');
    expect(faults).toHaveLength(reported);
  });
});

describe('the index of what a request may see', () => {
  /** A processor over three tools, searched by requests that may see some of them. */
  function restricting(restrict: Making['restrict']) {
    const filter = ({ toolName, requestContext }: { toolName: string; requestContext?: RequestContext }) =>
      (requestContext?.get('visible') as string[] | undefined)?.includes(toolName) === true;
    const processor = processorOf(noting(restrict ? { restrict } : {}), { tools: recordOf(['a', 'b', 'c']), filter });
    return (...visible: string[]) =>
      processor.search('x', { requestContext: new RequestContext([['visible', visible]] as never) });
  }
  const part = (names: ReadonlySet<string>) => {
    const is = [...names].join();
    log.push(`part ${is}`);
    return { search: () => log.push(`search ${is}`) && [] };
  };

  it('is made from that of all tools, once for the same names, and again where it could not be made', async () => {
    let isBroken = true;
    const search = restricting((names) => {
      if (isBroken) throw broken;
      return part(names);
    });
    await expect(search('a')).rejects.toThrow('broken');
    isBroken = false;
    for (const visible of ['ca', 'ac', 'ab']) await search(...visible);
    const made = log.filter((line) => line !== 'search 3');
    expect(made).toEqual(['index 3', 'part a,c', 'search a,c', 'search a,c', 'part a,b', 'search a,b']);
    await search('a');
    expect(log.at(-1)).toBe('search a');
  });

  it('is that of all tools where the scorer cannot restrict it', async () => {
    expect(await restricting(undefined)('a')).toEqual([]);
    expect(log).toEqual(['index 3']);
  });
});
