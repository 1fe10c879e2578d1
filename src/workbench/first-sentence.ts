import { contentWords, sentencesOf, type ToolDocument, words } from '../kit.ts';

const CODE = /(```|~~~)[\s\S]*?(?:\1|$)/g;
/** A line that introduces what follows, with the marks behind it: `**Purpose:**`. */
const INTRODUCTION = /[:：][*_`)\]]{0,4}$/;

/** The first sentence of a description that says something: no code, heading or introduction. All of it where none does. */
export function firstSentence({ description }: Pick<ToolDocument, 'description'>): string {
  const says = (sentence: string): boolean => !INTRODUCTION.test(sentence) && contentWords(words(sentence)).length > 1;
  return sentencesOf({ description: description.replace(CODE, '\n') }).find(says) ?? description;
}
