import { isLit, type Segment } from './highlight.ts';

/** Characters of an excerpt, and of what stands before the first word that is lit up. */
const LENGTH = 220;
const BEFORE = 40;
/** Characters of the beginning that is shown in any case. */
const START = 90;

/** The part of a text that a row has room for: its beginning, and the first place where something is lit up. */
export function excerptOf(segments: readonly Segment[]): readonly Segment[] {
  const whole = segments.reduce((sum, { text }) => sum + text.length, 0);
  if (whole <= LENGTH) return segments;
  let first = 0;
  for (const { text, by } of segments) {
    if (by) break;
    first += text.length;
  }
  if (!isLit(segments) || first < LENGTH - BEFORE) return cut(segments, 0, LENGTH, whole);
  const from = first - BEFORE;
  return [...cut(segments, 0, START, whole), ...cut(segments, from, from + LENGTH - START, whole)];
}

/** The segments between two places of a text, and a sign where it goes on. */
function cut(segments: readonly Segment[], from: number, to: number, whole: number): readonly Segment[] {
  const kept: Segment[] = [];
  let at = 0;
  for (const { text, by } of segments) {
    const piece = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (piece !== '') kept.push(by ? { text: piece, by } : { text: piece });
    at += text.length;
  }
  return to < whole ? [...kept, { text: ' … ' }] : kept;
}
