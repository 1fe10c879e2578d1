import { expect, it } from 'vitest';
import { isToolSource } from '../../src/catalog/tool-source.ts';
import { memorySource, TENANT } from '../support/memory-source.ts';
import { tool } from '../support/simple-tools.ts';
import { describeToolSource } from './tool-source-contract.ts';

const make = async (list: boolean) => {
  const source = await memorySource({}, { list });
  return {
    source,
    fill: source.fill,
    enter: (requestContext: { set(key: string, value: unknown): void }, tenant: string) =>
      requestContext.set(TENANT, tenant),
  };
};

describeToolSource('memorySource()', () => make(true));
describeToolSource('memorySource({ list: false })', () => make(false), { hasList: false });

it('is known by its methods: tools may be called "search" and "get"', () => {
  expect(isToolSource({ search: () => [], get: () => ({}) })).toBe(true);
  expect(isToolSource({ search: tool('search'), get: tool('get') })).toBe(false);
  for (const other of [undefined, null, {}, { search: () => [] }, { get: () => ({}) }, 'search', () => ({})])
    expect(isToolSource(other)).toBe(false);
});
