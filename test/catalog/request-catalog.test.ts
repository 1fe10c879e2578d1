import { describe, expect, it } from 'vitest';
import { callIn, Session } from '../meta-tools/session.ts';
import { turnsDuring } from '../scorers/turns.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { catalogOf, nameless } from './catalogs.ts';

const own = { includeResolvedTools: true };

describe('the documents of a catalog', () => {
  it('hold data only, and are read once for a tool in many catalogs', async () => {
    let reads = 0;
    const inputSchema = () => {
      reads++;
      return { type: 'object', properties: {} };
    };
    const counted = Object.assign(tool('counted'), { inputSchema });
    const { documents } = catalogOf({ a: tool('a'), counted }, own);
    const first = await documents();
    expect(JSON.parse(JSON.stringify(first))).toEqual(first);
    const more = await documents({ tools: { mine: tool('mine') } });
    expect(more.slice(0, 2)).toEqual(first);
    expect(more[1]).toBe(first[1]);
    await catalogOf({ counted }).documents();
    expect(reads).toBe(1);
  });

  it('have the name of a tool in each catalog, where it has several', async () => {
    const shared = nameless();
    const { names } = catalogOf({ a: tool('a') }, own);
    const last: unknown[] = [];
    for (const name of ['one', 'two', 'one']) last.push((await names({ tools: { [name]: shared } })).at(-1));
    expect(last).toEqual(['one', 'two', 'one']);
  });

  it('are read in slices, by two searches at once', async () => {
    const all = Array.from({ length: 20 }, (_, n) => tool(`tool_${n}`));
    const { documents } = catalogOf(toolRecord(...all));
    let found: (readonly { name: string }[])[] = [];
    const turns = await turnsDuring(async () => {
      found = await Promise.all([documents(), documents()]);
    });
    expect(turns).toBeGreaterThanOrEqual(all.length);
    for (const each of found) expect(each.map(({ name }) => name)).toEqual(all.map(({ id }) => id));
  });

  it('lack the parameters of a broken schema, which is reported once over all requests, as is a missing description', async () => {
    const broken = Object.assign(tool('broken', ''), { inputSchema: () => JSON.parse('no schema') });
    const { documents, events } = catalogOf({ a: tool('a') }, own);
    for (let time = 0; time < 2; time++) {
      const read = await documents({ tools: { broken, x: null, y: 'text', z: {} } });
      expect(read.map(({ name, parameters }) => [name, parameters.length])).toEqual([
        ['a', 1],
        ['broken', 0],
      ]);
    }
    const unreadable = { problem: 'unreadable-schema', message: expect.stringContaining('no schema') };
    expect(events).toMatchObject([{ toolName: 'broken', problem: 'missing-description' }, unreadable]);
  });
});

describe('the tools of a request', () => {
  it('come after the constructor tools, replace those of the same name, and win over their record keys', async () => {
    const { names, documents, processor } = catalogOf({ a: tool('a'), key: tool('b') }, own);
    expect(await names({ tools: { sendEmail: tool('other_id') } })).toEqual(['a', 'b', 'other_id']);
    const tools = { a: tool('mine'), key: tool('mine_too') };
    expect(await names({ tools })).toEqual(['b', 'mine', 'mine_too']);
    const select = async (spelling: string, given = {}) =>
      (await processor.search(`select:${spelling}`, { tools: given })).map(({ name }) => name);
    expect(await select('a,key', tools)).toEqual(['mine', 'mine_too']);
    expect(await select('sendEmail,other_id', { sendEmail: tool('other_id') })).toEqual(['other_id']);
    const replaced = await documents({ tools: { other: tool('a', 'Mine.') } });
    expect(replaced.map(({ name, description }) => [name, description])).toEqual([
      ['a', 'Mine.'],
      ['b', 'Does b.'],
    ]);
    // For that request alone.
    expect(await select('a,key')).toEqual(['a', 'b']);
  });

  it('never include a tool under an empty key for an unknown name', async () => {
    const { tools } = await new Session({ ...own, tools: { a: tool('a') } }).step({ tools: { '': nameless() } });
    expect(await callIn(tools, 'load_tool', { toolName: 'unknown' })).toMatchObject({ success: false });
  });
});
