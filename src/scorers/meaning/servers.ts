import { kindOf, putUnit, type ToolVectors } from './tool-vectors.ts';

/** A server with a larger share of the catalog says nothing of its tools. */
const MOST = 0.8;
const NONE = -1;

/** The servers of a catalog, each with a vector of what its tools have in common. */
export interface Servers {
  /** The server number of each tool; -1 for none. */
  readonly of: Int32Array;
  /** How many first words of the tool's name are those of its server. */
  readonly prefixes: Uint8Array;
  /** For each server the mean of its tools' vectors, scaled to their length. */
  readonly vectors: Int16Array;
}

/** Groups tools by their `server`, else by the first word of their names, unless that is a verb. */
export function serversOf({ documents, names, vectors, vocabulary }: ToolVectors): Servers {
  const groups = new Map<string, number[]>();
  for (const [id, { server }] of documents.entries()) {
    const [first = '', ...others] = names[id] ?? [];
    const isNamed = server === '' && others.length > 0 && kindOf([first]) === 0;
    const key = server !== '' ? `server ${server}` : isNamed ? `name ${first}` : undefined;
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(id);
    else groups.set(key, [id]);
  }
  const large = [...groups.values()].filter(({ length }) => length > 1 && length <= MOST * documents.length);
  const { dims } = vocabulary.table;
  const servers: Servers = {
    of: new Int32Array(documents.length).fill(NONE),
    prefixes: new Uint8Array(documents.length),
    vectors: new Int16Array(large.length * dims),
  };
  for (const [server, ids] of large.entries()) {
    const prefix = prefixOf(ids.map((id) => names[id] ?? []));
    const sum = new Float64Array(dims);
    for (const id of ids) {
      servers.of[id] = server;
      servers.prefixes[id] = prefix;
      for (let at = 0; at < dims; at++) sum[at] = (sum[at] as number) + (vectors[id * dims + at] as number);
    }
    putUnit(sum, servers.vectors, server);
  }
  return servers;
}

/** How many first words all names share. A verb ends the count, and the last word of a name is never counted. */
function prefixOf(names: readonly (readonly string[])[]): number {
  const [first = []] = names;
  const most = Math.min(...names.map(({ length }) => length)) - 1;
  let length = 0;
  while (
    length < most &&
    kindOf([first[length] ?? '']) === 0 &&
    names.every((name) => name[length] === first[length])
  ) {
    length++;
  }
  return length;
}
