import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));

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

/** The sets in a folder; without one, the set that comes with the project. */
export function setsIn(folder?: string): readonly LabelledSet[] {
  return folder === undefined ? [readSet(OWN)] : readSets(folder);
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

export function readLines<Line>(file: string): readonly Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line);
}

/**
 * The sets that weights and word lists may be tuned on. Every other set, also one that is not known here, is held out:
 * it is only measured. The livemcp sets share one catalog and one list of tasks, so they stand on the same side.
 */
const TUNE_SETS: readonly string[] = ['livemcp-agent', 'livemcp-steps', 'livemcp-tasks', 'mcp-large'];

export type Half = 'tune' | 'held-out';

export function halfOf(set: string): Half {
  return TUNE_SETS.includes(set) ? 'tune' : 'held-out';
}

/** Messages of some sixty words around a request: dates, names, numbers, politeness. None of it asks for a tool. */
const MESSAGES: readonly ((request: string) => string)[] = [
  (request) =>
    `Hi there! Hope you had a great weekend. As I told Maria Lopez on Tuesday, 14 March, the review for Northwind Traders was moved to 10:30 because the finance people wanted more time with their numbers. Could you please ${request}? If anything is unclear, just let me know, or write to maria.lopez@northwind.example. Many thanks and best regards, Jonas`,
  (request) =>
    `ok so here's the situation: my colleague Tom is on vacation until Friday and nobody else knows how this works. The ticket number is 48213 and the customer (Acme Corp., contract 2024-778) already complained twice. Please ${request} and tell me when you are done. I will be in a meeting until noon, so don't call me at +1 555 010 4477.`,
  (request) =>
    `For background: we moved offices in July, the new address is 221B Baker Street, and half of the boxes are still not unpacked. Since then everything has been a bit chaotic, files are missing and the calendar is a mess. I'd like to ${request}, ideally today. My manager (Karen) will check tomorrow at 8:15 whether it worked, so please double check and keep the answer short.`,
  (request) =>
    `${request}. Context: this is for the spring campaign with Globex, budget 12,500 USD, which Sarah Kim approved in January. There were some mistakes last time, people were not happy with how long it took, and I would like to avoid that. See also https://intranet.example/projects/globex/spring for the background.`,
];

/**
 * The set with each query inside a pasted message, which differs from query to query; and, where it knows the tasks
 * behind its queries, the set with these tasks in their place.
 */
export function pastedSets(set: LabelledSet): readonly LabelledSet[] {
  const named = (queries: readonly LabelledQuery[], how: string): LabelledSet => ({
    name: `${set.name} ${how}`,
    tools: set.tools,
    queries,
  });
  const pasted = set.queries.map((query, position) => ({
    ...query,
    query: MESSAGES[position % MESSAGES.length]?.(query.query) ?? query.query,
  }));
  const tasks = set.queries.flatMap((query) => (query.task === undefined ? [] : [{ ...query, query: query.task }]));
  return [named(pasted, 'pasted'), ...(tasks.length > 0 ? [named(tasks, 'by task')] : [])];
}
