import { sentencesOf, type ToolDocument } from '../kit.ts';
import { contentWords, words } from '../util/words.ts';

const CODE = /(```|~~~)[\s\S]*?(?:\1|$)/g;
/** The end of a sentence that introduces the next one: a colon and marks of Markdown, as in `**Purpose:**`. */
const INTRODUCTION = /[:：][*_`)\]]{0,4}$/;

/** The first meaningful sentence of a description: no code, heading or introduction; else the whole description. */
export function firstSentence({ description }: Pick<ToolDocument, 'description'>): string {
  const says = (sentence: string): boolean => !INTRODUCTION.test(sentence) && contentWords(words(sentence)).length > 1;
  return sentencesOf({ description: description.replace(CODE, '\n') }).find(says) ?? description;
}
