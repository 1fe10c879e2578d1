import { invalidOption, ToolSearchError } from '../../errors.ts';
import { type Catalog, Groups, isSearchable, listedTools, namesIn, readCatalog, type ToolGroup } from '../../kit.ts';
import { asRecord } from '../../util/record.ts';
import { suggestionFor } from '../../util/suggest.ts';
import { definitionsOf } from '../definitions.ts';
import { grouped } from '../grouped.ts';

/**
 * A query, and the tools that it should find.
 *
 * @example
 * ```ts
 * const cases: readonly EvaluationCase[] = [
 *   { query: 'write to a colleague', relevant: ['send_email', 'post_message'] },
 *   { query: 'book a flight', relevant: [] },
 * ];
 * ```
 */
export interface EvaluationCase {
  /** A name for reports. @default the place in the list, from 1 */
  readonly id?: string;
  readonly query: string;
  /** The tools that serve the query, by their names or keys; empty if no tool of the catalog does. */
  readonly relevant: readonly string[];
  /** Lists of interchangeable tools, one for each need of the query. @default each relevant tool is a need */
  readonly groups?: readonly (readonly string[])[];
}

/**
 * Tools as the processor takes them, by name; or a list, as `tools/list` of an MCP server returns it, or as the APIs of
 * Anthropic, OpenAI and Google take it.
 *
 * @example
 * ```ts
 * const listed: ToolsToRead = [{ name: 'send_email' }];
 * ```
 */
export type ToolsToRead = Readonly<Record<string, unknown>> | readonly object[];

/**
 * Makes a catalog of tools outside a processor. Problems of tools are not reported.
 *
 * @throws ToolSearchError as the processor does.
 */
export function catalogOf(
  tools: ToolsToRead,
  keywords: Readonly<Record<string, readonly string[]>> = {},
  groupOf?: ToolGroup,
): Catalog {
  const groups = groupOf && new Groups(groupOf);
  const words = new Map(Object.entries(keywords));
  return readCatalog(listedTools(recordOf(tools)), {
    keywords: words,
    groupOf: groups && ((tool) => groups.describe(tool)),
  });
}

function recordOf(tools: ToolsToRead): unknown {
  if (!Array.isArray(tools)) return tools;
  return Object.fromEntries(
    definitionsOf(tools).map((tool, at) => {
      const name = asRecord(tool)?.['name'];
      if (typeof name === 'string') return [name, listed(tool as object)];
      throw new ToolSearchError(
        'invalid-tool',
        `Number ${at + 1} of the list "tools" has no name. Give each tool one.`,
      );
    }),
  );
}

/** Completes a definition of a list: one without a schema, which some servers leave out, takes no input. */
function listed(tool: object): object {
  const isWhole: boolean = isSearchable(tool);
  return isWhole ? tool : { ...tool, inputSchema: { type: 'object', properties: {} } };
}

/** A case with the names under which the model calls its tools. */
export interface ReadCase {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  readonly groups: readonly (readonly string[])[];
}

/**
 * Reads cases from JSON lines: `{ "query": "…", "relevant": ["…"] }`, or, from a log of real use, `{ "query": "…", "called":
 * "…" }`. Log lines with the same query become one case. Empty lines are ignored.
 *
 * @throws ToolSearchError `invalid-option` for a line that is no case, with its number.
 *
 * @example
 * ```ts
 * const cases = parseCases('{ "query": "write to a colleague", "relevant": ["send_email"] }\n');
 * ```
 */
export function parseCases(text: string): EvaluationCase[] {
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : parseLine(line, at + 1)));
  const cases = lines.flatMap((line) => ('called' in line ? [] : line));
  const log = lines.flatMap((line) => ('called' in line ? line : []));
  // The tools that users called after one query serve one need.
  const used = [...grouped(log, ({ query }) => query)].map(([query, calls]) => {
    const names = [...new Set(calls.map(({ called }) => called))];
    return { query, relevant: names, groups: [names] };
  });
  return [...cases, ...used];
}

function parseLine(line: string, number: number): EvaluationCase | { readonly query: string; readonly called: string } {
  const expected = 'lines such as { "query": "…", "relevant": ["…"] } or { "query": "…", "called": "…" }';
  const refuse = (why: string): ToolSearchError =>
    new ToolSearchError('invalid-option', `"cases" must be ${expected}; line ${number} ${why}.`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw refuse('is no JSON');
  }
  const { query, called } = (value ?? {}) as Record<string, unknown>;
  if (typeof query === 'string' && typeof called === 'string') return { query, called };
  if (!isCase(value)) throw refuse('is none of them');
  return value;
}

function isCase(value: unknown): value is EvaluationCase {
  const { id, query } = asRecord(value) ?? {};
  const isNamed = id === undefined || typeof id === 'string';
  return isNamed && typeof query === 'string' && query.trim() !== '' && isTruth(value);
}

function isTruth(value: unknown): value is GroundTruth {
  const { relevant, groups } = asRecord(value) ?? {};
  return isNames(relevant) && (groups === undefined || (Array.isArray(groups) && groups.every(isNames)));
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** @throws ToolSearchError `invalid-option` for a value that is no case, with its index. */
function checkedCase(one: unknown, at: number): EvaluationCase {
  if (!isCase(one)) throw invalidOption(`cases[${at}]`, one, 'a case such as { query: "…", relevant: ["…"] }');
  return one;
}

/** @throws ToolSearchError `invalid-option` for a value that is no case, or wants a tool that the catalog does not have. */
export function readCases(cases: unknown, catalog: Pick<Catalog, 'entries' | 'get'>): readonly ReadCase[] {
  if (!Array.isArray(cases) || cases.length === 0) throw invalidOption('cases', cases, 'a list of at least one case');
  const nameOf = (name: string, id: string): string => {
    const entry = catalog.get(name);
    if (entry) return entry.name;
    const meant = suggestionFor(name, namesIn(catalog));
    throw new ToolSearchError(
      'invalid-option',
      `"cases" wants the tool "${name}" in case ${id}, which "tools" has not.${meant}`,
    );
  };
  return cases.map((one: unknown, at) => {
    const { id = `${at + 1}`, query, ...wanted } = checkedCase(one, at);
    const relevant = [...new Set(wanted.relevant.map((name) => nameOf(name, id)))];
    const groups =
      wanted.groups?.map((group) => group.map((name) => nameOf(name, id))) ?? relevant.map((name) => [name]);
    return { id, query, relevant, groups };
  });
}

/**
 * A case as an item of a Mastra dataset.
 *
 * @example
 * ```ts
 * const item: CaseItem = { input: 'write to a colleague', groundTruth: { relevant: ['send_email'] } };
 * ```
 */
export interface CaseItem {
  /** The query, which is an agent's input when the dataset is run. */
  input: string;
  groundTruth: { relevant: string[]; groups?: string[][] };
  /** The name of the case. */
  metadata?: { id: string };
}

/**
 * Converts cases into items of a Mastra dataset. `fromDatasetItems` converts them back.
 *
 * @throws ToolSearchError `invalid-option` for a value that is no case, with its index.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * const cases = parseCases(readFileSync('cases.jsonl', 'utf8'));
 * const dataset = await mastra.datasets.create({ name: 'tool search' });
 * await dataset.addItems({ items: toDatasetItems(cases) });
 * ```
 */
export function toDatasetItems(cases: readonly EvaluationCase[]): CaseItem[] {
  if (!Array.isArray(cases)) throw invalidOption('cases', cases, 'a list of cases');
  return cases.map((one: unknown, at) => {
    const { id, query, relevant, groups } = checkedCase(one, at);
    return {
      input: query,
      groundTruth: { relevant: [...relevant], ...(groups ? { groups: groups.map((group) => [...group]) } : {}) },
      ...(id === undefined ? {} : { metadata: { id } }),
    };
  });
}

/**
 * Converts items of a Mastra dataset into cases. The query is the `input`, or the text of its last user message; `groundTruth`
 * is a case's `relevant` and `groups`, a list of names, or one name.
 *
 * @throws ToolSearchError `invalid-option` for an item that is no case, with its index.
 *
 * @example
 * ```ts
 * const dataset = await mastra.datasets.get({ id: 'tool-search' });
 * const listed = await dataset.listItems({ perPage: 1_000 });
 * const cases = fromDatasetItems(Array.isArray(listed) ? listed : listed.items);
 * console.log(await evaluate({ tools, cases }));
 * ```
 */
export function fromDatasetItems(
  items: Iterable<{ readonly input: unknown; readonly groundTruth?: unknown; readonly metadata?: unknown }>,
): EvaluationCase[] {
  const isList = typeof items === 'object' && items !== null && Symbol.iterator in items;
  if (!isList) throw invalidOption('items', items, 'a list of items of a dataset');
  return [...items].map((item: unknown, at) => {
    const expected = 'a case: an input of text, and the tools in groundTruth';
    const fields = asRecord(item);
    if (!fields) throw invalidOption(`items[${at}]`, item, expected);
    const { input, groundTruth, metadata } = fields;
    const refuse = (why: string): ToolSearchError =>
      new ToolSearchError('invalid-option', `"items[${at}]" must be ${expected}; ${why}.`);
    const query = textOf(input);
    if (query.trim() === '') throw refuse('its input has no text');
    const truth = readGroundTruth(groundTruth);
    if (!truth) throw refuse('its groundTruth has no "relevant"');
    const id = asRecord(metadata)?.['id'];
    return { ...(typeof id === 'string' ? { id } : {}), query, ...truth };
  });
}

/** The text of an agent's input: a string, a message or several messages. */
function textOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (!Array.isArray(input)) return asRecord(input) ? partText(asRecord(input)?.['content']) : '';
  const ofUser = input.findLast((one) => typeof one === 'string' || asRecord(one)?.['role'] === 'user');
  return typeof ofUser === 'string' ? ofUser : partText(asRecord(ofUser)?.['content']);
}

/** The text of a message's content: a string, parts, or the form in which Mastra stores messages. */
function partText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: unknown = Array.isArray(content) ? content : asRecord(content)?.['parts'];
  const texts = (Array.isArray(parts) ? parts : [])
    .map((part) => asRecord(part)?.['text'])
    .filter((text) => typeof text === 'string');
  const plain = asRecord(content)?.['content'];
  return texts.length === 0 && typeof plain === 'string' ? plain : texts.join('\n');
}

/** The tools that a query should find. */
export type GroundTruth = Pick<EvaluationCase, 'relevant' | 'groups'>;

/** Reads the ground truth of a dataset's item: a case, a list of names, or one name; undefined for anything else. */
export function readGroundTruth(value: unknown): GroundTruth | undefined {
  if (typeof value === 'string') return { relevant: [value] };
  if (isNames(value)) return { relevant: value };
  if (!isTruth(value)) return undefined;
  const { relevant, groups } = value;
  return groups === undefined ? { relevant } : { relevant, groups };
}
