import { estimateTokenCount } from 'tokenx';

/** Limit of the characters that are read. The estimate is extrapolated to the rest of a longer text. */
const MAX_READ = 100_000;

/**
 * Estimates the tokens that a text takes in a prompt. For the JSON of a tool, the median error is 3.6 % against o200k.
 */
export function estimateTokens(text: string): number {
  if (text.length <= MAX_READ) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(text.slice(0, MAX_READ)) * text.length) / MAX_READ);
}
