import type { RequestContext } from '@mastra/core/request-context';
import type { Reporter } from './events.ts';
import type { MastraTool } from './mastra/tool.ts';
import type { MaybePromise } from './maybe-promise.ts';

/**
 * Where the filter is asked: `search` before a tool is shown to the model (results, suggestions, the injected
 * catalog), `load` before it is loaded, and again before a call runs that may have waited for an approval or an answer,
 * `active` before a loaded or always-loaded tool is sent, and again before it runs.
 */
export type ToolSearchFilterPhase = 'search' | 'load' | 'active';

export type ToolSearchFilterArgs = {
  /** The name the model calls. */
  toolName: string;
  tool: MastraTool;
  requestContext?: RequestContext;
  phase: ToolSearchFilterPhase;
};

/** May this request see, load or use the tool? Whatever is not truthy, a throw and a rejection mean no. */
export type ToolSearchFilter = (args: ToolSearchFilterArgs) => MaybePromise<boolean>;

/** What the policy needs to know of a tool. */
export interface PolicySubject {
  readonly name: string;
  readonly tool: MastraTool;
}

/** How many questions to the filter run at once. */
const WINDOW = 16;

/** The rules of one processor: asks the filter and fails closed. */
export class Policy {
  readonly #filter: ToolSearchFilter | undefined;
  readonly #reporter: Reporter;

  constructor(filter: ToolSearchFilter | undefined, reporter: Reporter) {
    this.#filter = filter;
    this.#reporter = reporter;
  }

  /** Without a filter everything is allowed, and nothing needs to be asked. */
  get isOpen(): boolean {
    return this.#filter === undefined;
  }

  async allows(
    subject: PolicySubject,
    phase: ToolSearchFilterPhase,
    requestContext: RequestContext | undefined,
  ): Promise<boolean> {
    if (!this.#filter) return true;
    const { name, tool } = subject;
    try {
      return Boolean(
        await this.#filter({ toolName: name, tool, phase, ...(requestContext ? { requestContext } : {}) }),
      );
    } catch (error) {
      this.#reporter.report({ type: 'filter-failed', toolName: name, phase, error });
      return false;
    }
  }

  /** The allowed ones, in order. */
  allowed<T extends PolicySubject>(
    subjects: Iterable<T>,
    phase: ToolSearchFilterPhase,
    requestContext: RequestContext | undefined,
  ): Promise<T[]> {
    return this.firstAllowed(subjects, Number.POSITIVE_INFINITY, phase, requestContext);
  }

  /** The first `limit` allowed ones, in order. Asks in parallel, never for more tools than could still be needed. */
  async firstAllowed<T extends PolicySubject>(
    subjects: Iterable<T>,
    limit: number,
    phase: ToolSearchFilterPhase,
    requestContext: RequestContext | undefined,
  ): Promise<T[]> {
    const found: T[] = [];
    let window: T[] = [];
    const ask = async (): Promise<void> => {
      const answers = await Promise.all(window.map((subject) => this.allows(subject, phase, requestContext)));
      for (const [position, subject] of window.entries()) if (answers[position]) found.push(subject);
      window = [];
    };
    for (const subject of subjects) {
      if (found.length >= limit) break;
      if (this.isOpen) {
        found.push(subject);
        continue;
      }
      window.push(subject);
      if (window.length >= Math.min(WINDOW, limit - found.length)) await ask();
    }
    if (window.length > 0) await ask();
    return found;
  }
}
