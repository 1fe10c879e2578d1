import type { FoundEntry } from '../search/extras.ts';

/** A tool with how likely it is what a message asks for. */
export interface Candidate {
  readonly entry: FoundEntry;
  readonly confidence: number;
}

/** What is chosen among candidates. */
export interface Choice {
  /** The tools to send that are not there yet, best first. */
  readonly entries: readonly FoundEntry[];
  /** How likely one of the chosen tools is what was asked for, those that are there included; else the best one. */
  readonly confidence: number;
  /** Whether the best candidate is likely enough. */
  readonly isEnough: boolean;
}

/**
 * The confidences that a tool needs, as shares of what is wanted of all together: tuned on one half of the labelled
 * messages, `npm run bench:preselect`. A message has words that no tool knows, which lowers every confidence; and a
 * definition too many costs less than a search.
 */
const BEST = 0.4;
const NEXT = 0.8;

/**
 * Puts the results of a message and of its clauses in one order: by the sum of the confidences, which rewards a tool that
 * several clauses find. Each is as likely as where it is likeliest.
 */
export function merge(found: readonly (readonly FoundEntry[])[]): readonly Candidate[] {
  const merged = new Map<string, { entry: FoundEntry; confidence: number; sum: number }>();
  for (const entry of found.flat()) {
    const { confidence = 0 } = entry;
    const before = merged.get(entry.name);
    if (!before) merged.set(entry.name, { entry, confidence, sum: confidence });
    else {
      before.sum += confidence;
      before.confidence = Math.max(before.confidence, confidence);
    }
  }
  return [...merged.values()].sort((one, other) => other.sum - one.sum);
}

/**
 * Takes candidates, best first, until the right tool is likely enough to be among them: one for a clear message, more
 * where several may be meant, none where nothing is likely.
 *
 * @param isThere - whether a tool is sent anyway. It counts, and makes no definition.
 */
export function choose(
  candidates: readonly Candidate[],
  minConfidence: number,
  maxTools: number,
  isThere: (entry: FoundEntry) => boolean,
): Choice {
  const entries: FoundEntry[] = [];
  let unlikely = 1;
  let isEnough = false;
  for (const [place, { entry, confidence }] of candidates.entries()) {
    if (confidence < minConfidence * (place === 0 ? BEST : NEXT)) break;
    isEnough = true;
    unlikely *= 1 - confidence;
    if (!isThere(entry)) entries.push(entry);
    if (1 - unlikely >= minConfidence || entries.length >= maxTools) break;
  }
  return { entries, confidence: isEnough ? 1 - unlikely : (candidates[0]?.confidence ?? 0), isEnough };
}
