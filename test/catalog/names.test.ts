import { tool as aiTool, jsonSchema } from 'ai';
import fc from 'fast-check';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Session } from '../meta-tools/session.ts';
import { tool } from '../support/harness.ts';
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
    {
      why: 'the key of a newer provider tool',
      tools: { web: { ...webSearch, type: 'provider', isProviderExecuted: true } },
      name: 'web',
    },
    {
      why: 'the key of an AI SDK tool',
      tools: { sendEmail: aiTool({ inputSchema: z.object({}) }) },
      name: 'sendEmail',
    },
    {
      why: 'the key of an AI SDK tool over a JSON schema',
      tools: { mail: aiTool({ inputSchema: jsonSchema({ type: 'object' }) }) },
      name: 'mail',
    },
  ])('is $why', async ({ tools, name }) => {
    expect(await namesOf(tools)).toEqual([name]);
  });

  it('keeps its place in the record', async () => {
    expect(await namesOf({ z: tool('z'), a: tool('a'), m: nameless() })).toEqual(['z', 'a', 'm']);
  });

  it('has the record key for a second spelling, as in @mastra/core, where no other tool is called so', async () => {
    const tools = { weather: tool('get_weather'), b: tool('a'), c: tool('b') };
    expect(await Promise.all(['weather', 'a', 'b', 'c'].map((key) => nameOf(tools, key)))).toEqual([
      'get_weather',
      'a',
      'b',
      'b',
    ]);
    expect(await namesOf(tools)).toEqual(['get_weather', 'a', 'b']);
  });

  it('may stand under several keys for one tool', async () => {
    const [one, odd] = [tool('one'), tool('o.d')];
    const tools = { first: one, second: one, third: odd, fourth: odd };
    expect(await namesOf(tools)).toEqual(['one', 'o_d']);
    expect([await nameOf(tools, 'second'), await nameOf(tools, 'fourth')]).toEqual(['one', 'o_d']);
  });
});

describe('a clash of names', () => {
  it('is refused with both keys when two tools share a name', () => {
    const { code, message } = refusal({ github: tool('search'), jira: tool('search') });
    expect(code).toBe('duplicate-tool');
    expect(message).toBe('Two tools are both called "search" (keys "github" and "jira"). Give one of them another id.');
  });

  it.each([
    {
      why: 'a key is the id of another tool',
      tools: { first: tool('search'), search: nameless() },
      keys: 'first search',
    },
    { why: 'providers refuse the name', tools: { one: tool('a.b'), two: tool('a.b') }, keys: 'one two' },
    {
      why: 'they are of two servers',
      tools: { mail: { send: tool('a') }, files: { send: tool('a') } },
      keys: 'mail_send files_send',
    },
  ])('is refused with both keys when $why', ({ tools, keys }) => {
    const { code, message } = refusal(tools);
    expect(code).toBe('duplicate-tool');
    expect(message).toContain(`keys "${keys.replace(' ', '" and "')}"`);
  });

  it('does not arise between names that differ in case', async () => {
    expect(await namesOf({ a: tool('search'), b: tool('Search') })).toEqual(['search', 'Search']);
  });

  it.each([
    { name: 'search_tools', tools: { mine: tool('search_tools') }, key: 'mine' },
    { name: 'load_tool', tools: { load_tool: nameless() }, key: 'load_tool' },
  ])('is refused for the reserved name $name', ({ name, tools, key }) => {
    const { code, message } = refusal(tools);
    expect(code).toBe('reserved-name');
    for (const part of [`"${name}"`, `"${key}"`, 'metaTools.']) expect(message).toContain(part);
  });

  it('is refused for the names that metaTools gives the meta-tools', () => {
    const metaTools = { search: { name: 'find' }, load: { name: 'take' } };
    expect(() => catalogOf({ a: tool('search_tools'), b: tool('load_tool') }, { metaTools })).not.toThrow();
    for (const name of ['find', 'take'])
      expect(refusal({ x: tool(name) }, { metaTools }).message).toContain(`"${name}"`);
  });
});

it('reports a missing description once, and takes the tool', async () => {
  const tools = { a: tool('a', ''), b: tool('b', '  \n'), c: nameless(''), d: tool('d', 'Good.') };
  expect(problemsOf(tools)).toEqual(['a: missing-description', 'b: missing-description', 'c: missing-description']);
  expect(await namesOf(tools)).toEqual(['a', 'b', 'c', 'd']);
});

describe('a name that providers refuse', () => {
  it.each([
    { id: 'mail.send', name: 'mail_send', why: 'a dot' },
    { id: 'mail/send', name: 'mail_send', why: 'a slash' },
    { id: 'send mail', name: 'send_mail', why: 'a space' },
    { id: 'wetter_für', name: 'wetter_f_r', why: 'another letter' },
    { id: '天気', name: '__', why: 'another script' },
    { id: '😀', name: '_', why: 'one character of two code units' },
    { id: 'mail\nsend', name: 'mail_send', why: 'a line break' },
    { id: 'x'.repeat(65), name: `${'x'.repeat(55)}_9537c5fd`, why: '65 characters' },
    { id: 'x'.repeat(129), name: `${'x'.repeat(55)}_0ec9eb33`, why: '129 characters, and the same beginning' },
    { id: 'é'.repeat(70), name: `${'_'.repeat(55)}_78dcf717`, why: 'too many characters, all refused' },
  ])('is repaired for $why', async ({ id, name }) => {
    const tools = { ok: tool('ok'), odd: tool(id) };
    const { names, events } = catalogOf(tools);
    expect(await names()).toEqual(['ok', name]);
    const message = expect.stringContaining(`called as "${name}"`);
    expect(events.filter(({ type }) => type === 'tool-problem')).toEqual([
      { type: 'tool-problem', toolName: id, problem: 'renamed', message },
    ]);
  });

  it('has more than 64 characters', async () => {
    const id = 'x'.repeat(64);
    expect([await namesOf({ odd: tool(id) }), problemsOf({ odd: tool(id) })]).toEqual([[id], []]);
  });

  it("loads its tool as its author wrote it, and by the record key, even where it is another tool's key", async () => {
    const long = 'very_long_name_'.repeat(9);
    const tools = { send: tool('mail.send'), 'mail.send': tool('mail.read'), read: tool('mail.get'), long: tool(long) };
    for (const entries of [Object.entries(tools), Object.entries(tools).reverse()]) {
      const either = Object.fromEntries(entries);
      for (const id of ['mail.send', 'mail.read', long]) expect((await loaded(either, id))?.id).toBe(id);
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
      expect(problemsOf(tools)).toEqual(['mail.send: renamed']);
    }
  });

  it('gets a hash where its like is the name of a meta-tool or of another repaired one', async () => {
    const tools = { a: tool('search.tools'), b: tool('mail.send'), c: tool('mail/send'), d: tool('good') };
    expect(await namesOf(tools)).toEqual(['good', 'search_tools_2f3a8e01', 'mail_send', 'mail_send_f6df7563']);
    expect(problemsOf(tools)).toEqual(['search.tools: renamed', 'mail.send: renamed', 'mail/send: renamed']);
  });

  it('costs the tool its place when the name with a hash is taken too, and no other tool', async () => {
    const tools = { a: tool('mail_send'), b: tool('mail_send_b72927ae'), c: tool('mail.send'), d: tool('good') };
    expect(await namesOf(tools)).toEqual(['mail_send', 'mail_send_b72927ae', 'good']);
    expect(problemsOf(tools)).toEqual(['mail.send: left-out']);
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

  it('loads its tool, whatever the others are called', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(written, { maxLength: 6 }), async (ids) => {
        for (const id of ids) expect((await loaded(recordOf(ids), id))?.description).toBe(`Tool ${id}`);
      }),
      { numRuns: 50 },
    );
  });

  it('is repaired without regard to the other tools where it is too long', async () => {
    const long = 'a_long_name_'.repeat(8);
    const [alias = ''] = await namesOf({ long: tool(long) });
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 80 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(ids, async (others) => {
        expect(await namesOf({ ...recordOf(others), long: tool(long) })).toContain(alias);
      }),
    );
  });
});

describe('a name from JavaScript itself', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then'];

  it.each([...names, '__defineGetter__', '__proto__', ''])('is unknown where no tool has it: "%s"', async (name) => {
    const session = new Session({ tools: { a: tool('a') } });
    expect(await session.load({ toolNames: [name, 'zz'] })).toMatchObject({ success: false, loadedCount: 0 });
    expect((await session.search({ query: `select:${name},zz` })).results).toEqual([]);
  });

  it.each(names)('can be the name of a tool: "%s"', async (name) => {
    const session = new Session({ tools: { a: tool('a'), b: tool(name) } });
    expect(await session.load({ toolName: name })).toEqual({
      success: true,
      message: `Tool "${name}" loaded successfully. Call it now.`,
      toolName: name,
      loaded: [name],
    });
    expect(await session.sent()).toEqual([name]);
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

it('each flaw has one line in the logger that Mastra registers', () => {
  const warn = vi.fn();
  const processor = new ToolSearchProcessor({ tools: { a: tool('a', ''), b: tool('mail.send') } });
  expect(warn).not.toHaveBeenCalled();
  processor.__registerMastra({ getLogger: () => ({ warn }) } as never);
  processor.__registerMastra({ getLogger: () => ({ warn }) } as never);
  expect(warn.mock.calls.map(([line]) => line)).toEqual([
    '[tool-search] Tool "a" has no description, so it can only be found by its name and parameters. Describe it.',
    '[tool-search] Tool "mail.send" has a name that some providers refuse; it is searched, loaded and called as "mail_send". Use 1 to 64 letters, digits, "_" and "-".',
  ]);
});
