import type { ToolDocument } from './document.ts';

/**
 * The copies of tools in a catalog, as when one server is installed several times, for teams or workspaces. Copies have
 * the same texts, and the same name apart from the server's name in front.
 */
export interface Copies {
  /** For each document's number, the number of the first copy of the same tool. */
  readonly firsts: Uint32Array;
  readonly tools: number;
  /** The numbers of all copies of a tool, by the first copy's number. Tools without copies are left out. */
  readonly all: ReadonlyMap<number, readonly number[]>;
}

/** Cache by first document: processors that are made per request share their documents. */
const found = new WeakMap<ToolDocument, { readonly documents: readonly ToolDocument[]; readonly copies?: Copies }>();

/**
 * Finds the copies among documents. Undefined if there are none. The first copy is the one whose name is first in code
 * unit order.
 */
export function copiesIn(documents: readonly ToolDocument[]): Copies | undefined {
  const [first] = documents;
  if (!first) return undefined;
  const known = found.get(first);
  const isSame =
    known?.documents.length === documents.length && documents.every((each, at) => each === known.documents[at]);
  if (isSame) return known.copies;
  const copies = findCopies(documents);
  found.set(first, { documents, ...(copies && { copies }) });
  return copies;
}

function findCopies(documents: readonly ToolDocument[]): Copies | undefined {
  const nameOf = (id: number): string => documents[id]?.name ?? '';
  const all = new Map<number, number[]>();
  const firsts = Uint32Array.from(documents, (_, id) => id);
  let tools = documents.length;
  // Tools without a description may differ even if they have the same name.
  const described = [...documents.keys()].filter((id) => documents[id]?.description !== '');
  for (const namesakes of groupsOf(documents, described, ownName)) {
    namesakes.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    for (const copies of groupsOf(documents, namesakes, textOf)) {
      const [first = 0] = copies;
      all.set(first, copies);
      for (const id of copies) firsts[id] = first;
      tools -= copies.length - 1;
    }
  }
  return all.size === 0 ? undefined : { firsts, tools, all };
}

/** Groups of two or more documents with the same key. */
function groupsOf(
  documents: readonly ToolDocument[],
  ids: readonly number[],
  keyOf: (document: ToolDocument) => string,
): readonly number[][] {
  const groups = new Map<string, number[]>();
  for (const id of ids) {
    const key = keyOf(documents[id] as ToolDocument);
    const group = groups.get(key);
    if (group) group.push(id);
    else groups.set(key, [id]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

const SEPARATORS = /[^A-Za-z\d]/g;
const SEPARATOR_AHEAD = /^[_.\-/:]+/;

/** The name of a tool without the server prefix that an MCP client adds. */
function ownName({ name, server }: ToolDocument): string {
  if (server === '') return name;
  const start = name.slice(0, server.length);
  if (start !== server && start.replace(SEPARATORS, '_') !== server.replace(SEPARATORS, '_')) return name;
  return name.slice(server.length).replace(SEPARATOR_AHEAD, '') || name;
}

function textOf({ title, description, keywords, hints, parameters }: ToolDocument): string {
  return JSON.stringify([title, description, keywords, hints, parameters]);
}
