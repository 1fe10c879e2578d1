import { describe, expect, it } from 'vitest';
import { nearMissesOf, OWN_SET, readSet } from './sets.ts';

describe('the requests that nothing serves, though something is near', () => {
  it('are each asked once of a catalog', () => {
    const queries = nearMissesOf('mcp-dev').map(({ query }) => query);
    expect(queries.length).toBeGreaterThan(150);
    expect(new Set(queries).size).toBe(queries.length);
  });

  it('are none of the labelled queries', () => {
    const labelled = new Set(readSet(OWN_SET).queries.map(({ query }) => query.toLowerCase()));
    expect(nearMissesOf('mcp-dev').filter(({ query }) => labelled.has(query.toLowerCase()))).toEqual([]);
  });
});
