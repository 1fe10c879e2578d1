import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A tool as MCP servers list it, under the name a model calls. */
export interface LabelledTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: object;
  /** The MCP server of the tool, where it is told apart from its name. */
  readonly server?: string;
}

export interface LabelledQuery {
  readonly id: string;
  readonly query: string;
  /** The tools that serve the query, all equal. */
  readonly relevant: readonly string[];
  /** Lists of interchangeable tools, one for each need of the query. */
  readonly groups?: readonly (readonly string[])[];
  /** The kind of query: keyword, paraphrase, typo and so on. */
  readonly style?: string;
  /** What a user asked, for which an agent searched so. */
  readonly task?: string;
}

export interface LabelledSet {
  readonly name: string;
  readonly tools: readonly LabelledTool[];
  readonly queries: readonly LabelledQuery[];
}

/** Every folder inside `folder` that holds tools.jsonl and queries.jsonl, by name. Throws when there is none. */
export function readSets(folder: string): readonly LabelledSet[] {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const complete = names.filter((name) =>
    ['tools.jsonl', 'queries.jsonl'].every((file) => existsSync(path.join(folder, name, file))),
  );
  if (complete.length === 0) throw new Error(`No folder with tools.jsonl and queries.jsonl in "${folder}".`);
  return complete.map((name) => readSet(path.join(folder, name)));
}

export function readSet(folder: string): LabelledSet {
  const name = path.basename(folder);
  const set: LabelledSet = {
    name,
    tools: readLines<LabelledTool>(path.join(folder, 'tools.jsonl')),
    queries: readLines<LabelledQuery>(path.join(folder, 'queries.jsonl')),
  };
  if (set.queries.length === 0) throw new Error(`${name} has no queries.`);
  const known = new Set(set.tools.map(({ id }) => id));
  if (known.size < set.tools.length) throw new Error(`${name} has two tools of the same id.`);
  for (const { id, relevant } of set.queries) {
    const unknown = relevant.filter((tool) => !known.has(tool));
    if (relevant.length === 0) throw new Error(`Query ${id} of ${name} has no relevant tool.`);
    if (unknown.length > 0) throw new Error(`Query ${id} of ${name} wants unknown tools: ${unknown.join(', ')}.`);
  }
  return set;
}

function readLines<Line>(file: string): readonly Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line);
}
