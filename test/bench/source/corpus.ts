// The real tools that a bench of sources begins with, and the labelled sets among them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LabelledSet, type LabelledTool, readSet } from '../retrieval/sets.ts';
import type { Documents } from './documents.ts';

export interface Corpus {
  /** Where it is from. */
  readonly name: string;
  /** Each name once. */
  readonly tools: readonly LabelledTool[];
  /** The sets that quality is measured on. All their tools are among `tools`. */
  readonly sets: readonly LabelledSet[];
}

/** The sets that quality is measured on, where a folder has them. */
export const MEASURED: readonly string[] = ['mcp-large', 'bfcl-live', 'sealtools'];
/** A longer name is not accepted by all providers. */
export const MAX_NAME = 64;
const OWN = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));

/**
 * All tools of a folder of sets, those of the measured sets first: of two tools of one name, the first counts.
 *
 * @param folder - without one, the set that comes with the project.
 */
export function readCorpus(folder?: string): Corpus {
  if (folder === undefined) {
    const set = readSet(OWN);
    return { name: set.name, tools: set.tools, sets: [set] };
  }
  const named = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'tools.jsonl')));
  const measured = MEASURED.filter((name) => named.includes(name));
  if (measured.length === 0) throw new Error(`None of ${MEASURED.join(', ')} is in "${folder}".`);
  const tools = new Map<string, LabelledTool>();
  for (const name of [...measured, ...named.filter((one) => !measured.includes(one)).sort()]) {
    for (const tool of toolsIn(path.join(folder, name))) {
      const id = acceptedName(tool.id);
      if (!tools.has(id)) tools.set(id, { ...tool, id });
    }
  }
  const sets = measured.map((name) => accepted(readSet(path.join(folder, name))));
  return { name: path.basename(folder), tools: [...tools.values()], sets };
}

function toolsIn(folder: string): readonly LabelledTool[] {
  const lines = readFileSync(path.join(folder, 'tools.jsonl'), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as LabelledTool);
}

/** A set with names that providers accept. */
function accepted(set: LabelledSet): LabelledSet {
  const named = (ids: readonly string[]): string[] => ids.map(acceptedName);
  return {
    name: set.name,
    tools: set.tools.map((tool) => ({ ...tool, id: acceptedName(tool.id) })),
    queries: set.queries.map(({ relevant, groups, ...query }) => ({
      ...query,
      relevant: named(relevant),
      ...(groups ? { groups: groups.map(named) } : {}),
    })),
  };
}

/** A name that is too long without its first words, which tell the field that a tool belongs to. */
function acceptedName(name: string): string {
  let rest = name;
  while (rest.length > MAX_NAME && rest.includes('_')) rest = rest.slice(rest.indexOf('_') + 1);
  return rest;
}

// Documents for a smaller catalog, as the whole one has them.

/** A sample that the labelled tools fill more of has none of them on purpose. */
const LABELLED_SHARE = 4;

/**
 * So many of the first `total` documents: evenly from all over them, and where there is room, behind the first `labelled`,
 * which are those that queries ask for.
 */
export function* sample(
  documents: Documents,
  size: number,
  { total, labelled }: { readonly total: number; readonly labelled: number },
): Generator<LabelledTool, void, undefined> {
  const first = size >= labelled * LABELLED_SHARE ? labelled : 0;
  yield* documents.take(first);
  const rest = size - first;
  for (let at = 0; at < rest; at++) yield documents.at(first + Math.floor((at * (total - first)) / rest));
}
