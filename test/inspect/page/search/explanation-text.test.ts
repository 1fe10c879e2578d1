import { expect, it } from 'vitest';
import { fieldsOf, sumOf, tierOf } from '../../../../src/inspect/page/search/explanation-text.ts';
import { bm25Scorer } from '../../../../src/scorers/bm25/bm25.ts';
import { FIELDS } from '../../../../src/scorers/bm25/settings.ts';
import { tieredScorer } from '../../../../src/scorers/tiered.ts';
import { parseQuery } from '../../../../src/scorers/words/query.ts';
import { document } from '../../../fixtures/tools.ts';

it('names the fields of a word, the weightiest first', async () => {
  const index = await bm25Scorer().index([document('send_email', 'Send an email.'), document('b')]);
  const [word] = (await index.explain?.(parseQuery('email'), 'send_email'))?.words ?? [];
  expect(word && fieldsOf(word).map(([field]) => field)).toEqual(['name', 'first sentence']);
});

it('has a name for each field', () => {
  const fields = Object.fromEntries(FIELDS.map((field, at) => [field, at]));
  const word = { word: 'a', found: 'a', by: 'word', fields, score: 1 } as const;
  for (const [field] of fieldsOf(word)) expect(field).toMatch(/^[a-z ]+$/);
});

it.each([
  ['email', 'a part of the name'],
  ['mail', 'in a part of the name'],
  ['send_e', 'in the name'],
  ['letter', 'in the description or the keywords'],
  ['banana', 'not found'],
])('says for what a tiered scorer gives its points: %s is %s', async (keyword, tier) => {
  const index = await tieredScorer().index([document('send_email', 'Send a letter.')]);
  const [match] = await index.search(parseQuery(keyword));
  expect(tierOf(match?.score ?? 0)).toBe(tier);
});

it.each([
  ['send an email', 'bm25', /^Score \S+: the words add \S+, × \S+ for coverage and name\.$/],
  ['send_email', 'bm25', /the words add \S+, the name in the query the rest\.$/],
  [`${'an email please '.repeat(8)}send`, 'agent: bm25', /^Score \S+: the words add/],
  ['send an email', 'hybrid', /^Score [\d.]+\.$/],
])('says what the score comes of: %s with %s', async (text, scorer, says) => {
  const index = await bm25Scorer().index([document('send_email', 'Send an email.'), document('b')]);
  const query = parseQuery(text);
  const [match] = await index.search(query);
  const explanation = await index.explain?.(query, 'send_email');
  expect(explanation && sumOf(explanation, match?.score ?? 0, scorer)).toMatch(says);
});
