import { messageOf, ToolSearchError } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';
import { ended } from '../util/text.ts';
import { isAcceptedName } from './accepted-name.ts';
import { Catalog } from './catalog.ts';
import { DocumentCache, type GroupOf } from './document-cache.ts';
import type { CatalogEntry } from './entry.ts';
import { type ListedTool, listedTools } from './listed-tools.ts';
import { isCalledById, originalNameOf, repairName } from './names.ts';
import { isStub, placeholderOf } from './stub.ts';
import { descriptionOf, toMastraTool } from './tool.ts';
import { ToolProblems } from './tool-problems.ts';

/**
 * The catalog of the constructor's tools.
 *
 * @throws ToolSearchError `invalid-option`, `invalid-tool`, `duplicate-tool` or `reserved-name`.
 */
export function createCatalog(
  tools: unknown,
  reservedNames: readonly string[],
  reporter: Reporter,
  keywords: ReadonlyMap<string, readonly string[]> = new Map(),
  groupOf?: GroupOf,
): Catalog {
  const documentCache = new DocumentCache(new ToolProblems(reporter), keywords, groupOf);
  return buildCatalog(listedTools(tools), reservedNames, documentCache, (error) => {
    throw error;
  });
}

/**
 * The catalog of a list of tools.
 *
 * @param refuse - told of a tool that cannot be taken; when it returns, the tool is left out.
 */
export function buildCatalog(
  tools: readonly ListedTool[],
  reservedNames: readonly string[],
  documentCache: DocumentCache,
  refuse: (error: ToolSearchError, name: string) => void,
): Catalog {
  const { problems } = documentCache;
  const entries = new Map<string, CatalogEntry>();
  const aliases = new Map<string, string>();
  const taken = new Map<string, ListedTool>();
  const refused: { key: string; id: string; tool: object }[] = [];

  const add = (name: string, key: string, tool: object): void => {
    const description = descriptionOf(tool);
    if (description === '') problems.report(name, 'missing-description');
    const originalName = originalNameOf(key, tool);
    const made = isStub(tool) ? placeholderOf(name, tool) : toMastraTool(name, tool);
    const entry: CatalogEntry = { name, key, tool: made, description, isResolved: false };
    entries.set(name, originalName === name ? entry : { ...entry, originalName });
    // An original name counts for more than another tool's record key.
    if (originalName !== name) aliases.set(originalName, name);
    if (key !== name && !aliases.has(key)) aliases.set(key, name);
  };

  /** Refuses a tool that cannot be read, and no other. */
  const attempt = (key: string, take: () => void): void => {
    try {
      take();
    } catch (error) {
      if (error instanceof ToolSearchError) throw error;
      refuse(unreadable(key, error), key);
    }
  };

  const again: { key: string; id: string }[] = [];
  const take = (listed: ListedTool): void => {
    const { key, tool: value, isTool: isOne } = listed;
    if ('error' in listed) throw listed.error;
    if (!isOne) {
      refuse(notATool(key, value), key);
      return;
    }
    const tool = value as object;
    const id = isCalledById(key, tool) ? originalNameOf(key, tool) : key;
    const other = taken.get(id);
    if (reservedNames.includes(id)) refuse(reserved(id, key), id);
    else if (other?.tool === tool) again.push({ key, id });
    else if (other) refuse(duplicate(id, other.key, key), id);
    else {
      if (isAcceptedName(id)) add(id, key, tool);
      else refused.push({ key, id, tool });
      taken.set(id, listed);
    }
  };
  for (const listed of tools) attempt(listed.key, () => take(listed));

  // Refused ids are repaired last, so that a repaired name never takes the place of a tool that really has it.
  const isTaken = (name: string): boolean => entries.has(name) || reservedNames.includes(name);
  for (const { key, id, tool } of refused) {
    const name = repairName(id, isTaken);
    if (isTaken(name)) {
      problems.report(id, 'left-out', name);
      continue;
    }
    problems.report(id, 'renamed', name);
    attempt(key, () => add(name, key, tool));
  }
  // A tool may stand under several keys.
  for (const { key, id } of again) {
    const name = aliases.get(id) ?? id;
    if (entries.has(name) && !aliases.has(key)) aliases.set(key, name);
  }
  return new Catalog(entries, aliases, documentCache);
}

function notATool(key: string, value: unknown): ToolSearchError {
  const what =
    value instanceof Promise
      ? 'a promise'
      : value === null
        ? 'null'
        : typeof value === 'object'
          ? 'an object without execute or schema'
          : typeof value === 'function' && (key === 'search' || key === 'get')
            ? 'function; a ToolSource has both search() and get()'
            : typeof value;
  return new ToolSearchError(
    'invalid-tool',
    `tools["${key}"] is not a tool (${what}). Make it with createTool() of @mastra/core or tool() of the AI SDK, and await lists such as mcp.listTools().`,
  );
}

function unreadable(key: string, error: unknown): ToolSearchError {
  return new ToolSearchError(
    'invalid-tool',
    `tools["${key}"] cannot be read: ${ended(messageOf(error))} Give the tool, or its field, as a plain value.`,
  );
}

function reserved(id: string, key: string): ToolSearchError {
  return new ToolSearchError(
    'reserved-name',
    `The tool under key "${key}" is called "${id}", which is the name of a meta-tool. Rename the tool, or the meta-tool in metaTools.`,
  );
}

function duplicate(id: string, firstKey: string, secondKey: string): ToolSearchError {
  return new ToolSearchError(
    'duplicate-tool',
    `Two tools are both called "${id}" (keys "${firstKey}" and "${secondKey}"). Give one of them another id.`,
  );
}
