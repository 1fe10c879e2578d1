import { describe, expect, it } from 'vitest';
import { ActiveTools, extendActiveTools } from '../../src/mastra/hiding.ts';

const first = {};
const second = {};

describe('the list of active tools', () => {
  it('has the active tools that the step received and what was added, each once', () => {
    expect(ActiveTools.of(undefined, ['own'], ['search', 'own']).list).toEqual(['own', 'search']);
  });

  it('leaves out hiddenTools names from its entries and from includes(), until other names are withheld', () => {
    const tools = ActiveTools.of(undefined, ['own'], ['search', 'deferred']);
    const { list } = tools;
    tools.hide(first, ['deferred']);
    expect([[...list], list.includes('deferred'), list.includes('own')]).toEqual([['own', 'search'], false, true]);
    tools.hide(first, ['search']);
    expect([[...list], list.includes('deferred'), list.includes('search')]).toEqual([['own', 'deferred'], true, false]);
  });

  it('includes what a later processor adds, unless the caller restricts the tools', () => {
    expect(ActiveTools.of(undefined, ['own'], []).list.includes('later')).toBe(true);
    expect(ActiveTools.of(['own'], ['own', 'other'], ['search']).list).toEqual(['own', 'search']);
    expect(ActiveTools.of(['own'], ['own', 'other'], ['search']).list.includes('other')).toBe(false);
  });

  it('of an earlier processor is extended, and both processors withhold', () => {
    const before = ActiveTools.of(undefined, ['own'], ['a', 'b']);
    before.hide(first, ['a']);
    const after = ActiveTools.of(before.list, [], ['c', 'd']);
    after.hide(second, ['c']);
    expect([...after.list]).toEqual(['own', 'b', 'd']);
    before.hide(first, ['b']);
    expect([...after.list]).toEqual(['own', 'a', 'd']);
    expect(after.list.includes('b')).toBe(false);
  });

  it('of native mode is extended in load mode too, while any other list is copied', () => {
    const native = ActiveTools.of(undefined, ['own'], ['a']);
    expect(extendActiveTools(native.list, ['b'])).toBe(native.list);
    expect([...native.list]).toEqual(['own', 'a', 'b']);
    const callers = ['own'];
    expect(extendActiveTools(callers, ['own', 'b'])).toEqual(['own', 'b']);
    expect(callers).toEqual(['own']);
  });

  it.each<[string, (list: string[]) => unknown, string[]]>([
    ['splice', (list) => list.splice(0, 1), ['a', 'b']],
    ['length', (list) => (list.length = 0), []],
    ['push', (list) => list.push('later'), ['own', 'a', 'b', 'later']],
    ['an index', (list) => (list[2] = 'later'), ['own', 'a', 'later']],
  ])('decides itself once another changed it by %s, and no rule does', async (_, change, shown) => {
    const tools = ActiveTools.of(undefined, ['own'], ['a', 'b']);
    tools.decideBy((name) => name === 'place' || undefined);
    const names = ['own', 'a', 'b', 'later', 'place'];
    expect(names.every((name) => tools.list.includes(name))).toBe(true);
    change(tools.list);
    await Promise.resolve();
    expect(names.filter((name) => tools.list.includes(name))).toEqual(shown);
    const after = ActiveTools.of(tools.list, [], ['search']);
    after.hide(first, ['b']);
    after.note('noted');
    expect([...after.list]).toEqual([...shown.filter((name) => name !== 'b'), 'search', 'noted']);
    expect(after.list.includes('place')).toBe(false);
  });

  it('is serialized as names alone', () => {
    expect(JSON.stringify(ActiveTools.of(undefined, ['own'], ['a']).list)).toBe('["own","a"]');
  });
});
