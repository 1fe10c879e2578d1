import {
  contentWords,
  type MatchExplanation,
  parseQuery,
  type ToolIndex,
  type WordExplanation,
  words,
} from '../../../kit.ts';
import { type ScorePart, scoreParts } from '../../../workbench/parts.ts';
import { type Asking, ratedOf } from './ranking.ts';

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
  /** Whether the model is told that probably nothing fits; left out where the scorer cannot tell. */
  readonly isWeak?: boolean;
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
  const { confidences, found } = await ratedOf(query, matches, index, asking, last);
  const side = async (of: string): Promise<{ contender: Contender; explanation: MatchExplanation | undefined }> => {
    const at = matches.findIndex((match) => match.name === of);
    const explained = at < 0 ? undefined : await index.explain?.(query, of);
    const { words = [], others = [] } = explained ? scoreParts(explained) : {};
    const explanation = explained && { ...explained, words };
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
  const find = (explanation: MatchExplanation | undefined, word: string): WordExplanation =>
    explanation?.words.find((each) => each.word === word) ?? { word, found: '', by: 'nothing', fields: {}, score: 0 };
  return {
    ...{ query: text, scorer: asking.scorer.name, count: matches.length, own: own.contender },
    ...(rival ? { rival: rival.contender } : {}),
    ...(found.verdict ? { isWeak: found.verdict.isWeak } : {}),
    bar: matches[asking.topK - 1]?.score ?? 0,
    words: all.map((word) => ({ word, own: find(own.explanation, word), rival: find(rival?.explanation, word) })),
  };
}
