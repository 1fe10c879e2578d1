import fc from 'fast-check';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool } from '../support/harness.ts';
import { catalogOf, nameless, namesOf, problemsOf, RESERVED } from './build.ts';

describe('a catalog of tools with flaws', () => {
  it('reports a missing description once, and takes the tool', () => {
    const tools = { a: tool('a', ''), b: tool('b', '  \n'), c: nameless(''), d: tool('d', 'Good.') };
    expect(problemsOf(tools)).toEqual(['a: missing-description', 'b: missing-description', 'c: missing-description']);
    expect(namesOf(tools)).toEqual(['a', 'b', 'c', 'd']);
  });

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
  ])('repairs a name with $why', ({ id, name }) => {
    const { catalog, events } = catalogOf({ ok: tool('ok'), odd: tool(id) });
    expect([...catalog.names]).toEqual(['ok', name]);
    expect(catalog.get(name)?.name).toBe(name);
    expect(events).toEqual([
      {
        type: 'tool-problem',
        toolName: id,
        problem: 'renamed',
        message: expect.stringContaining(`called as "${name}"`),
      },
    ]);
  });

  it('leaves a name of 64 characters as it is', () => {
    const id = 'x'.repeat(64);
    expect(namesOf({ odd: tool(id) })).toEqual([id]);
    expect(problemsOf({ odd: tool(id) })).toEqual([]);
  });

  it('finds a repaired tool by the id that its author gave it', () => {
    const long = 'very_long_name_'.repeat(9);
    const { catalog } = catalogOf({ 'mail.send': tool('mail.send'), read: tool('mail.read'), long: tool(long) });
    expect(catalog.get('mail.send')?.name).toBe('mail_send');
    expect(catalog.get('mail.read')?.name).toBe('mail_read');
    expect(catalog.get(long)?.tool.id).toBe(long);
  });

  it('finds a repaired tool by its record key as well', () => {
    const { catalog } = catalogOf({ read: tool('mail.read') });
    expect(catalog.get('read')?.name).toBe('mail_read');
  });

  it("finds a repaired tool by its id even where that is another tool's record key, whatever the order", () => {
    const tools = { send: tool('mail.send'), 'mail.send': tool('mail.read') };
    for (const entries of [Object.entries(tools), Object.entries(tools).reverse()]) {
      const { catalog } = catalogOf(Object.fromEntries(entries));
      expect(catalog.get('mail.send')?.tool.id).toBe('mail.send');
      expect(catalog.get('mail.read')?.tool.id).toBe('mail.read');
    }
  });

  it('never gives a repaired name to a tool when another one really has it, whatever the order', () => {
    for (const tools of [
      { odd: tool('mail.send'), good: tool('mail_send') },
      { good: tool('mail_send'), odd: tool('mail.send') },
    ]) {
      const { catalog, events } = catalogOf(tools);
      expect([...catalog.names]).toEqual(['mail_send', 'mail_send_b72927ae']);
      expect(catalog.get('mail_send')?.tool.id).toBe('mail_send');
      expect(catalog.get('mail.send')?.name).toBe('mail_send_b72927ae');
      expect(events).toMatchObject([{ toolName: 'mail.send', problem: 'renamed' }]);
    }
  });

  it('adds a hash where the repaired name is that of a meta-tool or another repaired one', () => {
    const tools = { a: tool('search.tools'), b: tool('mail.send'), c: tool('mail/send'), d: tool('good') };
    expect(namesOf(tools)).toEqual(['good', 'search_tools_2f3a8e01', 'mail_send', 'mail_send_f6df7563']);
    expect(problemsOf(tools)).toEqual(['search.tools: renamed', 'mail.send: renamed', 'mail/send: renamed']);
  });

  it('leaves out a tool when its name with a hash is taken too, and takes the others', () => {
    const tools = { a: tool('mail_send'), b: tool('mail_send_b72927ae'), c: tool('mail.send'), d: tool('good') };
    expect(namesOf(tools)).toEqual(['mail_send', 'mail_send_b72927ae', 'good']);
    expect(problemsOf(tools)).toEqual(['mail.send: left-out']);
  });

  it('makes unique names that providers accept, the same each time, and none that a tool already has', () => {
    const unit = fc.constantFrom('a', 'b', '_', '.', '/', 'é', '😀', ...'0123456789');
    const ids = fc.uniqueArray(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 150 }), fc.string({ unit, minLength: 1, maxLength: 90 })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(ids, (drawn) => {
        const wanted = drawn.filter((id) => !RESERVED.includes(id));
        // As entries, since `__proto__` is a key that a literal would not set.
        const tools = Object.fromEntries(wanted.map((id) => [id, nameless(`Tool ${id}`)]));
        const { catalog } = catalogOf(tools);
        const names = [...catalog.names];
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => RESERVED.includes(name))).toEqual([]);
        expect(namesOf(tools)).toEqual(names);
        for (const id of Object.keys(tools)) {
          if (/^[A-Za-z0-9_-]{1,64}$/.test(id) && id !== '__proto__') expect(names).toContain(id);
          const found = catalog.get(id);
          if (found) expect(found.description).toBe(`Tool ${id}`.trim());
        }
      }),
    );
  });

  it('repairs a name that is too long without regard to the other tools', () => {
    const long = 'a_long_name_'.repeat(8);
    const [alias] = namesOf({ long: tool(long) });
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 80 }), { maxLength: 8 }), (ids) => {
        const others = ids.filter((id) => !RESERVED.includes(id)).map((id) => [id, nameless()]);
        expect(catalogOf({ ...Object.fromEntries(others), long: tool(long) }).catalog.get(long)?.name).toBe(alias);
      }),
    );
  });
});

describe('a name from JavaScript itself', () => {
  const inherited = [
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '__defineGetter__',
    '__proto__',
    'then',
    '',
  ];

  it.each(inherited)('is unknown where no tool has it: "%s"', async (name) => {
    expect(catalogOf({ a: tool('a') }).catalog.get(name)).toBeUndefined();
    const session = new Session({ tools: { a: tool('a') } });
    expect(await session.load({ toolNames: [name, 'zz'] })).toMatchObject({ success: false, loadedCount: 0 });
    expect((await session.search({ query: `select:${name},zz` })).results).toEqual([]);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then'])(
    'can be the name of a tool: "%s"',
    async (name) => {
      const session = new Session({ tools: { a: tool('a'), b: tool(name) } });
      expect(await session.load({ toolName: name })).toEqual({
        success: true,
        message: `Tool "${name}" loaded successfully. Call it now.`,
        toolName: name,
        loaded: [name],
      });
      expect(await session.sent()).toEqual([name]);
    },
  );

  it('is replaced in the one case of "__proto__"', async () => {
    const tools: Record<string, MastraTool> = { a: tool('a') };
    Object.defineProperty(tools, '__proto__', { value: nameless(), enumerable: true });
    expect(namesOf(tools)).toEqual(['a', '__proto___30e2af38']);
    expect(problemsOf(tools)).toEqual(['__proto__: renamed']);
    const session = new Session({ tools });
    expect(await session.load({ toolName: '__proto__' })).toMatchObject({ toolName: '__proto___30e2af38' });
    expect(await session.sent()).toEqual(['__proto___30e2af38']);
  });
});

describe('the log of a catalog with flaws', () => {
  it('has one line for each flaw, in the logger that Mastra registers', () => {
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
});
