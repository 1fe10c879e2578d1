import { type EvaluationCase, invalidOption, suggestionFor, ToolSearchError } from '../../kit.ts';

/** A case with the names under which the model calls its tools. */
export interface ReadCase {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  readonly groups: readonly (readonly string[])[];
}

/**
 * Reads cases from JSON lines: `{ "query": "…", "relevant": ["…"] }`, or of a log of real use `{ "query": "…", "called": "…" }`,
 * where lines of one query become one case. Empty lines are passed over.
 *
 * @throws ToolSearchError `invalid-option` for a line that is no case, with its number.
 *
 * @example
 * ```ts
 * const cases = parseCases('{ "query": "write to a colleague", "relevant": ["send_email"] }\n');
 * ```
 */
export function parseCases(text: string): EvaluationCase[] {
  const cases: EvaluationCase[] = [];
  const called = new Map<string, Set<string>>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = parseLine(line, at + 1);
    if (!('called' in read)) {
      cases.push(read);
      continue;
    }
    const known = called.get(read.query);
    if (known) known.add(read.called);
    else called.set(read.query, new Set([read.called]));
  }
  // The tools that users called after one query serve one need.
  const used = [...called].map(([query, names]) => ({ query, relevant: [...names], groups: [[...names]] }));
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
  if (typeof value !== 'object' || value === null) return false;
  const { id, query, relevant, groups } = value as Record<string, unknown>;
  return (
    (id === undefined || typeof id === 'string') &&
    typeof query === 'string' &&
    query.trim() !== '' &&
    isNames(relevant) &&
    (groups === undefined || (Array.isArray(groups) && groups.every(isNames)))
  );
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** @throws ToolSearchError `invalid-option` for what is no case, with its place. */
export function checkedCase(one: unknown, at: number): EvaluationCase {
  if (!isCase(one)) throw invalidOption(`cases[${at}]`, one, 'a case such as { query: "…", relevant: ["…"] }');
  return one;
}

/** The tools that cases may want: those of a catalog. */
export interface NamedTools {
  readonly names: Iterable<string>;
  get(name: string): { readonly name: string } | undefined;
}

/** @throws ToolSearchError `invalid-option` for what is no case, or wants a tool that the catalog does not have. */
export function readCases(cases: unknown, catalog: NamedTools): readonly ReadCase[] {
  if (!Array.isArray(cases) || cases.length === 0) throw invalidOption('cases', cases, 'a list of at least one case');
  const nameOf = (name: string, id: string): string => {
    const entry = catalog.get(name);
    if (entry) return entry.name;
    const meant = suggestionFor(name, catalog.names);
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
