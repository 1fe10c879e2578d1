import { type MatchExplanation, parseQuery, type ToolIndex, type WordExplanation } from '../../../kit.ts';
import { contentWords, words } from '../../../util/words.ts';
import { type ScorePart, scoreParts } from '../../../workbench/parts.ts';
import { type Asking, ratedOf } from './ranking.ts';

/** One side of a comparison: a tool and its result in a ranking. */
export interface Contender {
  readonly name: string;
  /** The rank, from 1; absent if the tool does not match. */
  readonly place?: number;
  readonly score: number;
  readonly confidence?: number;
  /** The parts of the score besides words; absent if the scorer uses words alone. */
  readonly others?: readonly ScorePart[];
}

/** The explanation of a tool's rank, compared with the best other tool. */
export interface Why {
  readonly query: string;
  readonly scorer: string;
  /** Number of matching tools. */
  readonly count: number;
  readonly own: Contender;
  /** Absent if no other tool matches. */
  readonly rival?: Contender;
  /** Whether the model is told that probably nothing fits; absent if the scorer cannot tell. */
  readonly isWeak?: boolean;
  /** The minimum score with which a tool is shown to the model. */
  readonly bar: number;
  /** Each word of the query with its match in both tools. The rest of the score comes from coverage and the name. */
  readonly words: readonly { readonly word: string; readonly own: WordExplanation; readonly rival: WordExplanation }[];
}

/** Compares a tool with the first of a ranking, or with the second if it is the first. */
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
  // A tool found by meaning alone may have no word.
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
