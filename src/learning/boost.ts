import { type BoostedMatch, bestFirst, spellingOf, type ToolMatch } from '../kit.ts';

/** The share of the best score that a vote adds, as a multiple of the vote. */
const SLOPE = 1.5;

/**
 * The matches, best first, with the boosted ones in their new places. A boost is a share of the best score, at most `most`:
 * so it means the same on the scale of every scorer. Only what the scorer found is boosted, and on a scale without an end
 * or with negative scores nothing is.
 *
 * @param votes - of tools, from 0 to 1.
 * @param spelling - of the query: who writes a tool's name means it, so that where the best match has it nothing is boosted.
 */
export function* boosted(
  matches: Iterable<ToolMatch>,
  votes: ReadonlyMap<string, number>,
  most: number,
  spelling = '',
): Iterable<BoostedMatch> {
  const { all, fault } = read(matches);
  yield* isNamed(all[0], spelling) ? all : ranked(all, votes, most);
  if (fault) throw fault.error;
}

function isNamed(best: ToolMatch | undefined, spelling: string): boolean {
  return spelling !== '' && best !== undefined && spellingOf([best.name]) === spelling;
}

function ranked(all: readonly ToolMatch[], votes: ReadonlyMap<string, number>, most: number): Iterable<BoostedMatch> {
  // A scorer is not trusted to return what its type says.
  const best = Number(all[0]?.score);
  if (!(best > 0 && Number.isFinite(best))) return all;
  const raised = new Map<string, BoostedMatch>();
  const others: ToolMatch[] = [];
  for (const match of all) {
    const byUse = best * Math.min(most, SLOPE * (votes.get(match?.name) ?? 0));
    if (byUse > 0 && match.score >= 0 && !raised.has(match.name)) {
      raised.set(match.name, { ...match, score: match.score + byUse, byUse });
    } else others.push(match);
  }
  return merged(bestFirst([...raised.values()]), others);
}

/** All matches up to a fault of the scorer. */
function read(matches: Iterable<ToolMatch>): { all: readonly ToolMatch[]; fault?: { error: unknown } } {
  const all: ToolMatch[] = [];
  try {
    for (const match of matches) all.push(match);
    return { all };
  } catch (error) {
    return { all, fault: { error } };
  }
}

/** Two rankings as one, ties by name. The order of each stays as it is. */
function* merged(one: readonly BoostedMatch[], other: readonly ToolMatch[]): Iterable<BoostedMatch> {
  let at = 0;
  for (const match of other) {
    for (let next = one[at]; next && isBefore(next, match); next = one[at]) {
      yield next;
      at += 1;
    }
    yield match;
  }
  yield* one.slice(at);
}

function isBefore(one: ToolMatch, other: ToolMatch): boolean {
  return !(one.score < other?.score) && (one.score > other?.score || one.name < other?.name);
}
