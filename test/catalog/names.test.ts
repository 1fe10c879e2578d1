import { tool as aiTool } from 'ai';
import fc from 'fast-check';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Session } from '../meta-tools/session.ts';
import { tool } from '../support/agent.ts';
import { catalogOf, loaded, nameless, nameOf, namesOf, problemsOf, refusal, webSearch } from './catalogs.ts';

const RESERVED = ['search_tools', 'load_tool'];
const isAccepted = (id: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(id) && id !== '__proto__';

describe('the name of a tool', () => {
  it.each([
    { why: 'the id', tools: { key: tool('the_id') }, name: 'the_id' },
    { why: 'the key without an id', tools: { the_key: nameless() }, name: 'the_key' },
    { why: 'the key for an empty id', tools: { the_key: { ...nameless(), id: '' } }, name: 'the_key' },
    { why: 'the key for an id that is no text', tools: { the_key: { ...nameless(), id: 7 } }, name: 'the_key' },
    { why: "the key of a provider's tool, whose id is the provider's", tools: { web: webSearch }, name: 'web' },
    { why: 'the key of a newer provider tool', tools: { web: { ...webSearch, type: 'provider' } }, name: 'web' },
    { why: 'the key of an AI SDK tool', tools: { mail: aiTool({ inputSchema: z.object({}) }) }, name: 'mail' },
  ])('is $why', async ({ tools, name }) => {
    expect(await namesOf(tools)).toEqual([name]);
  });

  it('keeps its place, also where it stands under several keys, and has the key for a second spelling', async () => {
    const [one, odd] = [tool('get_weather'), tool('o.d')];
    const tools = { weather: one, b: tool('a'), c: tool('b'), again: one, odd, fourth: odd };
    expect(await namesOf(tools)).toEqual(['get_weather', 'a', 'b', 'o_d']);
    const keys = ['weather', 'again', 'a', 'c', 'b', 'fourth'];
    // As in @mastra/core, where no other tool is called so.
    const meant = ['get_weather', 'get_weather', 'a', 'b', 'b', 'o_d'];
    expect(await Promise.all(keys.map((key) => nameOf(tools, key)))).toEqual(meant);
  });

  it('may differ in case alone', async () => {
    expect(await namesOf({ a: tool('search'), b: tool('Search') })).toEqual(['search', 'Search']);
  });

  it.each([
    { tools: { github: tool('search'), jira: tool('search') }, name: 'search', keys: 'github jira' },
    { tools: { first: tool('search'), search: nameless() }, name: 'search', keys: 'first search' },
    { tools: { one: tool('a.b'), two: tool('a.b') }, name: 'a.b', keys: 'one two' },
    { tools: { m: { send: tool('a') }, f: { send: tool('a') } }, name: 'a', keys: 'm_send f_send' },
  ])('is refused where two have it: keys $keys', ({ tools, name, keys }) => {
    const { code, message } = refusal(tools);
    expect(code).toBe('duplicate-tool');
    const both = keys.replace(' ', '" and "');
    expect(message).toBe(`Two tools are both called "${name}" (keys "${both}"). Give one of them another id.`);
  });

  it('is refused where a meta-tool has it, by whatever name', () => {
    for (const [taken, one] of [
      ['search_tools', tool('search_tools')],
      ['load_tool', nameless()],
    ] as const) {
      const { code, message } = refusal({ load_tool: one });
      expect(code).toBe('reserved-name');
      for (const part of [`"${taken}"`, '"load_tool"', 'metaTools.']) expect(message).toContain(part);
    }
    const metaTools = { search: { name: 'find' }, load: { name: 'take' } };
    expect(() => catalogOf({ a: tool('search_tools'), b: tool('load_tool') }, { metaTools })).not.toThrow();
    for (const name of ['find', 'take'])
      expect(refusal({ x: tool(name) }, { metaTools }).message).toContain(`"${name}"`);
  });
});

it('each flaw is reported once, with one line in the logger that Mastra registers, and the tool is taken', async () => {
  const warn = vi.fn();
  const tools = { a: tool('a', ''), b: tool('mail.send'), c: tool('c', '  \n'), d: nameless('') };
  const { processor, names, problems } = catalogOf(tools);
  for (const _ of [1, 2]) processor.__registerMastra({ getLogger: () => ({ warn }) } as never);
  const missing = ['a', 'c', 'd'].map((name) => `${name}: missing-description`);
  expect(problems().toSorted()).toEqual([...missing, 'mail.send: renamed'].toSorted());
  expect(await names()).toEqual(['a', 'c', 'd', 'mail_send']);
  const lines = warn.mock.calls.map(([line]) => line);
  expect(lines).toHaveLength(4);
  expect(lines).toContain(
    '[tool-search] Tool "a" has no description, so it can only be found by its name and parameters. Describe it.',
  );
  expect(lines).toContain(
    '[tool-search] Tool "mail.send" has a name that some providers refuse; it is searched, loaded and called as "mail_send". Use 1 to 64 letters, digits, "_" and "-".',
  );
});

const long = (hash: string): string => `${'x'.repeat(24)}_${hash}_${'x'.repeat(30)}`;
const DEPOSIT = 'apideck_unify_accounting_v1_Account_service_AccountService_v1_Account_GetDeposit';

describe('a name that providers refuse', () => {
  it.each([
    { id: 'mail.send', name: 'mail_send', why: 'a dot' },
    { id: 'send mail\nnow', name: 'send_mail_now', why: 'white space' },
    { id: 'wetter_für_Österreich', name: 'wetter_fuer_Oesterreich', why: 'umlauts' },
    { id: 'cafés_lister_ŁÓDŹ', name: 'cafes_lister_LODZ', why: 'letters with marks' },
    { id: 'погода_получить', name: 'pogoda_poluchit', why: 'another alphabet' },
    { id: 'get_天気', name: 'get_373421e9', why: 'a script that no table has' },
    { id: '天気', name: 'tool_bc79d84d', why: 'such a script alone' },
    { id: '😀', name: 'tool_f0443a34', why: 'one character of two code units' },
    { id: 'x'.repeat(65), name: long('9537c5fd'), why: '65 characters' },
    { id: 'x'.repeat(129), name: long('0ec9eb33'), why: '129 characters, and the same beginning and end' },
    { id: DEPOSIT, name: 'apideck_unify_7ef88da9_v1_Account_GetDeposit', why: 'an end that says what it does' },
  ])('is repaired for $why', async ({ id, name }) => {
    const { names, events } = catalogOf({ ok: tool('x'.repeat(64)), odd: tool(id) });
    expect(await names()).toEqual(['x'.repeat(64), name]);
    const message = expect.stringContaining(`called as "${name}"`);
    expect(events).toEqual([{ type: 'tool-problem', toolName: id, problem: 'renamed', message }]);
  });

  it("loads its tool as its author wrote it, and by the record key, even where it is another tool's key", async () => {
    const tools = { send: tool('mail.send'), 'mail.send': tool('mail.read'), read: tool('mail.get') };
    for (const entries of [Object.entries(tools), Object.entries(tools).reverse()]) {
      const either = Object.fromEntries(entries);
      for (const id of ['mail.send', 'mail.read']) expect((await loaded(either, id))?.id).toBe(id);
      expect(await nameOf(either, 'read')).toBe('mail_get');
    }
  });

  it('never takes the name that another tool really has, whatever the order', async () => {
    const [odd, good] = [tool('mail.send'), tool('mail_send')];
    for (const tools of [
      { odd, good },
      { good, odd },
    ]) {
      expect(await namesOf(tools)).toEqual(['mail_send', 'mail_send_b72927ae']);
      expect((await loaded(tools, 'mail_send'))?.id).toBe('mail_send');
      expect(await nameOf(tools, 'mail.send')).toBe('mail_send_b72927ae');
    }
  });

  it('gets a hash where its like is taken by a meta-tool or another repaired one, and no place where that is taken', async () => {
    const tools = { a: tool('search.tools'), b: tool('mail.send'), c: tool('mail/send'), d: tool('good') };
    expect(await namesOf(tools)).toEqual(['good', 'search_tools_2f3a8e01', 'mail_send', 'mail_send_f6df7563']);
    const taken = { a: tool('mail_send'), b: tool('mail_send_b72927ae'), c: tool('mail.send'), d: tool('good') };
    expect(await namesOf(taken)).toEqual(['mail_send', 'mail_send_b72927ae', 'good']);
    expect(problemsOf(taken)).toEqual(['mail.send: left-out']);
  });

  it('stands in front of the description where it is no longer to be read, in searches, loads and call mode', async () => {
    for (const made of [tool('查询天气', 'Get the weather.'), { ...nameless('Get the weather.'), id: '查询天气' }]) {
      const session = new Session({ tools: { made, b: tool('preis_für', 'Preis.') } as never });
      const { results } = await session.search({ query: 'weather' });
      expect(results[0]).toMatchObject({ name: 'tool_22cf3c76', description: '查询天气: Get the weather.' });
      await session.load({ toolNames: ['查询天气', 'preis_für'] });
      const { tools } = await session.step();
      expect(tools['tool_22cf3c76']?.description).toBe('查询天气: Get the weather.');
      expect(tools['preis_fuer']?.description).toBe('Preis.');
    }
    const named = new Session({ tools: { a: tool('查询天气', '查询天气 in a city.') } });
    await named.load({ toolName: '查询天气' });
    expect((await named.step()).tools['tool_22cf3c76']?.description).toBe('查询天气 in a city.');
  });

  it.each([
    { id: 'wetter_für', before: 'wetter_f_r', now: 'wetter_fuer' },
    { id: '天気', before: '__', now: 'tool_bc79d84d' },
    { id: 'x'.repeat(65), before: `${'x'.repeat(55)}_9537c5fd`, now: long('9537c5fd') },
    { id: DEPOSIT, before: `${DEPOSIT.slice(0, 55)}_7ef88da9`, now: 'apideck_unify_7ef88da9_v1_Account_GetDeposit' },
  ])(
    'of an earlier version, $before, still means the tool: in stores, loads and calls',
    async ({ id, before, now }) => {
      const kept = { get: () => [before], add: () => {}, remove: vi.fn(), clear: () => {} };
      const session = new Session({ tools: { odd: tool(id), other: tool('other') }, storage: kept } as never);
      expect(await session.sent()).toEqual([now]);
      expect(await session.load({ toolName: before })).toMatchObject({ success: true, loaded: [now] });
      await session.processor.unload('a scope', [now]);
      // The store may have it under either spelling.
      expect(kept.remove.mock.calls[0]?.[1]).toEqual(expect.arrayContaining([before]));
      const fresh = new Session({ tools: { odd: tool(id), other: tool('other') } });
      expect(await fresh.load({ toolName: before })).toMatchObject({ success: true, loaded: [now] });
    },
  );

  it('of an earlier version means the first of two tools that shared it, and no other tool that has it now', async () => {
    const first = { a: tool('天気'), b: tool('予報') };
    expect(await nameOf(first, '__')).toBe('tool_bc79d84d');
    expect(await nameOf({ ...first, real: tool('__') }, '__')).toBe('__');
  });

  const unit = fc.constantFrom('a', 'b', '_', '.', '/', 'é', '😀', ...'0123456789');
  const written = fc.string({ unit, minLength: 1, maxLength: 90 });
  // As entries, since `__proto__` is a key that a literal would not set.
  const recordOf = (ids: readonly string[]) =>
    Object.fromEntries(ids.filter((id) => !RESERVED.includes(id)).map((id) => [id, nameless(`Tool ${id}`)]));

  it('becomes a unique one that providers accept, the same each time, and none that a tool already has', async () => {
    const ids = fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary', maxLength: 150 }), written), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(ids, async (drawn) => {
        const tools = recordOf(drawn);
        const documents = await catalogOf(tools).documents();
        const names = documents.map(({ name }) => name);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => RESERVED.includes(name))).toEqual([]);
        expect(await namesOf(tools)).toEqual(names);
        for (const id of Object.keys(tools).filter(isAccepted)) {
          expect(documents.find(({ name }) => name === id)?.description).toBe(`Tool ${id}`.trim());
        }
      }),
    );
  });
});

describe('a name from JavaScript itself', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then'];

  it('can be the name of a tool', async () => {
    for (const name of names) {
      const session = new Session({ tools: { a: tool('a'), b: tool(name) } });
      expect(await session.load({ toolName: name })).toMatchObject({ success: true, loaded: [name] });
      expect(await session.sent()).toEqual([name]);
    }
  });

  it('is replaced in the one case of "__proto__"', async () => {
    const tools: Record<string, MastraTool> = { a: tool('a') };
    Object.defineProperty(tools, '__proto__', { value: nameless(), enumerable: true });
    expect(await namesOf(tools)).toEqual(['a', '__proto___30e2af38']);
    expect(problemsOf(tools)).toEqual(['__proto__: renamed']);
    const session = new Session({ tools });
    expect(await session.load({ toolName: '__proto__' })).toMatchObject({ toolName: '__proto___30e2af38' });
    expect(await session.sent()).toEqual(['__proto___30e2af38']);
  });
});
