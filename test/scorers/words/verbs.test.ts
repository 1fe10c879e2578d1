import { bm25Scorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { verbsOf } from '../../../src/scorers/words/query-words.ts';
import { document } from '../../fixtures/tools.ts';
import { namesOf } from '../scorer-contract.ts';

describe('verbsOf()', () => {
  it.each([
    ['addition', 'add'],
    ['composition', 'compose'],
    ['creation', 'create'],
    ['multiplication', 'multiply'],
    ['division', 'divide'],
    ['subscription', 'subscribe'],
    ['conversion', 'convert'],
    ['extension', 'extend'],
    ['resolution', 'resolve'],
    ['permission', 'permit'],
    ['payment', 'pay'],
  ])('returns for the noun %s the verb %s among others', (noun, verb) => {
    expect(verbsOf(noun)).toContain(verb);
  });

  it.each(['station', 'vision', 'add', 'cement', '', 'constructor'])('returns none for "%s"', (word) => {
    expect(verbsOf(word)).toEqual([]);
  });
});

describe('a noun in a query', () => {
  const tools = [
    document('add', 'Adds two numbers.'),
    document('get_page', 'Reads a page, with additional options.'),
    document('divide_numbers', 'Divides.'),
  ];

  it('finds its verb when no tool has the noun, also where another word has its stem', async () => {
    expect(await namesOf(bm25Scorer(), tools, 'addition')).toContain('add');
    expect((await namesOf(bm25Scorer(), tools, 'addition of numbers'))[0]).toBe('add');
    expect(await namesOf(bm25Scorer(), tools, 'division')).toEqual(['divide_numbers']);
  });

  it('does not find its verb when a tool has the noun', async () => {
    const names = await namesOf(bm25Scorer(), [...tools, document('division_list', 'Lists.')], 'division');
    expect(names).toEqual(['division_list']);
  });
});
