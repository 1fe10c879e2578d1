import { bm25Scorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { namesAmong } from '../../../src/scorers/words/query-words.ts';
import { document } from '../../fixtures/tools.ts';
import { namesOf } from '../scorer-contract.ts';

const KNOWN = new Set(['play', 'songs', 'del', 'google', 'doc', 'create', 'max', 'send', 'to']);

describe('the short words of a name', () => {
  it.each([
    { query: 'play songs of Lana Del Rey', names: ['lana', 'del', 'rey'], why: 'two of three are unknown' },
    {
      query: 'Play Lana Del Rey songs',
      names: ['lana', 'del', 'rey'],
      why: 'the first word of a query is not looked at',
    },
    { query: 'send mail to Max Mustermann', names: ['max'], why: 'a longer word means what it says' },
    { query: 'create a Google Doc', names: [], why: 'all are known' },
    { query: 'Lana Del Rey', names: [], why: 'titles are written so as a whole' },
    { query: 'play lana del rey', names: [], why: 'nothing tells that it is one' },
    { query: 'Del the songs', names: [], why: 'it stands alone' },
    { query: 'play DEL REY', names: [], why: 'abbreviations are written so' },
    { query: '', names: [], why: 'there are no words' },
  ])('are $names in "$query": $why', ({ query, names }) => {
    expect([...namesAmong(parseQuery(query).keywords, (word) => KNOWN.has(word))]).toEqual(names);
  });

  it('are no abbreviations', async () => {
    const documents = [document('delete_song', 'Delete a song of the library.'), document('play_song', 'Play a song.')];
    const names = (query: string) => namesOf(bm25Scorer(), documents, query);
    expect(await names('del Rey song')).toEqual(['delete_song', 'play_song']);
    expect(await names('hear a song by Lana Del Rey')).toEqual(['play_song', 'delete_song']);
  });
});
