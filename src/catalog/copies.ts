import type { ToolDocument } from './document.ts';

/**
 * The copies of tools in a catalog: the same server installed several times, for teams or workspaces. Copies have the
 * same name, but for that of their server in front, and the same texts.
 */
export interface Copies {
  /** The number of the first copy of its tool, by the number of a document. */
  readonly firsts: Uint32Array;
  /** Count of the distinct tools. */
  readonly tools: number;
  /** The numbers of all copies of a tool, by that of the first one. Tools without copies are left out. */
  readonly all: ReadonlyMap<number, readonly number[]>;
}

/** What was found, by the first document: processors that are made for a request have the same documents. */
const found = new WeakMap<ToolDocument, { readonly documents: readonly ToolDocument[]; readonly copies?: Copies }>();

/** The copies among documents, where the one whose name is first by code units is the first; undefined without any. */
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
  const byOwnName = new Map<string, number | number[]>();
  const namesakes: number[][] = [];
  for (let id = 0; id < documents.length; id++) {
    const document = documents[id] as ToolDocument;
    // Two tools of which nothing is said may be two things.
    if (document.description === '') continue;
    const name = ownName(document);
    const others = byOwnName.get(name);
    if (others === undefined) byOwnName.set(name, id);
    else if (typeof others === 'object') others.push(id);
    else {
      const both = [others, id];
      byOwnName.set(name, both);
      namesakes.push(both);
    }
  }
  const all = new Map<number, number[]>();
  const firsts = Uint32Array.from({ length: namesakes.length > 0 ? documents.length : 0 }, (_, id) => id);
  let tools = documents.length;
  const nameOf = (id: number): string => documents[id]?.name ?? '';
  for (const ids of namesakes) {
    const byText = new Map<string, number[]>();
    for (const id of ids.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))) {
      const text = textOf(documents[id] as ToolDocument);
      const copies = byText.get(text);
      if (copies) copies.push(id);
      else byText.set(text, [id]);
    }
    for (const copies of byText.values()) {
      const [first = 0] = copies;
      if (copies.length > 1) all.set(first, copies);
      for (const id of copies) firsts[id] = first;
      tools -= copies.length - 1;
    }
  }
  return all.size === 0 ? undefined : { firsts, tools, all };
}

const SEPARATORS = /[^A-Za-z\d]/g;
const SEPARATOR_AHEAD = /^[_.\-/:]+/;

/** The name of a tool without that of its server, which an MCP client puts in front of it. */
function ownName({ name, server }: ToolDocument): string {
  if (server === '') return name;
  const start = name.slice(0, server.length);
  if (start !== server && start.replace(SEPARATORS, '_') !== server.replace(SEPARATORS, '_')) return name;
  return name.slice(server.length).replace(SEPARATOR_AHEAD, '') || name;
}

function textOf({ title, description, keywords, hints, parameters }: ToolDocument): string {
  return JSON.stringify([title, description, keywords, hints, parameters]);
}
