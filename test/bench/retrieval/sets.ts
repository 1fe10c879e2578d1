import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ListedTool } from '../agent-request.ts';

export const OWN_SET: string = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));

export interface LabelledTool extends ListedTool {
  /** The MCP server of the tool, where its name does not say it. */
  readonly server?: string;
}

export interface LabelledQuery {
  readonly id: string;
  readonly query: string;
  /** The tools that serve the query, all equal. */
  readonly relevant: readonly string[];
  /** Lists of interchangeable tools, one for each need of the query. */
  readonly groups?: readonly (readonly string[])[];
  /** What a user asked, for which an agent searched so. */
  readonly task?: string;
}

export interface LabelledSet {
  readonly name: string;
  readonly tools: readonly LabelledTool[];
  readonly queries: readonly LabelledQuery[];
}

/** The groups of interchangeable tools that a query needs. */
export function needsOf({ groups, relevant }: LabelledQuery): readonly (readonly string[])[] {
  return groups ?? relevant.map((name) => [name]);
}

/** The sets in a folder, by name; without a folder, the set that comes with the project. */
export function setsIn(folder?: string): readonly LabelledSet[] {
  if (folder === undefined) return [readSet(OWN_SET)];
  const names = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'queries.jsonl')));
  if (names.length === 0) throw new Error(`No folder with tools.jsonl and queries.jsonl in "${folder}".`);
  return names.sort().map((name) => readSet(path.join(folder, name)));
}

/** The tools of the catalogs in a folder that have no queries. */
export function unlabelledTools(folder?: string): readonly LabelledTool[] {
  const names = folder === undefined ? [] : readdirSync(folder).sort();
  return names.flatMap((name) => {
    const [tools = '', queries = ''] = ['tools.jsonl', 'queries.jsonl'].map((file) => path.join(folder!, name, file));
    return existsSync(tools) && !existsSync(queries) ? readLines<LabelledTool>(tools) : [];
  });
}

export function readSet(folder: string): LabelledSet {
  const name = path.basename(folder);
  const tools = readLines<LabelledTool>(path.join(folder, 'tools.jsonl'));
  const queries = readLines<LabelledQuery>(path.join(folder, 'queries.jsonl'));
  const known = new Set(tools.map(({ id }) => id));
  if (known.size < tools.length) throw new Error(`${name} has two tools of the same id.`);
  for (const { id, relevant } of queries) {
    const unknown = relevant.filter((tool) => !known.has(tool));
    if (relevant.length === 0 || unknown.length > 0)
      throw new Error(`Query ${id} of ${name} wants no tool, or unknown ones: ${unknown.join(', ')}.`);
  }
  return { name, tools, queries };
}

export function readLines<Line>(file: string): readonly Line[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Line);
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

/** Requests that nothing in a catalog serves, looked up in it one by one, with the beginnings of the names of its sets. */
interface UnservedRequest {
  readonly query: string;
  readonly sets: readonly string[];
}

/** The requests that nothing in the catalog of a set serves; none for a set that they were not looked up in. */
export function unservedBy(set: string): readonly LabelledQuery[] {
  return readLines<UnservedRequest>(UNSERVED)
    .filter(({ sets }) => sets.some((name) => set.startsWith(name)))
    .map(({ query }) => ({ id: query, query, relevant: [] }));
}

/**
 * Requests that nothing in the catalog of a set serves, though something in it is near: another app, another object of the
 * same app, or another operation. Each was looked up in the catalog.
 */
export function nearMissesOf(set: string): readonly LabelledQuery[] {
  return readLines<UnservedRequest>(NEAR_MISSES)
    .filter(({ sets }) => sets.some((name) => set.startsWith(name)))
    .map(({ query }) => ({ id: query, query, relevant: [] }));
}

/** Messages that an agent answers without a tool. */
export function noToolMessages(): readonly string[] {
  return readLines<{ readonly message: string }>(NO_TOOL).map(({ message }) => message);
}

const UNSERVED = fileURLToPath(new URL('../../fixtures/unserved.jsonl', import.meta.url));
const NEAR_MISSES = fileURLToPath(new URL('../../fixtures/near-misses.jsonl', import.meta.url));
const NO_TOOL = fileURLToPath(new URL('../../fixtures/no-tool-messages.jsonl', import.meta.url));

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

/** The set with each query inside a pasted message; and, where it knows them, with the tasks behind the queries instead. */
export function pastedSets({ name, tools, queries }: LabelledSet): readonly LabelledSet[] {
  const pasted = queries.map((query, at) => ({ ...query, query: MESSAGES[at % MESSAGES.length]!(query.query) }));
  return [{ name: `${name} pasted`, tools, queries: pasted }, ...taskSets({ name, tools, queries })];
}

/** The set with the tasks behind its queries in their place, where it knows them. */
export function taskSets({ name, tools, queries }: LabelledSet): readonly LabelledSet[] {
  const tasks = queries.flatMap((query) => (query.task === undefined ? [] : [{ ...query, query: query.task }]));
  return tasks.length > 0 ? [{ name: `${name} by task`, tools, queries: tasks }] : [];
}
