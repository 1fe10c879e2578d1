import { describe, expect, it } from 'vitest';
import {
  bounded,
  NO_SERVER,
  partNodes,
  serverNodes,
  type TokenNode,
  toolNodes,
  toolTokens,
} from '../../../../src/inspect/page/tokens/token-tree.ts';

const count = (text: string): number => text.length;
const weather = {
  name: 'get_weather',
  description: 'Get the weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'] } } },
  group: 'weather',
};
const tools = [
  { name: 'send_email', description: 'Send an email', group: 'mail' },
  weather,
  { name: 'get_forecast', description: '', group: 'weather' },
  { name: 'clock', description: 'Now' },
];
const tokensOf = new Map(tools.map((tool) => [tool.name, toolTokens(tool, count)]));
const sum = (nodes: readonly TokenNode[]): number => nodes.reduce((total, { tokens }) => total + tokens, 0);

describe('the tree of tokens', () => {
  it('sums up the tools of each server, most tokens first', () => {
    const servers = serverNodes(tools, tokensOf);
    expect(servers.map(({ label, tools: own }) => [label, own])).toEqual([
      ['weather', 2],
      ['mail', 1],
      ['no server', 1],
    ]);
    expect(sum(servers)).toBe([...tokensOf.values()].reduce((total, one) => total + one, 0));
  });

  it('lists the tools of one server, and those of none', () => {
    expect(toolNodes(tools, 'weather', tokensOf).map(({ key }) => key)).toEqual(['get_weather', 'get_forecast']);
    expect(toolNodes(tools, NO_SERVER, tokensOf).map(({ key }) => key)).toEqual(['clock']);
  });

  it('takes a tool apart into parts that sum up to the whole', () => {
    const parts = partNodes(weather, count);
    expect(parts.map(({ label }) => label)).toEqual([
      'braces, required and the rest',
      'unit',
      'city',
      'description',
      'name',
    ]);
    expect(sum(parts)).toBe(toolTokens(weather, count));
  });

  it.each([undefined, null, 7, { properties: null }, { properties: 'none' }])(
    'reads the schema %j as one without parameters',
    (inputSchema) => {
      expect(partNodes({ ...weather, inputSchema }, count).map(({ label }) => label)).not.toContain('city');
    },
  );

  it('tells a parameter from the part of the same name', () => {
    const parts = partNodes({ ...weather, inputSchema: { properties: { name: {}, rest: {} } } }, count);
    expect(new Set(parts.map(({ key }) => key)).size).toBe(parts.length);
  });

  it('stands one node in for all beyond the bound', () => {
    const nodes = toolNodes(
      tools.map((tool) => ({ ...tool, group: 'one' })),
      'one',
      tokensOf,
    );
    expect(bounded(nodes, 4)).toEqual({ shown: nodes });
    const { shown, rest } = bounded(nodes, 3);
    expect(shown).toEqual(nodes.slice(0, 2));
    expect(rest).toMatchObject({ label: '2 others', tools: 2 });
    expect(sum(shown) + (rest?.tokens ?? 0)).toBe(sum(nodes));
  });
});
