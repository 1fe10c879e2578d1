import type { ToolProblem } from '../events/reasons.ts';
import type { Reporter } from '../events/reporter.ts';
import type { ToolDocument } from '../scorers/document.ts';
import { ended } from '../util/text.ts';
import type { MastraTool } from './tool.ts';

/** A searchable tool under the name the model calls. */
export interface CatalogEntry {
  readonly name: string;
  readonly tool: MastraTool;
  /** Whether the definition is fetched on demand; `tool` is then a proxy. */
  readonly isLazy?: boolean;
  readonly description: string;
  /** @mastra/core's name of the tool, where the model calls it by another. The filter sees this name. */
  readonly originalName?: string;
  readonly key: string;
  /** Whether the tool came from this request (`args.tools`) rather than from the constructor. */
  readonly isResolved: boolean;
  /** Whether the agent sends the tool itself: searches show it, and nothing loads it. */
  readonly isSent?: boolean;
  /** The ready-made document, where nothing else of the tool is kept. */
  readonly document?: ToolDocument;
}

/**
 * Whether a tool may be a client's: Mastra takes `execute` from the tools that a client sent, and a client cannot send one.
 */
export function isClients({ tool, isResolved }: Pick<CatalogEntry, 'tool' | 'isResolved'>): boolean {
  return isResolved && typeof tool.execute !== 'function';
}

/** Problems that are remembered as reported: names come from requests, so their number has no bound of its own. */
const MAX_REPORTED = 10_000;

/** Problems with a message in this file. Code that is loaded on demand words the others itself. */
type ExplainedProblem = Exclude<ToolProblem, 'not-pinned' | 'crowded-namespace' | 'refused-schema'>;

/** Reports each problem of each tool once, however many requests meet it. */
export class ToolProblems {
  readonly #reporter: Reporter;
  readonly #reported = new Set<string>();

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  report(toolName: string, problem: ExplainedProblem, detail = ''): void {
    this.once(toolName, problem, () => explain(toolName, problem, detail));
  }

  /** Reports a request's tool whose `id` another tool has, so that the model calls it by its key. */
  sharedName(originalName: string, name: string): void {
    const [own, other] = [JSON.stringify(name), JSON.stringify(originalName)];
    this.once(
      name,
      'renamed',
      () =>
        `Several tools are called ${other}; the one under key ${own} is searched, loaded and called as ${own}. Give it another id.`,
    );
  }

  /** Reports a tool that cannot be taken: the run goes on without it. */
  refused(toolName: string, reason: string): void {
    this.once(toolName, 'left-out', () => `Tool ${JSON.stringify(toolName)} is left out: ${reason}`);
  }

  once(toolName: string, problem: ToolProblem, message: () => string): void {
    const key = `${problem} ${toolName}`;
    if (this.#reported.has(key) || this.#reported.size >= MAX_REPORTED) return;
    this.#reported.add(key);
    this.#reporter.report({ type: 'tool-problem', toolName, problem, message: message() });
  }
}

function explain(toolName: string, problem: ExplainedProblem, detail: string): string {
  const name = JSON.stringify(toolName);
  switch (problem) {
    case 'missing-description':
      return `Tool ${name} has no description, so it can only be found by its name and parameters. Describe it.`;
    case 'renamed':
      return `Tool ${name} has a name that some providers refuse; it is searched, loaded and called as "${detail}". Use 1 to 64 letters, digits, "_" and "-".`;
    case 'left-out':
      return `Tool ${name} has a name that some providers refuse, and "${detail}" is taken or reserved, so it is left out. Use 1 to 64 letters, digits, "_" and "-".`;
    case 'unreadable-schema':
      return `The input schema of tool ${name} could not be read for searching: ${ended(detail)} The tool itself works.`;
    case 'sent-anyway':
      return `Tool ${name} is sent on every step anyway, as the agent's own tool "${detail}". Take one of the two away.`;
    case 'unsendable':
      return `Tool ${name} cannot be sent to a model, and is neither loaded nor called: ${detail}`;
  }
}
