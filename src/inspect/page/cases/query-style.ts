import { actionKinds, isStopWord, stem, words } from '../../../kit.ts';

/**
 * How a query is written.
 *
 * - `question`: a question mark stands behind a word of it, or it begins with a word that asks, such as "how" or "can".
 * - `keywords`: it is one word or two, or has neither a little word such as "the" or "of" nor a full stop.
 * - `command`: it begins with the verb of an action, such as "list" or "send", after "please" and the like.
 * - `sentence`: all others.
 */
export type QueryStyle = 'keywords' | 'question' | 'command' | 'sentence';

export const QUERY_STYLES: readonly QueryStyle[] = ['keywords', 'question', 'command', 'sentence'];

const QUESTION_MARKS = ['?', '？', '؟'];
const FULL_STOPS = ['.', '!', '。', '！'];
const ASKING = new Set(
  'what which who whom whose where when why how can could is are am was were do does did will would should shall may has have'.split(
    ' ',
  ),
);
const POLITE = new Set('please kindly just then'.split(' '));

export function styleOf(query: string): QueryStyle {
  const text = query.trim();
  const all = words(text);
  if (text.split(' ').some((word) => QUESTION_MARKS.some((mark) => word.endsWith(mark)))) return 'question';
  const first = all.find((word) => !POLITE.has(word)) ?? '';
  if (all.length < 3) return 'keywords';
  if (ASKING.has(first)) return 'question';
  if (!all.some(isStopWord) && !FULL_STOPS.some((mark) => text.endsWith(mark))) return 'keywords';
  return actionKinds().has(stem(first)) ? 'command' : 'sentence';
}
