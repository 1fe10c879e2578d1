import type { ToolProblem } from '../events.ts';
import type { Reporter } from '../reporter.ts';
import type { ToolDocument } from './document.ts';
import type { CatalogEntry } from './entry.ts';
import { toolDocument } from './read-document.ts';

/** So much of a name is searched for where the model calls the tool by another. */
const MAX_NAME = 1_000;

/** Reports each problem of each tool once, however many requests meet it, and builds documents. */
export class CatalogReporter {
  readonly #reporter: Reporter;
  readonly #reported = new Set<string>();
  readonly #keywords: ReadonlyMap<string, readonly string[]>;
  /** By tool object: a tool that comes again with the next request is not read again. */
  readonly #documents = new WeakMap<object, ToolDocument>();

  /** @param keywords - the user's words for tools, by the name the model calls. */
  constructor(reporter: Reporter, keywords: ReadonlyMap<string, readonly string[]>) {
    this.#reporter = reporter;
    this.#keywords = keywords;
  }

  document({ name, tool, originalName, key }: CatalogEntry): ToolDocument {
    const known = this.#documents.get(tool);
    if (known?.name === name) return known;
    // What a new name has lost of the old one can be searched for all the same.
    const keywords = [...piecesOf(originalName), ...keywordsOf({ name, key, originalName }, this.#keywords)];
    const { document, problem } = toolDocument(name, tool, keywords);
    if (problem !== undefined) this.problem(name, 'unreadable-schema', problem);
    this.#documents.set(tool, document);
    return document;
  }

  problem(toolName: string, problem: ToolProblem, detail = ''): void {
    this.#report(toolName, problem, () => explain(toolName, problem, detail));
  }

  /** A tool of a request whose name another one has. */
  sharedName(originalName: string, name: string): void {
    const [own, other] = [JSON.stringify(name), JSON.stringify(originalName)];
    this.#report(
      name,
      'renamed',
      () =>
        `Several tools are called ${other}; the one under key ${own} is searched, loaded and called as ${own}. Give it another id.`,
    );
  }

  /** A tool that cannot be taken: the run goes on without it. */
  refused(toolName: string, reason: string): void {
    this.#report(toolName, 'left-out', () => `Tool ${JSON.stringify(toolName)} is left out: ${reason}`);
  }

  #report(toolName: string, problem: ToolProblem, message: () => string): void {
    const key = `${problem} ${toolName}`;
    // Names come from requests, so the memory of what was said is bounded.
    if (this.#reported.has(key) || this.#reported.size >= 10_000) return;
    this.#reported.add(key);
    this.#reporter.report({ type: 'tool-problem', toolName, problem, message: message() });
  }
}

/** The user's words for a tool, by any of its names. */
export function keywordsOf(
  { name, key, originalName }: Pick<CatalogEntry, 'name' | 'key'> & { readonly originalName?: string | undefined },
  keywords: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [...new Set([name, key, originalName])].flatMap((spelling) => keywords.get(spelling ?? '') ?? []);
}

/** A keyword has 100 characters at most: a longer name is cut between its words. */
function piecesOf(name = ''): readonly string[] {
  return name.slice(0, MAX_NAME).match(/.{1,100}(?![\p{L}\p{N}])|.{1,100}/gsu) ?? [];
}

function explain(toolName: string, problem: ToolProblem, detail: string): string {
  const name = JSON.stringify(toolName);
  switch (problem) {
    case 'missing-description':
      return `Tool ${name} has no description, so it can only be found by its name and parameters. Describe it.`;
    case 'renamed':
      return `Tool ${name} has a name that some providers refuse; it is searched, loaded and called as "${detail}". Use 1 to 64 letters, digits, "_" and "-".`;
    case 'left-out':
      return `Tool ${name} has a name that some providers refuse, and "${detail}" is taken or reserved, so it is left out. Use 1 to 64 letters, digits, "_" and "-".`;
    case 'unreadable-schema':
      return `The input schema of tool ${name} could not be read for searching: ${detail}. The tool itself works.`;
    case 'sent-anyway':
      return `Tool ${name} is sent on every step anyway, as the agent's own tool "${detail}". Take one of the two away.`;
    case 'unsendable':
      return `Tool ${name} cannot be sent to a model, and stays out where it is loaded: ${detail}`;
  }
}
