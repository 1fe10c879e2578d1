import type { ToolQuery } from './query.ts';

/** Marks between two keywords at which a sentence ends, those of Chinese and Japanese too. A comma ends none. */
const ENDS = /[.!?:;\n。！？：；]/;

/** The keywords of each sentence of a query, in order. */
export function sentencesOf({ text, keywords }: Pick<ToolQuery, 'text' | 'keywords'>): readonly (readonly string[])[] {
  const sentences: string[][] = [];
  let end = 0;
  for (const keyword of keywords) {
    const start = text.indexOf(keyword, end);
    const isFirst = sentences.length === 0 || ENDS.test(text.slice(end, start));
    if (isFirst) sentences.push([keyword]);
    else sentences.at(-1)?.push(keyword);
    end = start + keyword.length;
  }
  return sentences;
}
