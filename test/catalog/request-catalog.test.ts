import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { turnsDuring } from '../scorers/turns.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { catalogOf, nameless } from './catalogs.ts';

const own = { includeResolvedTools: true };

describe('the documents of a catalog', () => {
  it('hold data only, never the tool', async () => {
    const documents = await catalogOf({ a: tool('a'), b: nameless() }).documents();
    expect(documents).toHaveLength(2);
    expect(JSON.parse(JSON.stringify(documents))).toEqual(documents);
  });

  it('are read once for a tool in many catalogs', async () => {
    let reads = 0;
    const inputSchema = () => {
      reads++;
      return { type: 'object', properties: {} };
    };
    const counted = Object.assign(tool('counted'), { inputSchema });
    const { documents } = catalogOf({ a: tool('a'), counted }, own);
    const first = await documents();
    expect(reads).toBe(1);
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

  it('lack the parameters of a broken schema, which is reported once', async () => {
    const inputSchema = () => {
      throw new Error('no schema today');
    };
    const broken = Object.assign(tool('broken', 'Odd.'), { inputSchema });
    const { documents, events } = catalogOf({ a: tool('a') }, own);
    for (let time = 0; time < 2; time++) {
      const read = await documents({ tools: { broken } });
      expect(read.map(({ name, parameters }) => [name, parameters.length])).toEqual([
        ['a', 1],
        ['broken', 0],
      ]);
    }
    const message = expect.stringContaining('no schema today');
    expect(events).toMatchObject([{ toolName: 'broken', problem: 'unreadable-schema', message }]);
  });
});

describe('the tools of a request', () => {
  const base = () => catalogOf({ a: tool('a'), key: tool('b') }, own);

  it('come after the constructor tools, under their id', async () => {
    expect(await base().names({ tools: { sendEmail: tool('other_id') } })).toEqual(['a', 'b', 'other_id']);
  });

  it('replace constructor tools of the same name, and win over their record keys, for this request alone', async () => {
    const { names, documents, processor } = base();
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
    expect(await select('a,key')).toEqual(['a', 'b']);
  });

  it('report a missing description once over all requests', async () => {
    const { names, events } = base();
    for (let request = 0; request < 3; request++) await names({ tools: { mine: tool('mine', '') } });
    expect(events).toMatchObject([{ toolName: 'mine', problem: 'missing-description' }]);
  });

  it('leave out what is no tool', async () => {
    expect(await base().names({ tools: { x: null, y: 'text', z: {} } })).toEqual(['a', 'b']);
  });

  it('never include a tool under an empty key for an unknown name', async () => {
    const session = new Session({ ...own, tools: { a: tool('a') } });
    const { tools } = await session.step({ tools: { '': nameless() } });
    expect(await tools['load_tool']?.execute?.({ toolName: 'unknown' } as never, {} as never)).toMatchObject({
      success: false,
    });
  });
});
