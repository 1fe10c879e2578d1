// The real tools that a bench of sources begins with, and the labelled sets among them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LabelledSet, type LabelledTool, readSet } from '../retrieval/sets.ts';

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
    for (const tool of toolsIn(path.join(folder, name))) if (!tools.has(tool.id)) tools.set(tool.id, tool);
  }
  const sets = measured.map((name) => readSet(path.join(folder, name)));
  return { name: path.basename(folder), tools: [...tools.values()], sets };
}

function toolsIn(folder: string): readonly LabelledTool[] {
  const lines = readFileSync(path.join(folder, 'tools.jsonl'), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as LabelledTool);
}
