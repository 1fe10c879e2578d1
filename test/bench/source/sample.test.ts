import { expect, it } from 'vitest';
import { readCorpus } from './corpus.ts';
import { Documents } from './documents.ts';
import { sample } from './sample.ts';

const { tools } = readCorpus();
const documents = new Documents(tools);
const whole = { total: 100_000, labelled: tools.length };

it('takes a small sample evenly from all documents', () => {
  const names = [...sample(documents, 1_000, whole)].map(({ id }) => id);
  expect(names).toEqual(Array.from({ length: 1_000 }, (_, at) => documents.at(at * 100).id));
});

it('takes the labelled tools into a large one, and each document once', () => {
  const names = [...sample(documents, 20_000, whole)].map(({ id }) => id);
  expect(names.slice(0, tools.length)).toEqual(tools.map(({ id }) => id));
  expect(new Set(names).size).toBe(20_000);
});

it('is the whole where it is as large', () => {
  const all = { total: 5_000, labelled: 10 };
  expect([...sample(documents, 5_000, all)]).toEqual([...documents.take(5_000)]);
});
