import type { Candidate } from '../../search/by-message.ts';
import type { FoundEntry } from '../../search/extras.ts';

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
 * messages, `npm run bench:preselect`. A message has words that no tool knows, which lowers every confidence; a definition
 * too many costs less than a search; and a model that is sent one wrong tool alone calls it.
 */
const BEST = 1 / 4;
const NEXT = 1 / 8;

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
