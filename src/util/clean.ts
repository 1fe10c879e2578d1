import { cut } from './cut.ts';

/** Longest echo of a name or query that the model wrote. */
const MAX_ECHO = 64;
/** Longest name of a tool. */
const MAX_NAME = 128;
/** As in @mastra/core: longer descriptions are cut in results and in the injected catalog. */
export const MAX_DESCRIPTION = 150;

/**
 * What a reader does not see but a model reads: zero-width and bidirectional marks, tag characters, variation selectors,
 * annotation marks, halves of surrogate pairs. Joined emoji fall apart into their parts.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Surrogate}\ufff9-\ufffb]+/gu;
/** Control characters, line breaks among them. */
const BREAKS = /[\p{Control}\u2028\u2029]+/gu;

/** Text from outside, safe to stand in a prompt: one line, bounded, whole characters, all of them visible. */
export function clean(text: string, maxLength: number): string {
  // Bounded first, so that a huge text costs little; what was cut off here counts as cut.
  const start = cut(text, maxLength * 20);
  const line = start.replace(INVISIBLE, '').replace(BREAKS, ' ').trim();
  if (line.length <= maxLength && start.length === text.length) return line;
  return `${cut(line, maxLength - 3)}...`;
}

export function describeTool(description: string): string {
  return clean(description, MAX_DESCRIPTION);
}

/** Text that the model or a client wrote, as it is repeated in results. Never for system text. */
export function echo(text: string): string {
  return clean(text, MAX_ECHO);
}

/** A tool's name in a prompt. Nobody checks those of a request's tools. */
export function cleanName(name: string): string {
  return clean(name, MAX_NAME);
}
