import { describe, expect, it } from 'vitest';
import { filterTools, permittedTools } from '../../../../src/inspect/page/user/permissions.ts';

const tool = (name: string, group?: string) => ({ name, description: '', ...(group ? { group } : {}) });
const tools = permittedTools([tool('send', 'mail'), tool('delete', 'mail'), tool('clock')], {
  search: ['send', 'delete', 'toString', 'own'],
  load: ['send'],
  active: ['send', 'own'],
  tools: [tool('send', 'mail'), tool('own')],
});
const names = (list: typeof tools): string[] => list.map(({ name }) => name);

describe('permittedTools', () => {
  it('says of each tool in which phases the user is let through', () => {
    expect(tools.map(({ name, allowed, isOwn }) => [name, ...Object.values(allowed), isOwn])).toEqual([
      ['send', true, true, true, false],
      ['delete', true, false, false, false],
      ['clock', false, false, false, false],
      ['own', true, false, true, true],
    ]);
  });
});

describe('filterTools', () => {
  it('lists those that are allowed, denied, or allowed in part', () => {
    expect(names(filterTools(tools, 'all', ''))).toHaveLength(4);
    expect(names(filterTools(tools, 'allowed', ''))).toEqual(['send']);
    expect(names(filterTools(tools, 'denied', ''))).toEqual(['clock']);
    expect(names(filterTools(tools, 'mixed', ''))).toEqual(['delete', 'own']);
  });

  it('looks for a text in names and servers', () => {
    expect(names(filterTools(tools, 'all', ' MAIL '))).toEqual(['send', 'delete']);
    expect(names(filterTools(tools, 'all', 'ow'))).toEqual(['own']);
  });
});
