import { bm25Scorer, type ToolDocument } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import type { IncrementalIndex } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { document } from '../fixtures/tools.ts';

const explained = async (documents: readonly ToolDocument[], text: string, name: string) =>
  (await bm25Scorer().index(documents)).explain?.(parseQuery(text), name);

const both = document('read_heron', 'Reads a bird.');
const other = document('parcel', 'Reads a parcel.');

describe('of a tool that has a word in two forms, the explanation', () => {
  it('names the one that was written', async () => {
    expect(await explained([both, other], 'read', 'read_heron')).toMatchObject({
      words: [{ found: 'read', by: 'word' }],
    });
  });

  it('names the one that was written, whatever the order of the tools', async () => {
    expect(await explained([other, both], 'read', 'read_heron')).toEqual(
      await explained([both, other], 'read', 'read_heron'),
    );
  });

  it('is the same after an update as in an index that is built anew', async () => {
    const index: IncrementalIndex = await bm25Scorer().index([document('heron'), other]);
    const updated = await index.update?.([both], ['heron']);
    expect(await updated?.explain?.(parseQuery('read'), 'read_heron')).toEqual(
      await explained([both, other], 'read', 'read_heron'),
    );
  });
});
