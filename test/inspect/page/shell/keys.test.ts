import { describe, expect, it } from 'vitest';
import { commandOf, KEYS, type KeyPlace } from '../../../../src/inspect/page/shell/keys.ts';

const nowhere: KeyPlace = { isTyping: false, isSearch: false, isEmpty: false, isRow: false };
const typing: KeyPlace = { ...nowhere, isTyping: true };
const inSearch: KeyPlace = { ...typing, isSearch: true };
const inEmpty: KeyPlace = { ...inSearch, isEmpty: true };
const onRow: KeyPlace = { ...nowhere, isRow: true };
const press = (key: string, modifiers: { ctrlKey?: boolean; metaKey?: boolean; altKey?: boolean } = {}) => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false },
  ...modifiers,
});

describe('a key of the page', () => {
  it.each([
    ['/', nowhere, { type: 'search' }],
    ['?', nowhere, { type: 'help' }],
    ['1', nowhere, { type: 'view', place: 0 }],
    ['8', onRow, { type: 'view', place: 7 }],
    ['j', onRow, { type: 'move', by: 1 }],
    ['ArrowUp', onRow, { type: 'move', by: -1 }],
    ['ArrowDown', inSearch, { type: 'move', by: 1 }],
    ['ArrowRight', onRow, { type: 'across', by: 1 }],
    ['End', onRow, { type: 'end', isLast: true }],
    [' ', onRow, { type: 'explain' }],
    ['Escape', inSearch, { type: 'back' }],
    ['U', nowhere, { type: 'redo' }],
    ['/', inEmpty, { type: 'search' }],
    ['?', inEmpty, { type: 'help' }],
  ])('%s does what it should', (key, place, command) => {
    expect(commandOf(press(key), place)).toEqual(command);
  });

  it.each([
    ['j', typing, 'is a letter of a text'],
    ['/', inSearch, 'is a sign of the query'],
    ['?', inSearch, 'is a sign of the query'],
    ['1', typing, 'is a digit of a text'],
    ['1', inEmpty, 'begins a query'],
    ['ArrowDown', typing, 'moves within a text of several lines'],
    ['ArrowUp', inSearch, 'goes to the beginning of the query'],
    [' ', nowhere, 'scrolls the page'],
    ['ArrowRight', nowhere, 'scrolls the page'],
    ['x', onRow, 'means nothing'],
    ['0', nowhere, 'is no view'],
  ])('%s stays the browser’s where it %#', (key, place) => {
    expect(commandOf(press(key), place)).toBe(undefined);
  });

  it.each([{ ctrlKey: true }, { metaKey: true }, { altKey: true }])('with %j is the browser’s', (modifiers) => {
    for (const key of ['/', '1', 'j', 'Escape', 'u']) expect(commandOf(press(key, modifiers), nowhere)).toBe(undefined);
  });

  it('is in the help', () => {
    const told = KEYS.map(([keys]) => keys).join(' ');
    for (const key of ['/', '?', 'j', 'k', 'u', 't', 'e', 'Esc', 'Enter']) expect(told).toContain(key);
  });
});
