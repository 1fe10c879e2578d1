import { parseQuery } from '../../../kit.ts';
import type { LocalScorer } from './local-scorers.ts';
import type { Snapshot } from './snapshot.ts';

/** A tool that is easily taken for another. */
export interface Twin {
  readonly name: string;
  /** Its score as a share of the other's, where the other's own words are asked for. 1 and above: it comes first. */
  readonly similarity: number;
}

/** The similarity from which a tool is named. */
const LEAST = 0.5;
const MOST = 8;
/** Characters of a description that are asked for: its first sentence, or what is of that length. */
const MAX_SENTENCE = 300;

/** The tools that come close to a tool where what it says of itself is asked for, the closest first. */
export async function twinsOf(name: string, snapshot: Snapshot, scorer: LocalScorer): Promise<readonly Twin[]> {
  const tool = snapshot.tools.get(name);
  if (!tool) return [];
  const index = await snapshot.index(scorer);
  // Its name is not asked for: a tool whose name is asked for always comes first.
  const matches = await index.search(parseQuery(firstSentence(tool.description)));
  const own = matches.find((match) => match.name === name)?.score ?? 0;
  if (own <= 0) return [];
  const others = matches.filter((match) => match.name !== name && match.score >= LEAST * own);
  return others.slice(0, MOST).map((match) => ({ name: match.name, similarity: match.score / own }));
}

/** The first sentence of a description. */
export function firstSentence(description: string): string {
  const start = description.trim().slice(0, MAX_SENTENCE);
  const end = start.search(/[.!?](?:\s|$)|\n/);
  return end < 0 ? start : start.slice(0, end + 1);
}
