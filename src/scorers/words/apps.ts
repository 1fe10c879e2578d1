import { words } from '../../util/words.ts';
import { appNames, capitalisedAppNames } from './app-names.ts';

/** An app that a query names. */
export interface NamedApp {
  /** The app's name as the query writes it. */
  readonly name: string;
  /** The words of the name, lower-case. */
  readonly words: readonly string[];
}

let names: ReadonlySet<string> | undefined;
let capitalised: ReadonlySet<string> | undefined;

const setOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** The apps that the keywords of a query name, by one word or by two of which the first has a capital. */
export function appsIn(keywords: readonly string[]): readonly NamedApp[] {
  names ??= setOf(appNames);
  capitalised ??= setOf(capitalisedAppNames);
  const found: NamedApp[] = [];
  for (const [at, keyword] of keywords.entries()) {
    const [one, other] = [words(keyword), words(keywords[at + 1] ?? '')];
    const first = one.join('_');
    const isApp = names.has(first) || (at > 0 && startsWithCapital(keyword) && capitalised.has(first));
    if (isApp) found.push({ name: keyword, words: one });
    else if (startsWithCapital(keyword) && other.length > 0 && names.has([...one, ...other].join('_')))
      found.push({ name: `${keyword} ${keywords[at + 1]}`, words: [...one, ...other] });
  }
  return found;
}

function startsWithCapital(word: string): boolean {
  const [first = ''] = word;
  return first !== first.toLowerCase();
}
