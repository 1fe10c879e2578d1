import { describe, expect, it } from 'vitest';
import { levelAt } from '../../../../src/inspect/page/tokens/levels.ts';

const tools = Array.from({ length: 200 }, (_, at) => ({
  name: `tool_${at}`,
  description: 'x'.repeat(200 - at),
  ...(at < 100 ? { group: `server ${at % 2}` } : {}),
}));
const tokensOf = new Map(tools.map(({ name }, at) => [name, 1_000 - at]));
const level = (place: Partial<Parameters<typeof levelAt>[0]>, some = tools) =>
  levelAt({ tool: '', from: 0, ...place }, some, tokensOf, (text) => text.length);

describe('levelAt', () => {
  it('begins with the servers', () => {
    const { title, noun, tiles, above, hashOf } = level({});
    expect({ title, noun, above, tiles: tiles.map(({ label }) => label) }).toEqual({
      ...{ title: 'All servers', noun: 'servers', above: [] },
      tiles: ['server 0', 'server 1', 'no server'].sort((one, other) =>
        one === 'no server' ? -1 : one < other ? -1 : 1,
      ),
    });
    expect(tiles.map(hashOf)).toContain('#/tokens?server=server+1');
  });

  it('goes on with the tools of a server, and the parts of a tool', () => {
    const server = level({ server: 'server 1' });
    expect(server).toMatchObject({ title: 'server 1', noun: 'tools', above: [{ hash: '#/tokens' }] });
    expect(server.tiles[0] && server.hashOf(server.tiles[0])).toBe('#/tokens/tool_1');
    const tool = level({ tool: 'tool_1' });
    expect(tool).toMatchObject({
      ...{ title: 'tool_1', noun: 'parts' },
      above: [{ hash: '#/tokens' }, { title: 'server 1', hash: '#/tokens?server=server+1' }],
    });
    expect(tool.tiles.map(tool.hashOf)).toEqual(tool.tiles.map(() => undefined));
  });

  it('has the smaller ones behind a link', () => {
    const first = level({ server: ' ' });
    expect(first.rest).toMatchObject({ label: '41 others', hash: '#/tokens?server=+&from=59' });
    const second = level({ server: ' ', from: 59 });
    expect(second).toMatchObject({
      title: 'The 41 smaller of Tools of no server',
      above: [{}, { hash: '#/tokens?server=+' }],
    });
    expect(second.tiles).toHaveLength(41);
    expect(second.rest).toBeUndefined();
    expect([...first.tiles, ...second.tiles].map(({ key }) => key).sort()).toEqual(
      tools
        .slice(100)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('begins with the tools where there is one server, or none', () => {
    const one = level({}, tools.slice(100));
    expect(one).toMatchObject({ title: 'Tools of no server', noun: 'tools', above: [] });
  });

  it('reads an address of another catalog as the nearest level', () => {
    expect(level({ tool: 'unknown' }).title).toBe('All servers');
    expect(level({ server: 'unknown' }).tiles).toEqual([]);
  });
});
