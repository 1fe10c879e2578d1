import type { ToolProblem } from '../events/reasons.ts';
import type { Reporter } from '../events/reporter.ts';
import type { ToolDocument } from '../scorers/document.ts';
import { ended } from '../util/text.ts';
import type { MastraTool } from './tool.ts';

/** A searchable tool under the name the model calls. */
export interface CatalogEntry {
  readonly name: string;
  readonly tool: MastraTool;
  /** Whether the definition of the tool comes on demand: `tool` is its proxy. */
  readonly isLazy?: boolean;
  readonly description: string;
  /** The name by which @mastra/core calls the tool, where it is no name for the model. The filter is asked by it. */
  readonly originalName?: string;
  readonly key: string;
  /** Whether the tool came from this request (`args.tools`) rather than from the constructor. */
  readonly isResolved: boolean;
  /** Whether it is one of the agent's own tools, which is sent anyway: a search shows it, and nothing loads it. */
  readonly isSent?: boolean;
  /** Its document under this name, where that is all that is kept of the tool. */
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

/** The problems that are explained here: others are met by code that not everybody loads. */
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

  /** Reports a tool of a request that has the name of another one, and is called by its key instead. */
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
