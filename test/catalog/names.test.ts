import fc from 'fast-check';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool } from '../support/harness.ts';
import { catalogOf, nameless, namesOf, problemsOf, RESERVED } from './build.ts';

describe('flaws', () => {
  it('reports a missing description once, and the rest works', () => {
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
    { id: 'x'.repeat(129), name: 'x'.repeat(128), why: '129 characters' },
    { id: 'mail\nsend', name: 'mail_send', why: 'a line break' },
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

  it('finds a repaired tool under the name its author gave it', () => {
    const { catalog } = catalogOf({ 'mail.send': tool('mail.send'), read: tool('mail.read') });
    expect(catalog.get('mail.send')?.name).toBe('mail_send');
    expect(catalog.get('mail.read')?.name).toBe('mail_read');
  });

  it('finds a repaired tool under its record key as well', () => {
    const { catalog } = catalogOf({ read: tool('mail.read') });
    expect(catalog.get('read')?.name).toBe('mail_read');
  });

  it('leaves a repaired name to the tool that really has it, whatever the order', () => {
    for (const tools of [
      { odd: tool('mail.send'), good: tool('mail_send') },
      { good: tool('mail_send'), odd: tool('mail.send') },
    ]) {
      const { catalog, events } = catalogOf(tools);
      expect([...catalog.names]).toEqual(['mail_send']);
      expect(catalog.get('mail_send')?.tool.id).toBe('mail_send');
      expect(events).toMatchObject([{ toolName: 'mail.send', problem: 'left-out' }]);
    }
  });

  it('leaves out a name that would be repaired to a meta-tool or to another repaired name', () => {
    const tools = { a: tool('search.tools'), b: tool('mail.send'), c: tool('mail/send'), d: tool('good') };
    expect(namesOf(tools)).toEqual(['good', 'mail_send']);
    expect(problemsOf(tools)).toEqual(['search.tools: left-out', 'mail.send: renamed', 'mail/send: left-out']);
  });

  it('are never more than names that providers accept', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 150 }), { maxLength: 12 }), (ids) => {
        const wanted = ids.filter((id) => !RESERVED.includes(id));
        // As entries, since `__proto__` is a key that a literal would not set.
        const tools = Object.fromEntries(wanted.map((id) => [id, nameless()]));
        const names = namesOf(tools);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
        expect(new Set(names).size).toBe(names.length);
        for (const id of Object.keys(tools))
          if (/^[A-Za-z0-9_-]{1,128}$/.test(id) && id !== '__proto__') expect(names).toContain(id);
      }),
    );
  });
});

describe('names out of JavaScript', () => {
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

  it.each(inherited)('"%s" is unknown where no tool has it', async (name) => {
    expect(catalogOf({ a: tool('a') }).catalog.get(name)).toBeUndefined();
    const session = new Session({ tools: { a: tool('a') } });
    expect(await session.load({ toolNames: [name, 'zz'] })).toMatchObject({ success: false, loadedCount: 0 });
    expect((await session.search({ query: `select:${name},zz` })).results).toEqual([]);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then'])('"%s" can be a tool', async (name) => {
    const session = new Session({ tools: { a: tool('a'), b: tool(name) } });
    expect(await session.load({ toolName: name })).toEqual({
      success: true,
      message: `Tool "${name}" loaded successfully. It will be available on your next turn.`,
      toolName: name,
    });
    expect(await session.sent()).toEqual([name]);
  });

  it('"__proto__" cannot be a tool, which is reported, and the rest works', () => {
    const tools: Record<string, unknown> = { a: tool('a') };
    Object.defineProperty(tools, '__proto__', { value: nameless(), enumerable: true });
    expect(namesOf(tools)).toEqual(['a']);
    expect(problemsOf(tools)).toEqual(['__proto__: left-out']);
  });
});

describe('the log', () => {
  it('has one line for each flaw, in the logger that Mastra registers', () => {
    const warn = vi.fn();
    const processor = new ToolSearchProcessor({ tools: { a: tool('a', ''), b: tool('mail.send') } });
    expect(warn).not.toHaveBeenCalled();
    processor.__registerMastra({ getLogger: () => ({ warn }) } as never);
    processor.__registerMastra({ getLogger: () => ({ warn }) } as never);
    expect(warn.mock.calls.map(([line]) => line)).toEqual([
      '[tool-search] Tool "a" has no description, so it can only be found by its name and parameters. Describe it.',
      '[tool-search] Tool "mail.send" has a name that providers refuse; it is searched, loaded and called as "mail_send". Use 1 to 128 letters, digits, "_" and "-".',
    ]);
  });
});
