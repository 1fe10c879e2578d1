import { describe, expect, it } from 'vitest';
import { readContext } from '../../../../src/inspect/page/user/context-text.ts';

describe('readContext', () => {
  it('reads an object, and nothing as an empty one', () => {
    expect(readContext('{ "user": "ann", "roles": ["admin"] }')).toEqual({
      context: { user: 'ann', roles: ['admin'] },
    });
    expect(readContext(' \n')).toEqual({ context: {} });
  });

  it.each([
    ['[1]', 'a list'],
    ['null', 'null'],
    ['"ann"', 'a string'],
    ['7', 'a number'],
  ])('refuses %s', (text, what) => {
    expect(readContext(text)).toEqual({
      error: `A request context is an object such as { "user": "ann" }; this is ${what}.`,
    });
  });

  it('says what is wrong with broken JSON', () => {
    expect(readContext('{ "user": }')).toEqual({ error: expect.stringContaining('This is no JSON: ') });
  });

  it('keeps names such as those of an object as they are', () => {
    const read = readContext('{ "__proto__": { "admin": true } }');
    expect('context' in read && Object.keys(read.context)).toEqual(['__proto__']);
  });
});
