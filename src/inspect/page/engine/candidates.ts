import { parseQuery, type ToolIndex, toolSynonyms } from '../../../kit.ts';
import { lazyRegex } from '../../../util/text.ts';
import { contentWords, isStopWord, stem, words } from '../../../util/words.ts';
import type { InspectTool } from '../../data.ts';
import { closeness, type Table } from './scorers.ts';

/** A word that could let a query find a tool. */
export interface WordCandidate {
  readonly word: string;
  /** The source of the word. */
  readonly from: 'request' | 'thesaurus' | 'sibling';
  /** The word of the request that it replaces, or the tool that contains it. */
  readonly of: string;
  /** Whether the word only repeats the request: it helps this request, and hardly another. */
  readonly isCopy: boolean;
}

/** Limit of candidates of each kind. */
const MOST = 5;
/** Words of requests that carry no intent, in addition to the stop words of searches. */
const FILLERS = new Set(
  `about able again all also any anything away back be been bring can could down every everything find for from get give go
  good have help here how in into just kind know last later let like look make me more much my need new next now of off on
  one other our out over please put really see show so some something stuff take tell than that the their them then there
  these thing things this those through to try up us use using very via want was way we what when where which who will with
  would yet you your`.split(/\s+/),
);
/** A thesaurus group with such a letter contains translations, with the English word first; the others add nothing. */
const BEYOND_LATIN = /[\u0370-\uffff]/;
/** The factor of a word with an unrelated meaning, where one with the same meaning has 1. */
const FAR = 0.1;

/** The data by which candidates are judged. */
interface Catalog {
  readonly tools: ReadonlyMap<string, InspectTool>;
  readonly index: ToolIndex;
  /** The table of word vectors; undefined if it cannot be loaded. */
  readonly table: Table | undefined;
}

/**
 * Words that could let a query find a tool: synonyms of the query's words that the tool lacks, these words themselves, and
 * phrases around the query's words in the tools ranked before it, and in those of its server. Words that characterise the tool
 * come first: rare ones, close to it in meaning. Copies of the request and words of rivals come last.
 */
export async function candidatesOf(
  text: string,
  tool: InspectTool,
  catalog: Catalog,
): Promise<readonly WordCandidate[]> {
  const { index, tools } = catalog;
  const query = parseQuery(text);
  const matches = await index.search(query);
  const slips = await slipsIn(text, matches, index);
  const written = spellings(text);
  const asked = new Map(
    contentWords(words(text))
      .filter((word) => !isStopWord(word) && !FILLERS.has(word))
      .map((word) => slips.get(word) ?? word)
      .map((word) => [stem(word), written.get(word) ?? word]),
  );
  const own = new Set(stemsOf(textOf(tool)));
  const missing = [...asked].filter(([root]) => !own.has(root)).map(([, word]) => word);
  const meanings = missing.flatMap((word) =>
    toolSynonyms
      .filter((group) => group.words.some((member) => stemsOf(member).join(' ') === stemsOf(word).join(' ')))
      .flatMap((group) =>
        group.words.some((member) => BEYOND_LATIN.test(member)) ? group.words.slice(0, 1) : group.words,
      )
      .filter((member) => /^[a-z ]+$/.test(member))
      .map((member) => ({ word: member, from: 'thesaurus', of: word }) as const),
  );
  const others = matches.filter(({ name }) => name !== tool.name);
  const kin = others.filter(({ name }) => tool.group !== undefined && tools.get(name)?.group === tool.group);
  const siblings = [...new Set([...kin.slice(0, MOST), ...others.slice(0, MOST)])];
  const kinds: readonly (readonly Omit<WordCandidate, 'isCopy'>[])[] = [
    meanings,
    [
      ...missing.map((word) => ({ word, from: 'request', of: word }) as const),
      ...(missing.length > 1 ? [{ word: missing.join(' '), from: 'request', of: 'all that it lacks' } as const] : []),
    ],
    siblings.flatMap(({ name }) => phrasesOf(tools.get(name), asked)),
  ];
  const worthOf = valuesFor(tool, catalog);
  const found = new Map<string, WordCandidate>();
  for (const kind of kinds) {
    const valued = kind
      .filter(({ word }) => {
        const roots = stemsOf(word);
        return roots.length > 0 && !roots.every((root) => own.has(root));
      })
      .map((one) => ({ one, value: worthOf(one.word) }))
      .sort((one, other) => other.value - one.value);
    let room = MOST;
    for (const { one } of valued) {
      if (room === 0 || found.has(one.word)) continue;
      found.set(one.word, { ...one, isCopy: stemsOf(one.word).every((root) => asked.has(root)) });
      room--;
    }
  }
  return [...found.values()].sort((one, other) => Number(isLast(one)) - Number(isLast(other)));
}

/** Whether a word only copies the request, or belongs to a rival: it helps this request, and may lose others. */
export function isLast({ from, isCopy }: Pick<WordCandidate, 'from' | 'isCopy'>): boolean {
  return isCopy || from === 'sibling';
}

function stemsOf(text: string): readonly string[] {
  return contentWords(words(text)).map(stem);
}

function textOf({ name, description, keywords = [] }: InspectTool): string {
  return [name, description, ...keywords].join(' ');
}

/** The typos of a query, with the words as which the index read them: nobody wants to be found by typos. */
async function slipsIn(
  text: string,
  matches: readonly { readonly name: string }[],
  index: ToolIndex,
): Promise<ReadonlyMap<string, string>> {
  const explained = matches.slice(0, MOST).map(({ name }) => index.explain?.(parseQuery(text), name));
  const all = (await Promise.all(explained)).flatMap((one) => one?.words ?? []);
  return new Map(all.flatMap(({ word, found, by }) => (by === 'guess' ? [[word, found] as const] : [])));
}

/** Separators of words. */
const BETWEEN = lazyRegex(String.raw`[^\p{L}\p{M}\p{N}]+`, 'u');

/** The words of a text in their original spelling, but lower case, because searches remove diacritics. */
function spellings(text: string): ReadonlyMap<string, string> {
  const runs = text.toLowerCase().split(BETWEEN());
  return new Map(runs.flatMap((run) => words(run).map((word) => [word, words(run).length === 1 ? run : word])));
}

/** Rates how well a word characterises a tool: it is rare, and close in meaning to the tool's text. */
function valuesFor(tool: InspectTool, { tools, table }: Catalog): (word: string) => number {
  const all = Array.from(tools.values(), (one) => textOf(one).toLowerCase());
  const about = textOf(tool);
  const rarity = (root: string): number => {
    const count = all.filter((one) => one.includes(root)).length;
    return 1 - Math.log(count + 1) / Math.log(all.length + 2);
  };
  return (word) => {
    const roots = stemsOf(word);
    const rare = roots.reduce((sum, root) => sum + rarity(root), 0) / Math.max(1, roots.length);
    return rare * (table ? FAR + Math.max(0, closeness(word, about, table)) : 1);
  };
}

/** The phrases of a tool around the query's words: each word with the next one. */
function phrasesOf(
  tool: InspectTool | undefined,
  asked: ReadonlyMap<string, string>,
): readonly Omit<WordCandidate, 'isCopy'>[] {
  const all = tool ? contentWords(words(tool.description.slice(0, 2_000))) : [];
  return all.flatMap((word, at) => {
    const next = all[at + 1];
    const isAsked = stemsOf(word).some((root) => asked.has(root));
    if (!tool || !isAsked || next === undefined || FILLERS.has(next) || isStopWord(next)) return [];
    return [{ word: `${word} ${next}`, from: 'sibling', of: tool.name } as const];
  });
}
