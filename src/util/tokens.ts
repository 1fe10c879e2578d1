import { estimateTokenCount } from 'tokenx';

/** Characters that are read of a text: the rest is taken to be like them, so that a huge one costs little time. */
const MAX_READ = 100_000;

/** The tokens that a text takes in a prompt, estimated. For the JSON of a tool the median error is 3.6 % against o200k. */
export function estimateTokens(text: string): number {
  if (text.length <= MAX_READ) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(text.slice(0, MAX_READ)) * text.length) / MAX_READ);
}
