import { actionKinds } from '../scorers/words/query-words.ts';
import { CHUNK, type SlicedWork } from '../util/time-slices.ts';
import { splitIdentifier, stem } from '../util/words.ts';

/** A tool as skills and instructions may name it: without the prefix of its server. */
export interface PrefixedTool {
  readonly name: string;
  /** The author's name for the tool, where it differs from `name`. */
  readonly spelling?: string;
  /** The tool's MCP server or group; empty where neither is known. */
  readonly server: string;
}

/** Characters of a name that are compared. */
const MAX_LENGTH = 256;

/**
 * Finds the tools that a name without its server's prefix means: `create_issue` means `github_create_issue`. The prefix is
 * the tool's server or group. A tool without either has a prefix if several tools share it, it contains no verb, and at
 * least two words follow it: `file` does not mean `delete_file`.
 *
 * A name that a tool has in full, in any spelling, means no other tool. Several tools for one name: the name is ambiguous.
 *
 * @param tools - only what the request may see: a shared prefix would otherwise reveal hidden tools.
 */
export function* behindPrefix(
  names: readonly string[],
  tools: Iterable<PrefixedTool>,
): SlicedWork<ReadonlyMap<string, readonly string[]>> {
  const wanted = new Set(names.map(joined).filter((name) => name !== ''));
  const found = new Map<string, Set<string>>();
  const guessed: { readonly wanted: string; readonly name: string; readonly prefix: string }[] = [];
  /** How many tools without a server have each prefix. */
  const beginnings = new Map<string, number>();
  let seen = 0;
  for (const { name, spelling = name, server } of tools) {
    const words = spell(spelling);
    wanted.delete(words.join(''));
    const ofServer = joined(server);
    for (let count = 1; count < words.length; count += 1) {
      const prefix = words.slice(0, count).join('');
      if (server === '') beginnings.set(prefix, (beginnings.get(prefix) ?? 0) + 1);
      const rest = words.slice(count);
      const bare = rest.join('');
      if (!wanted.has(bare)) continue;
      if (server !== '' && prefix === ofServer) found.set(bare, (found.get(bare) ?? new Set()).add(name));
      else if (server === '' && rest.length > 1 && !words.slice(0, count).some(isVerb))
        guessed.push({ wanted: bare, name, prefix });
    }
    if (++seen % CHUNK === 0) yield;
  }
  for (const { wanted: bare, name, prefix } of guessed) {
    if ((beginnings.get(prefix) ?? 0) > 1) found.set(bare, (found.get(bare) ?? new Set()).add(name));
  }
  // After the loop, because the tool that has exactly this name may come last.
  const meant = (name: string): readonly string[] =>
    wanted.has(joined(name)) ? [...(found.get(joined(name)) ?? [])] : [];
  return new Map(names.map((name) => [name, meant(name)]));
}

function spell(name: string): readonly string[] {
  return splitIdentifier(name.slice(0, MAX_LENGTH));
}

function joined(name: string): string {
  return spell(name).join('');
}

function isVerb(word: string): boolean {
  return actionKinds().has(stem(word));
}
