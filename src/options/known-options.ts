import { invalidOption, ToolSearchError } from '../errors.ts';
import { didYouMean, editDistance } from '../scorers/words/suggest.ts';
import { splitIdentifier } from '../scorers/words/words.ts';
import { isRecord } from '../util/record.ts';

/** The names of the options that an object may have, with those of the objects inside it. */
export interface OptionNames {
  readonly [name: string]: true | OptionNames;
}

/** The names of a type's options: `{ … } satisfies NamesOf<Options>` compiles only with all of them and no other. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true | OptionNames>>;

/** The names of an object that has all options. */
export function namesOf<Options extends object>(all: Options): NamesOf<Options> {
  return Object.fromEntries(Object.keys(all).map((name) => [name, true])) as NamesOf<Options>;
}

/** Paths that an unknown name may stand for. */
const MAX_SUGGESTIONS = 3;
/** Characters of an unknown name that count and are repeated. */
const MAX_NAME = 100;
/** Likeness of the same name at another level; a name of the unknown one's own level comes first. */
const ELSEWHERE = 0.9;

/**
 * Refuses unknown options, at every level: a misspelt option would otherwise do nothing. An undefined option counts as
 * absent; inherited ones are not looked at.
 *
 * @param owner - the class or function that the options are given to.
 * @throws ToolSearchError `invalid-option`, with the option that was probably meant.
 */
export function refuseUnknownOptions(owner: string, options: unknown, known: OptionNames): void {
  if (!isRecord(options)) throw invalidOption('options', options, 'an object');
  refuseUnknownIn(options, known, '', (unknown, level) => {
    const { paths, isSure } = pathsMeant(unknown, known);
    const names = Object.keys(level);
    const all = `there ${names.length === 1 ? 'is' : 'are'} only ${names.join(', ')}.`;
    const remedy = paths.length === 0 ? ` T${all.slice(1)}` : `${didYouMean(paths)}${isSure ? '' : ` If not, ${all}`}`;
    const path = `${unknown.parent}${unknown.name.slice(0, MAX_NAME)}`;
    return new ToolSearchError('invalid-option', `"${path}" is no option of ${owner}.${remedy}`);
  });
}

/** An option that there is not. */
interface UnknownOption {
  readonly name: string;
  readonly value: unknown;
  /** The path of the object that has it, up to the dot before its name. */
  readonly parent: string;
}

function refuseUnknownIn(
  options: object,
  known: OptionNames,
  parent: string,
  errorOf: (unknown: UnknownOption, level: OptionNames) => ToolSearchError,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name)) throw errorOf({ name, value, parent }, known);
    const inner = known[name];
    if (typeof inner === 'object' && isRecord(value)) {
      refuseUnknownIn(value, inner, `${parent}${name}.`, errorOf);
    }
  }
}

/**
 * The options that were probably meant: those most like the unknown one, by their name or by the words of their path
 * (`filterTimeout` for `timeouts.filter`). It is sure where all words are the same.
 */
function pathsMeant({ name, value, parent }: UnknownOption, known: OptionNames): { paths: string[]; isSure: boolean } {
  const wanted = wordsOf(name.slice(0, MAX_NAME));
  const isScalar = typeof value === 'number' || typeof value === 'string';
  let best = 0.5;
  let paths: string[] = [];
  for (const [other, level, isGroup] of optionsIn(known, '')) {
    const isHere = level === parent;
    // A number under the name of a group of another level is meant for this level.
    if (isGroup && isScalar && !isHere) continue;
    const words = wordsOf(other);
    const byName =
      Math.max(wordsAlike(wanted, words), lettersAlike(wanted.join(''), words.join(''))) * (isHere ? 1 : ELSEWHERE);
    const byPath = level === '' ? 0 : wordsAlike(wanted, wordsOf(`${level}${other}`));
    const like = Math.max(byName, byPath);
    if (like > best) [best, paths] = [like, []];
    if (like === best && like > 0.5) paths.push(`${level}${other}`);
  }
  return { paths: paths.slice(0, MAX_SUGGESTIONS), isSure: best === 1 };
}

function* optionsIn(
  known: OptionNames,
  level: string,
): Iterable<readonly [name: string, level: string, isGroup: boolean]> {
  for (const [name, inner] of Object.entries(known)) {
    yield [name, level, inner !== true];
    if (inner !== true) yield* optionsIn(inner, `${level}${name}.`);
  }
}

/** The words of a name, each without the `s` of its plural. */
function wordsOf(name: string): readonly string[] {
  return splitIdentifier(name).map((word) => (word.endsWith('s') ? word.slice(0, -1) : word));
}

/** The similarity of two names, from 0 to 1: by their words, in any order. */
function wordsAlike(one: readonly string[], other: readonly string[]): number {
  if (one.join('') === other.join('')) return 1;
  const sum = other.reduce((total, word) => total + Math.max(0, ...one.map((alike) => typosApart(alike, word))), 0);
  return sum / Math.max(one.length, other.length);
}

/** The similarity of two names by their letters: the whole of the shorter one inside the longer, or a few typos. */
function lettersAlike(one: string, other: string): number {
  const [shorter = '', longer = ''] = [one, other].sort((a, b) => a.length - b.length);
  return longer.includes(shorter) ? shorter.length / (longer.length || 1) : typosApart(one, other);
}

/** 1 for equal texts, less with each typo, 0 with more than one in four letters. */
function typosApart(one: string, other: string): number {
  const longer = Math.max(one.length, other.length, 1);
  return 1 - (editDistance(one, other, Math.floor(longer / 4)) ?? longer) / longer;
}
