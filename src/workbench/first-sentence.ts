import { contentWords, sentencesOf, type ToolDocument, words } from '../kit.ts';

/** The first sentence of a description that says something; all of the description where none does. */
export function firstSentence({ description }: Pick<ToolDocument, 'description'>): string {
  const says = (sentence: string): boolean => !sentence.endsWith(':') && contentWords(words(sentence)).length > 1;
  return sentencesOf({ description }).find(says) ?? description;
}
