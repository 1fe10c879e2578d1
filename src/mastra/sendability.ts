import type { CatalogEntry } from '../catalog/entry.ts';
import { copyTool } from '../catalog/tool.ts';
import { ToolProblems } from '../catalog/tool-problems.ts';
import { messageOf } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';
import { providerSchema } from './provider-schema.ts';

/** Whether requests can hold tools. What none can hold is reported once, and remembered. */
export class Sendability {
  readonly #problems: ToolProblems;
  readonly #unsendable = new WeakSet<object>();

  constructor(reporter: Reporter) {
    this.#problems = new ToolProblems(reporter);
  }

  /** Whether a tool can be sent to a model. What the agent itself has is Mastra's business. */
  isSendable({ name, tool, isResolved }: CatalogEntry, model: unknown): boolean {
    if (isResolved) return true;
    try {
      providerSchema(tool, name, model);
      copyTool(tool, {});
      this.#unsendable.delete(tool);
      return true;
    } catch (error) {
      this.refuse(name, tool, error);
      return false;
    }
  }

  /** Whether a tool is known to be one that cannot be sent. */
  isRefused(tool: object): boolean {
    return this.#unsendable.has(tool);
  }

  refuse(name: string, tool: object, error: unknown): void {
    this.#unsendable.add(tool);
    this.#problems.report(name, 'unsendable', messageOf(error));
  }
}
