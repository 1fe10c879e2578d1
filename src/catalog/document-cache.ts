import { regexFor } from '../util/lazy-regex.ts';
import type { ToolDocument } from './document.ts';
import type { CatalogEntry } from './entry.ts';
import { type ToldGroup, toolDocument } from './read-document.ts';
import type { MastraTool } from './tool.ts';
import type { ToolProblems } from './tool-problems.ts';

/** Characters of a refused name that become keywords. */
const MAX_NAME = 1_000;

/** Tells the group of a tool. */
export type GroupOf = (tool: MastraTool) => ToldGroup;

/** Reads tools as documents, each once: a tool that comes again with the next request is not read again. */
export class DocumentCache {
  readonly problems: ToolProblems;
  readonly #keywords: ReadonlyMap<string, readonly string[]>;
  readonly #groupOf: GroupOf | undefined;
  readonly #documents = new WeakMap<object, ToolDocument>();

  /** @param keywords - the user's words for tools, by any name of the tool. */
  constructor(problems: ToolProblems, keywords: ReadonlyMap<string, readonly string[]>, groupOf?: GroupOf) {
    this.problems = problems;
    this.#keywords = keywords;
    this.#groupOf = groupOf;
  }

  /** Keeps the document of a tool that was read elsewhere. */
  keep(tool: object, document: ToolDocument): void {
    this.#documents.set(tool, document);
  }

  read({ name, tool, originalName, key }: CatalogEntry): ToolDocument {
    const cached = this.#documents.get(tool);
    if (cached?.name === name) return cached;
    // A tool is found by all of its original name, also where the name that the model calls has lost a part of it.
    const keywords = [...piecesOf(originalName), ...keywordsOf({ name, key, originalName }, this.#keywords)];
    const { document, problem } = toolDocument(name, tool, keywords, this.#groupOf?.(tool));
    if (problem !== undefined) this.problems.report(name, 'unreadable-schema', problem);
    this.#documents.set(tool, document);
    return document;
  }
}

/** The user's words for a tool, by any of its names. */
export function keywordsOf(
  { name, key, originalName }: Pick<CatalogEntry, 'name' | 'key'> & { readonly originalName?: string | undefined },
  keywords: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [...new Set([name, key, originalName])].flatMap((spelling) => keywords.get(spelling ?? '') ?? []);
}

/** Pieces of at most 100 characters, cut between words where that can be. */
const PIECES = regexFor(String.raw`.{1,100}(?![\p{L}\p{N}])|.{1,100}`, 'gsu');

/** A name as keywords. */
function piecesOf(name = ''): readonly string[] {
  const start = name.slice(0, MAX_NAME);
  return start.match(PIECES(start)) ?? [];
}
