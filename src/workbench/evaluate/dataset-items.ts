import { asRecord, type EvaluationCase, invalidOption, partsOf, ToolSearchError } from '../../kit.ts';
import { checkedCase } from './cases.ts';

/**
 * A case as an item of a Mastra dataset.
 *
 * @example
 * ```ts
 * const item: CaseItem = { input: 'write to a colleague', groundTruth: { relevant: ['send_email'] } };
 * ```
 */
export interface CaseItem {
  /** The query: what an agent is told when the dataset is run. */
  input: string;
  groundTruth: { relevant: string[]; groups?: string[][] };
  /** The name of the case. */
  metadata?: { id: string };
}

/**
 * Makes items of a Mastra dataset of cases. `fromDatasetItems` makes the same cases of them.
 *
 * @throws ToolSearchError `invalid-option` for what is no case, with its place.
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
 * Makes cases of the items of a Mastra dataset: of its `input` the text, or that of the user's last message; of its
 * `groundTruth` a case's `relevant` and `groups`, a list of names, or one name.
 *
 * @throws ToolSearchError `invalid-option` for an item that is no case, with its place.
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

/** The text of an agent's input: a text, a message or several. */
function textOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (!Array.isArray(input)) return asRecord(input) ? partText(asRecord(input)?.['content']) : '';
  const ofUser = input.findLast((one) => typeof one === 'string' || asRecord(one)?.['role'] === 'user');
  return typeof ofUser === 'string' ? ofUser : partText(asRecord(ofUser)?.['content']);
}

/** The text of a message's content: a text, its parts, or the form in which Mastra stores messages. */
function partText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : partsOf(content);
  const texts = parts.map((part) => asRecord(part)?.['text']).filter((text) => typeof text === 'string');
  const plain = asRecord(content)?.['content'];
  return texts.length === 0 && typeof plain === 'string' ? plain : texts.join('\n');
}

/** The tools that a query should find. */
export interface GroundTruth {
  readonly relevant: readonly string[];
  readonly groups?: readonly (readonly string[])[];
}

/** Reads what an item of a dataset wants: a case, a list of names, or one name. Undefined for anything else. */
export function readGroundTruth(value: unknown): GroundTruth | undefined {
  if (typeof value === 'string') return { relevant: [value] };
  if (isNames(value)) return { relevant: value };
  const { relevant, groups } = asRecord(value) ?? {};
  if (!isNames(relevant) || !(groups === undefined || (Array.isArray(groups) && groups.every(isNames))))
    return undefined;
  return groups === undefined ? { relevant } : { relevant, groups };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
