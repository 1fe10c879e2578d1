import type { MatchExplanation, WordExplanation } from '../../../kit.ts';
import { shortNumber } from '../ui/numbers.ts';

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

/** The scorers whose scores come of the words: the page's, and that of an agent. Others fuse or judge them. */
const ADDING: readonly string[] = ['bm25', 'agent: bm25'];
/** A factor this near to 1 makes no difference that is shown. */
const NO_FACTOR = 0.005;
/** Words of a query from which on its sentences count by themselves as well. */
const LONG = 14;

/** The score, and how it comes of what the words add. */
export function sumOf({ words, isNamed }: MatchExplanation, score: number, scorer: string): string {
  const sum = words.reduce((total, word) => total + word.score, 0);
  const factor = score / sum;
  const shown = `Score ${shortNumber(score)}`;
  if (!ADDING.includes(scorer) || !Number.isFinite(factor)) return `${shown}.`;
  const added = `the words add ${shortNumber(sum)}`;
  if (isNamed) return `${shown}: ${added}, the name in the query the rest.`;
  if (Math.abs(factor - 1) < NO_FACTOR) return `${shown}: ${added}.`;
  return `${shown}: ${added}, × ${factor.toFixed(2)} for coverage${words.length < LONG ? ' and name' : ', name and the best sentence'}.`;
}

/** The place for which a tiered scorer gives so many points. */
export function tierOf(points: number): string {
  if (points >= 10) return 'a part of the name';
  if (points >= 5) return 'in a part of the name';
  if (points >= 3) return 'in the name';
  return points > 0 ? 'in the description or the keywords' : 'not found';
}
