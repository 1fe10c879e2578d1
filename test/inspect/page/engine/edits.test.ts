import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { EditHistory, keywordsIn } from '../../../../src/inspect/page/engine/edits.ts';

const tools = [
  { name: 'send_email', description: 'Send an email.', keywords: ['mail'] },
  { name: 'get_time', description: 'Tell the time.' },
];

describe('the edits of the page', () => {
  it('change what they are about, and leave the catalog as it is', () => {
    const history = new EditHistory(tools);
    history.change('send_email', { description: 'Write to somebody.' });
    expect(history.tool('send_email')).toEqual({ ...tools[0], description: 'Write to somebody.' });
    expect(history.changes().changes).toEqual({
      send_email: { description: { before: 'Send an email.', after: 'Write to somebody.' } },
    });
    expect([...history.current]).toEqual([['send_email', { description: 'Write to somebody.' }]]);
  });

  it('are none where all is as it was', () => {
    const history = new EditHistory(tools);
    history.change('send_email', { keywords: [] });
    expect([...history.current]).toEqual([['send_email', { keywords: [] }]]);
    history.change('send_email', { keywords: ['mail'] });
    history.change('get_time', { keywords: [] });
    history.change('no_such_tool', { keywords: ['a'] });
    expect(history.current.size).toBe(0);
  });

  it('are taken back a field at a time, and done again', () => {
    const history = new EditHistory(tools);
    for (const text of ['W', 'Wr', 'Write']) history.change('send_email', { description: text });
    history.change('send_email', { keywords: ['post'] });
    history.undo();
    expect([...history.current]).toEqual([['send_email', { description: 'Write' }]]);
    history.undo();
    expect({ size: history.current.size, canUndo: history.canUndo }).toEqual({ size: 0, canUndo: false });
    history.undo();
    history.redo();
    history.redo();
    expect([...history.current]).toEqual([['send_email', { description: 'Write', keywords: ['post'] }]]);
    history.redo();
    expect(history.current.size).toBe(1);
  });

  it('of one field are two steps where the field was left between them', () => {
    const history = new EditHistory(tools);
    history.change('send_email', { description: 'One.' });
    history.seal();
    history.change('send_email', { description: 'Two.' });
    history.undo();
    expect(history.tool('send_email')?.description).toBe('One.');
  });

  it('of a tool are all taken back at once, which can be taken back as well', () => {
    const history = new EditHistory(tools);
    history.change('send_email', { description: 'One.' });
    history.change('send_email', { keywords: ['a'] });
    history.revert('send_email');
    history.revert('get_time');
    expect(history.current.size).toBe(0);
    history.undo();
    expect(history.current.get('send_email')).toEqual({ description: 'One.', keywords: ['a'] });
  });

  it('are kept over a reload, and taken from another tab, as far as they are of the tools that there are', () => {
    let text = '';
    const store = { read: () => text, write: (next: string) => (text = next) };
    const history = new EditHistory(tools, store);
    history.change('send_email', { description: 'One.' });
    history.addKeyword('get_time', 'clock');
    const again = new EditHistory(tools, store);
    expect(again.current).toEqual(history.current);
    again.revert('send_email');
    history.reload();
    expect([...history.current]).toEqual([['get_time', { keywords: ['clock'] }]]);
    for (const kept of ['{', 'null', '[["gone",{"description":"x"}],["get_time",{"description":7,"keywords":"no"}]]']) {
      text = kept;
      expect(new EditHistory(tools, store).current.size).toBe(0);
    }
  });

  it('tell of each change, until nobody wants to hear', () => {
    const history = new EditHistory(tools);
    const listener = vi.fn();
    const stop = history.subscribe(listener);
    history.change('send_email', { description: 'One.' });
    const { current } = history;
    history.undo();
    stop();
    history.redo();
    expect(listener).toHaveBeenCalledTimes(2);
    expect(history.current).toBe(current);
  });

  it('can all be taken back, whatever was done', () => {
    const step = fc.record({
      name: fc.constantFrom('send_email', 'get_time'),
      edit: fc.oneof(
        fc.record({ description: fc.constantFrom('', 'A.', 'Send an email.') }),
        fc.record({ keywords: fc.array(fc.constantFrom('mail', 'b'), { maxLength: 2 }) }),
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const history = new EditHistory(tools);
        for (const { name, edit } of steps) history.change(name, edit);
        const end = [...history.current];
        while (history.canUndo) history.undo();
        expect(history.current.size).toBe(0);
        for (const _ of steps) history.redo();
        expect([...history.current]).toEqual(end);
      }),
    );
  });
});

it.each([
  ['mail, letter', ['mail', 'letter']],
  [' mail \n\nletter,, mail', ['mail', 'letter']],
  ['pull request', ['pull request']],
  [' ', []],
])('reads the keywords %j', (text, expected) => {
  expect(keywordsIn(text)).toEqual(expected);
});
