import { cleanName, echo } from '../util/text.ts';

/** Parts of sentences for the model. */

/** The names under which the model knows the meta-tools. */
export interface MetaToolNames {
  readonly search: string;
  readonly load: string;
}

export interface UnknownName {
  readonly name: string;
  readonly suggestions: readonly string[];
}

/** Names in a list that is only a note. */
export const MAX_LISTED = 10;

export function quote(text: string): string {
  return `"${echo(text)}"`;
}

export const quoteAll = (texts: readonly string[]): string => texts.slice(0, 5).map(quote).join(', ');

export function list(names: readonly string[]): string {
  return names.map(cleanName).join(', ');
}

/** The first names of a list, and the number of the others. */
export function listSome(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${list(names.slice(0, MAX_LISTED))}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What to do with tools that were just loaded. */
export const callNow = (names: readonly string[]): string => (names.length === 1 ? 'Call it now' : 'Call them now');

export function unknownName({ name, suggestions }: UnknownName): string {
  return suggestions.length > 0 ? `${echo(name)} (did you mean ${list(suggestions)}?)` : echo(name);
}

export function ignored(count: number): string {
  return `${count} more name(s) were ignored; load fewer at a time`;
}
