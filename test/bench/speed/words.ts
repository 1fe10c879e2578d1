// Words of made-up tools: a few that tools are full of, then syllables without a meaning.
import type { Random } from './random.ts';

const COMMON =
  'the a of to and for get list create update delete search find send read write file user message issue project ' +
  'repository page document table row query report account order customer invoice payment event calendar task team ' +
  'channel image video weather city route map price stock market news article summary language text code build test ' +
  'deploy server cluster container volume bucket object key value token session password role group permission ' +
  'policy log metric alert dashboard chart email contact lead deal campaign product catalog cart shipment';
const WORDS: readonly string[] = COMMON.split(' ');
const BEGINNINGS = 'b d f g k l m n p r s t v z br cl dr fl gr pl st tr'.split(' ');
const ENDS = 'a e i o u an el ir on um'.split(' ');

/** A word for each rank from 0 on, the most common one first. */
export function wordAt(rank: number): string {
  const common = WORDS[rank];
  if (common !== undefined) return common;
  let rest = rank - WORDS.length;
  let word = '';
  // At least two syllables, so that no word is taken for a stop word.
  for (let syllable = 0; syllable < 2 || rest > 0; syllable++) {
    word += BEGINNINGS[rest % BEGINNINGS.length];
    rest = Math.floor(rest / BEGINNINGS.length);
    word += ENDS[rest % ENDS.length];
    rest = Math.floor(rest / ENDS.length);
  }
  return word;
}

/** A word as often as Zipf's law has it, so that the more text is written, the more words it has. */
export function zipfWord(random: Random, vocabulary: number): string {
  return wordAt(Math.floor(vocabulary ** random()) - 1);
}
