import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { bm25Scorer, type ScorerFault, type ToolDocument, type ToolIndex, ToolSearchError } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/scorers/bm25/saved-key.ts';
import type { IncrementalIndex } from '../../../src/scorers/incremental-index.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { document } from '../../fixtures/tools.ts';
import { changeOf, histories, QUERIES } from '../changing-catalogs.ts';

const birds = [
  document('read_heron', 'Reads a heron. Needs a key.'),
  document('send_email', 'Sends mail to people.', { keywords: ['post'] }),
  document('天气', '查询天气。'),
];

/** An index with the faults that it reported. */
async function opened(documents: readonly ToolDocument[], saved?: Uint8Array) {
  const faults: ScorerFault[] = [];
  const context = { report: (fault: ScorerFault) => faults.push(fault) };
  const index = (await bm25Scorer(saved ? { saved } : {}).index(documents, context)) as IncrementalIndex;
  return { index, faults: faults.map(({ error }) => (error as Error).message) };
}

async function savedOf(documents: readonly ToolDocument[]): Promise<Uint8Array> {
  const bytes = (await opened(documents)).index.save?.();
  if (!bytes) throw new Error('Nothing was saved.');
  return bytes;
}

/** All that an index says. */
async function sayings(index: ToolIndex): Promise<unknown> {
  const said: unknown[] = [];
  for (const text of QUERIES) {
    const query = parseQuery(text);
    const matches = await index.search(query);
    const names = matches.map(({ name }) => name);
    said.push([matches, await index.confidence?.(query, names), await index.explain?.(query, names[0] ?? '')]);
  }
  return said;
}

describe('an index that was saved', () => {
  it('says, once loaded, what the built one says, to the last digit', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ([documents = [], next = [], last = []]) => {
        const built = (await opened(documents)).index;
        const { index: loaded, faults } = await opened(documents, await savedOf(documents));
        expect(faults).toEqual([]);
        expect(await sayings(loaded)).toEqual(await sayings(built));

        const part = new Set(documents.filter((_, at) => at % 3 !== 0).map(({ name }) => name));
        const [partOfLoaded, partOfBuilt] = [await loaded.restrictedTo?.(part), await built.restrictedTo?.(part)];
        expect(await sayings(partOfLoaded as ToolIndex)).toEqual(await sayings(partOfBuilt as ToolIndex));

        for (const after of [next, last]) {
          const { added, removed } = changeOf(documents, after);
          const updated = await loaded.update?.(added, removed);
          if (updated) expect(await sayings(updated)).toEqual(await sayings((await opened(after)).index));
          expect(updated?.save?.()).toBe(undefined);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('has the same bytes when it is loaded and saved again', async () => {
    const saved = await savedOf(birds);
    expect((await opened(birds, saved)).index.save?.()).toEqual(saved);
  });

  it.each([
    { what: 'Uint8Array', make: (length: number) => new Uint8Array(length) },
    { what: 'Buffer', make: (length: number) => Buffer.alloc(length) },
  ])('loads from a part of a larger $what, as clients of databases return it', async ({ make }) => {
    const saved = await savedOf(birds);
    for (const offset of [0, 1, 2, 3, 4]) {
      const larger = make(saved.length + 9);
      larger.set(saved, offset);
      const { faults, index } = await opened(birds, larger.subarray(offset, offset + saved.length));
      expect(faults).toEqual([]);
      expect(await sayings(index)).toEqual(await sayings((await opened(birds)).index));
    }
  });

  it('serves scorers with other weights and synonyms, which it does not hold', async () => {
    const options = { boosts: { name: 9, description: 0 }, synonyms: [{ words: ['stork', 'heron'] }] };
    const loaded = await bm25Scorer({ ...options, saved: await savedOf(birds) }).index(birds);
    expect(await sayings(loaded)).toEqual(await sayings(await bm25Scorer(options).index(birds)));
  });

  it('holds no document: neither names nor descriptions as they are written', async () => {
    const text = new TextDecoder('latin1').decode(await savedOf(birds));
    expect(text).not.toContain('read_heron');
    expect(text).not.toContain('Needs a key');
  });
});

describe('bytes that are not the index of these tools', () => {
  const other = [...birds.slice(1), document('read_stork', 'Reads a stork.')];
  const builds = async (bytes: Uint8Array, fault: RegExp) => {
    const { index, faults } = await opened(birds, bytes);
    expect(faults).toEqual([expect.stringMatching(fault)]);
    expect(await sayings(index)).toEqual(await sayings((await opened(birds)).index));
  };

  it('are reported, and the index is built: of other tools', async () => {
    await builds(await savedOf(other), /^"saved" is not used: the saved index is that of other tools/);
  });

  it.each([
    { what: 'nothing', bytes: new Uint8Array() },
    { what: 'a picture', bytes: Uint8Array.from({ length: 5_000 }, (_, at) => (at * 7919) % 256) },
    { what: 'a text', bytes: new TextEncoder().encode('mastra-tool-search index'.repeat(50)) },
  ])('are reported, and the index is built: $what', async ({ bytes }) => {
    await builds(bytes, /^"saved" is not used: /);
  });

  it('are reported, and the index is built: with any one byte changed, or any number cut off', async () => {
    const saved = await savedOf(birds);
    await fc.assert(
      fc.asyncProperty(fc.nat(saved.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = saved.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        await builds(changed, /^"saved" is not used: /);
        await builds(saved.slice(0, at), /^"saved" is not used: /);
      }),
      { numRuns: 60 },
    );
  });

  it('neither hang nor throw where their checksum fits, but their parts do not', async () => {
    const saved = await savedOf(birds);
    // Of the header, only what is before the checksum is not in it.
    const sumAt = 'mastra-tool-search index'.length + 4 + 64;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(saved.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        async (changes) => {
          const hostile = saved.slice();
          for (const [at, byte] of changes) if (at >= sumAt + 32) hostile[at] = byte;
          hostile.set(
            createHash('sha256')
              .update(hostile.subarray(sumAt + 32))
              .digest(),
            sumAt,
          );
          const { index } = await opened(birds, hostile);
          const names = new Set(birds.map(({ name }) => name));
          for (const text of QUERIES) {
            for (const { name } of await index.search(parseQuery(text))) expect([...names, '']).toContain(name);
          }
          await index.restrictedTo?.(new Set(['send_email']));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are refused by the constructor where they are no bytes', () => {
    expect(() => bm25Scorer({ saved: 'abc' as never })).toThrow(ToolSearchError);
  });
});

it('the key of an index has the version of the package', () => {
  expect((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version).toBe(VERSION);
});
