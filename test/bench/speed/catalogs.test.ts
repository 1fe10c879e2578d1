import { describe, expect, it } from 'vitest';
import { type CatalogTool, generatedTools, toolsOf, variations } from './catalogs.ts';

const tools = generatedTools(300);
const distinct = (all: readonly CatalogTool[]): number =>
  new Set(all.flatMap(({ description }) => description.split(' '))).size;

describe('catalogs', () => {
  it('are the same each time', () => {
    expect(generatedTools(300)).toEqual(tools);
    expect(variations(tools, 500)).toEqual(variations(tools, 500));
  });

  it('have a name of its own for each tool, which every provider accepts', () => {
    const names = toolsOf({ name: 'generated', tools }, 3_000).map(({ id }) => id);
    expect(new Set(names).size).toBe(3_000);
    expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))).toEqual([]);
  });

  it('have more words when they have more tools', () => {
    expect(distinct(generatedTools(3_000))).toBeGreaterThan(2 * distinct(tools));
    expect(distinct(toolsOf({ name: 'generated', tools }, 30_000))).toBeGreaterThan(2 * distinct(tools));
  });

  it('are taken from all over a larger one', () => {
    const few = toolsOf({ name: 'generated', tools }, 3);
    expect(few).toEqual([tools[0], tools[100], tools[200]]);
  });
});
