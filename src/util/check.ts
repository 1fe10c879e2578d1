import { invalidOption, ToolSearchError } from '../errors.ts';
import { isRecord } from './record.ts';
import { didYouMean, editDistance } from './suggest.ts';
import { splitIdentifier } from './words.ts';

/** A check of an option's value. */
export interface Check {
  /** The end of an error's sentence, after "must be". */
  readonly expected: string;
  holds(value: unknown): boolean;
  /** Returns a sentence about what was probably meant, with a leading space. */
  hint?(value: unknown): string;
  parts?(value: unknown): Iterable<readonly [suffix: string, part: unknown, check: Check]>;
}

/**
 * One option: its default and its check. The first paragraph of the option's docstring is its row in `docs/options.md`.
 */
export interface Option<Value = unknown> {
  readonly default?: Exclude<Value, undefined>;
  readonly check?: Check;
  /** Whether `check` also runs on an undefined value. */
  readonly isRequired?: true;
  readonly of?: Options;
}

export interface Options {
  readonly [name: string]: Option;
}

/** The table of all options of a type. `Defaulted` names the options with a default. */
export type OptionTable<Of, Defaulted extends keyof Of = never> = {
  readonly [Name in keyof Of]-?: Name extends Defaulted
    ? Option<Of[Name]> & { readonly default: Exclude<Of[Name], undefined> }
    : Option<Of[Name]>;
};

export type Complete<Of, Defaulted extends keyof Of = never> = {
  readonly [Name in keyof Of]-?: Name extends Defaulted
    ? Exclude<Of[Name], undefined>
    : Of[Name] | (object extends Pick<Of, Name> ? undefined : never);
};

/**
 * Checks the options of `owner` and fills in the defaults.
 *
 * @throws ToolSearchError `invalid-option` for an unknown option or a wrong value.
 */
export function readOptions<Of extends object, Defaulted extends keyof Of = never>(
  owner: string,
  given: Of,
  table: OptionTable<Of, Defaulted>,
): Complete<Of, Defaulted> {
  checkOptions(owner, given, table);
  return withDefaults(table, given);
}

/** Fills in the defaults. An option that is undefined counts as absent. */
export function withDefaults<Of extends object, Defaulted extends keyof Of = never>(
  table: OptionTable<Of, Defaulted>,
  given: Of | undefined,
): Complete<Of, Defaulted> {
  const names = Object.keys(table) as (keyof Of)[];
  return Object.fromEntries(names.map((name) => [name, given?.[name] ?? table[name].default])) as never;
}

/** @throws ToolSearchError `invalid-option`, for unknown options of `owner` and wrong values, at every level. */
export function checkOptions(owner: string, options: object, table: Options): void {
  refuseUnknownOptions(owner, options, namesIn(table));
  checkValues(options, table);
}

/** @throws ToolSearchError `invalid-option`, for wrong values, at every level. */
export function checkValues(options: object, table: Options, parent = ''): void {
  for (const [name, { check, isRequired, of }] of Object.entries(table)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (check && (isRequired || value !== undefined)) checkValue(`${parent}${name}`, value, check);
    if (of && isRecord(value)) checkValues(value, of, `${parent}${name}.`);
  }
}

function checkValue(path: string, value: unknown, check: Check): void {
  if (!check.holds(value)) throw invalidOption(path, value, check.expected, check.hint?.(value));
  for (const [suffix, part, inner] of check.parts?.(value) ?? []) checkValue(`${path}${suffix}`, part, inner);
}

export function namesIn(table: Options): OptionNames {
  return Object.fromEntries(Object.entries(table).map(([name, { of }]) => [name, of ? namesIn(of) : true]));
}

export function must(expected: string, holds: Check['holds'], more: Pick<Check, 'hint' | 'parts'> = {}): Check {
  return { expected, holds, ...more };
}

/** Accepts one of these values. An error lists them in this order. */
export function oneOf(...values: readonly (string | boolean)[]): Check {
  const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : `${value}`));
  return must(`${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`, (value) => values.includes(value as string));
}

export const flag: Check = oneOf(true, false);
export const aFunction: Check = must('a function', (value) => typeof value === 'function');
export const wholeNumber: Check = must(
  'a whole number of at least 1',
  (value) => Number.isInteger(value) && (value as number) >= 1,
);
export const share: Check = must('a number from 0 to 1', (value) => isAtLeast(value, 0) && value <= 1);
export const milliseconds: Check = must('milliseconds, 1 or more', (value) => isAtLeast(value, 1));

export function numberFrom(least: number): Check {
  return must(`a number of at least ${least}`, (value) => isAtLeast(value, least));
}

export function object(expected: string): Check {
  return must(expected, isRecord);
}

export function isAtLeast(value: unknown, least: number): value is number {
  return typeof value === 'number' && value >= least;
}

export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return names.every((name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function');
}

export const aText: Check = must('a text', (value) => typeof value === 'string');

export function nameOf(what: string): Check {
  return must(`the name of a ${what}`, (value) => typeof value === 'string' && value !== '');
}

/** Checks each part of a list. */
export function eachOf(check: Check): NonNullable<Check['parts']> {
  return (list) =>
    Array.isArray(list) ? Array.from(list, (part: unknown, place) => [`[${place}]`, part, check] as const) : [];
}

/** Options that are ruled out by other options. */
export interface Contradiction<Of> {
  readonly paths: readonly string[];
  readonly expected: string;
  /** Values that have no effect, and so contradict nothing. */
  readonly off?: readonly unknown[];
  rulesOut(options: Of): boolean;
}

/** The names of an object's options, including those of nested objects. */
export interface OptionNames {
  readonly [name: string]: true | OptionNames;
}

/** The option names of a type: `{ … } satisfies NamesOf<Options>` compiles only with all of them and no other. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true | OptionNames>>;

/** Returns the option names of an object that has all options. */
export function namesOf<Options extends object>(all: Options): NamesOf<Options> {
  return Object.fromEntries(Object.keys(all).map((name) => [name, true])) as NamesOf<Options>;
}

/** Limit of the suggested paths. */
const MAX_SUGGESTIONS = 3;
/** Limit of an unknown name in comparisons and messages, in characters. */
const MAX_NAME = 100;
/** The least similarity of a suggested option, from 0 to 1. */
const LEAST = 0.5;
/** Subtracted for an option of another level, so that one of the level of the unknown option wins. */
const ELSEWHERE = 0.01;

/** @throws ToolSearchError `invalid-option` for an unknown option, at every level, with the one that was probably meant. */
export function refuseUnknownOptions(owner: string, options: unknown, known: OptionNames): void {
  if (!isRecord(options)) throw invalidOption('options', options, 'an object');
  const unknown = unknownIn(options, known, '');
  if (!unknown) return;
  const { paths, isSure } = pathsMeant(unknown, known);
  const names = Object.keys(unknown.level);
  const all = `there ${names.length === 1 ? 'is' : 'are'} only ${names.join(', ')}.`;
  const remedy = paths.length === 0 ? ` T${all.slice(1)}` : `${didYouMean(paths)}${isSure ? '' : ` If not, ${all}`}`;
  const path = `${unknown.parent}${unknown.name.slice(0, MAX_NAME)}`;
  throw new ToolSearchError('invalid-option', `"${path}" is no option of ${owner}.${remedy}`);
}

interface UnknownOption {
  readonly name: string;
  readonly value: unknown;
  /** The path of the object that has the option, with a trailing dot. Empty at the top level. */
  readonly parent: string;
  /** The options that this object may have. */
  readonly level: OptionNames;
}

function unknownIn(options: object, known: OptionNames, parent: string): UnknownOption | undefined {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name)) return { name, value, parent, level: known };
    const inner = known[name];
    const isGroup = typeof inner === 'object' && isRecord(value);
    const unknown = isGroup ? unknownIn(value, inner, `${parent}${name}.`) : undefined;
    if (unknown) return unknown;
  }
  return undefined;
}

/**
 * Returns the options most similar to the unknown one, by the words of their name or path (`filterTimeout` for
 * `timeouts.filter`).
 */
function pathsMeant({ name, value, parent }: UnknownOption, known: OptionNames): { paths: string[]; isSure: boolean } {
  const wanted = wordsOf(name.slice(0, MAX_NAME));
  const isScalar = typeof value === 'number' || typeof value === 'string';
  let best = LEAST;
  let paths: string[] = [];
  for (const [other, level, isGroup] of optionsIn(known, '')) {
    const isHere = level === parent;
    // A group cannot have a number or a text as its value. A group of the same level is suggested all the same.
    if (isGroup && isScalar && !isHere) continue;
    const path = `${level}${other}`;
    const like = Math.max(likeness(wanted, wordsOf(other)), likeness(wanted, wordsOf(path))) - (isHere ? 0 : ELSEWHERE);
    if (like > best) [best, paths] = [like, []];
    if (like === best) paths.push(path);
  }
  const isSure = likeness(wordsOf(parent).concat(wanted), wordsOf(paths[0] ?? '')) === 1;
  return { paths: paths.slice(0, MAX_SUGGESTIONS), isSure };
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
function wordsOf(name: string): string[] {
  return splitIdentifier(name).map((word) => (word.endsWith('s') ? word.slice(0, -1) : word));
}

/** Compares two names by their words, in any order. From 0 to 1. */
function likeness(one: readonly string[], other: readonly string[]): number {
  if (one.join('') === other.join('')) return 1;
  const shared = other.reduce((sum, word) => sum + Math.max(0, ...one.map((alike) => typosApart(alike, word))), 0);
  return shared / Math.max(one.length, other.length);
}

/** 1 for equal words, less with each typo, 0 with more than one in four letters. */
function typosApart(one: string, other: string): number {
  const longer = Math.max(one.length, other.length, 1);
  return 1 - (editDistance(one, other, Math.floor(longer / 4)) ?? longer) / longer;
}
