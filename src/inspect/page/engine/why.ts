import {
  contentWords,
  parseQuery,
  stem,
  type ToolIndex,
  toolSynonyms,
  type WordExplanation,
  words,
} from '../../../kit.ts';
import { type ScorePart, scoreParts } from '../../../workbench/parts.ts';
import type { InspectTool } from '../../data.ts';
import { type Asking, type Explanation, explanationOf, ratedOf } from './ranking.ts';

/** One side of a comparison: a tool, and how it does in a ranking. */
export interface Contender {
  readonly name: string;
  /** From 1 on; left out where it does not match. */
  readonly place?: number;
  readonly score: number;
  readonly confidence?: number;
  /** What was added to the score besides words; left out where words are all there is. */
  readonly others?: readonly ScorePart[];
}

/** Why a tool stands where it does, beside the best of the others. */
export interface Why {
  readonly query: string;
  readonly scorer: string;
  /** Count of the tools that match. */
  readonly count: number;
  readonly own: Contender;
  /** Left out where no other tool matches. */
  readonly rival?: Contender;
  /** The score from which on a tool is shown to the model. */
  readonly bar: number;
  /** Each word of the query, with what it finds in both. What coverage and the name add is the rest of the score. */
  readonly words: readonly { readonly word: string; readonly own: WordExplanation; readonly rival: WordExplanation }[];
}

/** Compares a tool with the first of a ranking; where it is the first itself, with the second. */
export async function whyOf(text: string, name: string, index: ToolIndex, asking: Asking): Promise<Why> {
  const query = parseQuery(text);
  const matches = [...(await index.search(query))];
  const rivalName = matches.find((match) => match.name !== name)?.name;
  const last = Math.max(
    asking.topK,
    ...[name, rivalName].map((one) => matches.findIndex((each) => each.name === one) + 1),
  );
  const { confidences } = await ratedOf(query, matches, index, asking, last);
  const side = async (of: string): Promise<{ contender: Contender; explanation: Explanation | undefined }> => {
    const at = matches.findIndex((match) => match.name === of);
    const explained = at < 0 ? undefined : await explanationOf(query, of, index, asking);
    const { words, others = [] } = explained ? scoreParts(explained) : {};
    const explanation = words && { ...explained, words };
    const confidence = confidences.get(of);
    const place = at < 0 ? {} : { place: at + 1 };
    const rating = confidence === undefined ? {} : { confidence };
    const besides = others.length > 0 ? { others } : {};
    return { contender: { name: of, ...place, score: matches[at]?.score ?? 0, ...rating, ...besides }, explanation };
  };
  const [own, rival] = await Promise.all([side(name), rivalName === undefined ? undefined : side(rivalName)]);
  // A tool that is close by meaning alone may have none.
  const asked = [own, rival].find((one) => one?.explanation?.words.length)?.explanation?.words;
  const all = asked?.map(({ word }) => word) ?? [...new Set(contentWords(words(text)))];
  const find = (explanation: Explanation | undefined, word: string): WordExplanation =>
    explanation?.words.find((each) => each.word === word) ?? { word, found: '', by: 'nothing', fields: {}, score: 0 };
  return {
    ...{ query: text, scorer: asking.scorer.name, count: matches.length, own: own.contender },
    ...(rival ? { rival: rival.contender } : {}),
    bar: matches[asking.topK - 1]?.score ?? 0,
    words: all.map((word) => ({ word, own: find(own.explanation, word), rival: find(rival?.explanation, word) })),
  };
}

/** A word that may let a tool be found. */
export interface WordCandidate {
  readonly word: string;
  /** Where it comes from. */
  readonly from: 'request' | 'thesaurus' | 'sibling';
  /** The word of the request that it stands for, or the tool that has it. */
  readonly of: string;
  /** Whether it only repeats words of the request: it helps this one, and hardly another. */
  readonly isCopy: boolean;
}

/** Candidates of each kind. */
const MOST = 5;

/**
 * Words that may let a tool be found by a query: those of the query that it lacks, what else these are called, and what
 * the tools before it, and those of its server, say where the query finds them.
 */
export async function candidatesOf(
  text: string,
  tool: InspectTool,
  index: ToolIndex,
  tools: ReadonlyMap<string, InspectTool>,
): Promise<readonly WordCandidate[]> {
  const stemsOf = (some: string): readonly string[] => contentWords(words(some)).map(stem);
  const asked = new Map(contentWords(words(text)).map((word) => [stem(word), word]));
  const own = new Set(stemsOf([tool.name, tool.description, ...(tool.keywords ?? [])].join(' ')));
  const missing = [...asked].filter(([root]) => !own.has(root)).map(([, word]) => word);
  const found = new Map<string, WordCandidate>();
  const add = (candidates: readonly Omit<WordCandidate, 'isCopy'>[]): void => {
    let room = MOST;
    for (const one of candidates) {
      const roots = stemsOf(one.word);
      if (room === 0 || found.has(one.word) || roots.length === 0 || roots.every((root) => own.has(root))) continue;
      found.set(one.word, { ...one, isCopy: roots.every((root) => asked.has(root)) });
      room--;
    }
  };
  add([
    ...(missing.length > 1 ? [{ word: missing.join(' '), from: 'request', of: 'all that it lacks' } as const] : []),
    ...missing.map((word) => ({ word, from: 'request', of: word }) as const),
  ]);
  const meanings = missing.map((word) =>
    toolSynonyms
      .filter((group) => group.words.some((member) => stemsOf(member).join(' ') === stem(word)))
      .flatMap((group) => group.words)
      .filter((member) => /^[a-z ]+$/.test(member) && stemsOf(member).join(' ') !== stem(word))
      .map((member) => ({ word: member, from: 'thesaurus', of: word }) as const),
  );
  // One of each word in turn.
  add(Array.from({ length: MOST }, (_, at) => meanings.flatMap((all) => all[at] ?? [])).flat());
  const query = parseQuery(text);
  const matches = (await index.search(query)).filter(({ name }) => name !== tool.name);
  const kin = matches.filter(({ name }) => tool.group !== undefined && tools.get(name)?.group === tool.group);
  const siblings = [...new Set([...kin.slice(0, MOST), ...matches.slice(0, MOST)])];
  add(siblings.flatMap(({ name }) => phrasesOf(tools.get(name), asked, stemsOf)));
  return [...found.values()];
}

/** What a tool says around the words that were asked for: each with the word behind it. */
function phrasesOf(
  tool: InspectTool | undefined,
  asked: ReadonlyMap<string, string>,
  stemsOf: (text: string) => readonly string[],
): readonly Omit<WordCandidate, 'isCopy'>[] {
  const all = tool ? contentWords(words(tool.description.slice(0, 2_000))) : [];
  return all.flatMap((word, at) => {
    const next = all[at + 1];
    const isAsked = stemsOf(word).some((root) => asked.has(root));
    if (!tool || !isAsked || next === undefined) return [];
    return [{ word: `${word} ${next}`, from: 'sibling', of: tool.name } as const];
  });
}
