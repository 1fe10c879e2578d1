import type { WordExplanation } from '../../../scorers/scorer.ts';

/** The ways in which a word is found, as the page says them. */
export const BY: Readonly<Record<WordExplanation['by'], string>> = {
  word: 'the word itself',
  form: 'another form',
  compound: 'written as one',
  guess: 'read as this',
  synonym: 'means the same',
  server: 'said of all its tools',
  nothing: 'not found',
};

/** The fields of a tool, as the page says them. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['name', 'name'],
  ['keywords', 'keywords'],
  ['title', 'title'],
  ['summary', 'first sentence'],
  ['description', 'description'],
  ['parameters', 'parameters'],
  ['parameterDescriptions', 'about parameters'],
  ['server', 'server'],
]);

/** The fields in which a word was found, with the weight there, the highest first. */
export function fieldsOf({ fields }: WordExplanation): readonly (readonly [field: string, weight: number])[] {
  return Object.entries(fields)
    .sort(([, one], [, other]) => other - one)
    .map(([field, weight]) => [FIELDS.get(field) ?? field, weight]);
}

/** The place for which a tiered scorer gives so many points. */
export function tierOf(points: number): string {
  if (points >= 10) return 'a part of the name';
  if (points >= 5) return 'in a part of the name';
  if (points >= 3) return 'in the name';
  return points > 0 ? 'in the description or the keywords' : 'not found';
}
