import { hashOf } from '../shell/route.ts';
import {
  bounded,
  type CountedTool,
  NO_SERVER,
  partNodes,
  serverKey,
  serverNodes,
  type TokenCount,
  type TokenNode,
  toolNodes,
} from './token-tree.ts';

/** What is divided into tiles: all servers, the tools of one, the parts of a tool; or the smaller ones of these. */
export interface Level {
  readonly title: string;
  /** What the nodes are: "servers". */
  readonly noun: 'servers' | 'tools' | 'parts';
  readonly nodes: readonly TokenNode[];
  /** The tiles: the largest nodes. */
  readonly tiles: readonly TokenNode[];
  /** The others, which as a tile might leave no room for any other. */
  readonly rest?: TokenNode & { readonly hash: string };
  /** The levels above, the highest first. */
  readonly above: readonly { readonly title: string; readonly hash: string }[];
  /** The address of a tile's own level; undefined for a part. */
  hashOf(tile: TokenNode): string | undefined;
}

/** A place among the levels, as the address tells it. */
export interface Place {
  /** The name of a tool; of no tool of the catalog for the levels above. */
  readonly tool: string;
  /** The key of a server; undefined for the level of the servers. */
  readonly server?: string | undefined;
  /** The largest nodes that are left out. */
  readonly from: number;
}

/** Tiles of one level: of more, most are too small to be read. */
const MOST_TILES = 60;

const TITLE = 'All servers';

export function levelAt(
  place: Place,
  tools: readonly CountedTool[],
  tokensOf: ReadonlyMap<string, number>,
  count: TokenCount,
): Level {
  const servers = serverNodes(tools, tokensOf);
  // One server alone is no level of its own.
  const top = servers.length === 1 ? [] : [{ title: TITLE, hash: hashOf('tokens') }];
  const tool = tools.find(({ name }) => name === place.tool);
  const server = tool ? serverKey(tool.group) : (place.server ?? (servers.length === 1 ? servers[0]?.key : undefined));
  const settings = { server: server ?? '' };
  const ownHash = hashOf('tokens', '', settings);
  if (tool) {
    const above = [...top, { title: titleOf(settings.server), hash: ownHash }];
    const nodes = partNodes(tool, count);
    return { title: tool.name, noun: 'parts', nodes, tiles: nodes, above, hashOf: () => undefined };
  }
  const all = server === undefined ? servers : toolNodes(tools, server, tokensOf);
  const nodes = place.from > 0 ? all.slice(place.from) : all;
  const title = server === undefined ? TITLE : titleOf(server);
  const { shown, rest } = bounded(nodes, MOST_TILES);
  const next = hashOf('tokens', '', { ...settings, from: `${place.from + shown.length}` });
  return {
    title: place.from > 0 ? `The ${nodes.length} smaller of ${title}` : title,
    noun: server === undefined ? 'servers' : 'tools',
    nodes,
    tiles: shown,
    ...(rest ? { rest: { ...rest, hash: next } } : {}),
    above: [...(server === undefined ? [] : top), ...(place.from > 0 ? [{ title, hash: ownHash }] : [])],
    hashOf: ({ key }) => (server === undefined ? hashOf('tokens', '', { server: key }) : hashOf('tokens', key)),
  };
}

function titleOf(server: string): string {
  return server === NO_SERVER ? 'Tools of no server' : server;
}
