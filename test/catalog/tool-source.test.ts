import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { tool } from '../support/agent.ts';
import { memorySource, TENANT } from '../support/memory-source.ts';
import { namesOf, refusal } from './catalogs.ts';
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

it('is known by its methods: tools may be called "search" and "get"', async () => {
  const source = new ToolSearchProcessor({ tools: { search: () => [], get: () => ({}) } });
  await expect(source.inspector()).rejects.toThrow('never listed whole');
  expect(await namesOf({ search: tool('search'), get: tool('get') })).toEqual(['search', 'get']);
  for (const half of [{ search: () => [] }, { get: () => ({}) }]) expect(refusal(half).code).toBe('invalid-tool');
});
