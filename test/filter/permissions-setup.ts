import type { ToolSearchEvent, ToolSearchFilter } from 'mastra-tool-search';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { Reporter } from '../../src/events/reporter.ts';
import { type Permissions, Policy, RunMemory } from '../../src/filter/permissions.ts';
import type { Asker, PolicySubject } from '../../src/filter/questions.ts';
import { tool, toolRecord } from '../support/agent.ts';

export { type PolicySubject, RunMemory };

export const shared: PolicySubject['tool'] = tool('shared');
export const subject = (name: string): PolicySubject => ({ name, tool: shared });
export const subjects = (count: number): PolicySubject[] =>
  Array.from({ length: count }, (_, n) => subject(`tool_${n}`));
/** A catalog of tool_0, tool_1, … */
export const catalogOf = (count: number): Catalog =>
  readCatalog(listedTools(toolRecord(...subjects(count).map(({ name }) => tool(name)))));
export const indexOf = (name: string): number => Number(name.slice('tool_'.length));
export const namesOf = (found: readonly PolicySubject[]): string[] => found.map(({ name }) => name);

/** The permissions of one request, with the events. */
export function setup(
  filter?: unknown,
  asker: Asker = {},
  timeout?: number,
): { readonly events: ToolSearchEvent[]; readonly policy: Policy; readonly permissions: Permissions } {
  const events: ToolSearchEvent[] = [];
  const reporter = new Reporter((event) => events.push(event));
  const policy = new Policy(filter as ToolSearchFilter | undefined, reporter, timeout);
  return { events, policy, permissions: policy.permissions(asker) };
}

export interface Counting {
  readonly filter: ToolSearchFilter;
  /** What was asked, as `phase name`. */
  readonly asked: string[];
  readonly most: { atOnce: number };
}

/** A filter with what it was asked, and how many questions were open at once. */
export function counting(isAllowed: (name: string) => unknown): Counting {
  const asked: string[] = [];
  let open = 0;
  const most = { atOnce: 0 };
  const filter = async ({ toolName, phase }: { toolName: string; phase: string }): Promise<unknown> => {
    asked.push(`${phase} ${toolName}`);
    most.atOnce = Math.max(most.atOnce, ++open);
    await Promise.resolve();
    open--;
    return isAllowed(toolName);
  };
  return { filter: filter as ToolSearchFilter, asked, most };
}

/** A filter that answers when the test says. */
export class HeldFilter {
  readonly asked: string[] = [];
  readonly #answers = new Map<string, { resolve(answer: boolean): void; reject(error: unknown): void }>();

  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  readonly filter: ToolSearchFilter = ({ toolName, phase }) => {
    this.asked.push(`${phase} ${toolName}`);
    for (const { count, resolve } of this.#waiting) if (this.asked.length >= count) resolve();
    return new Promise((resolve, reject) => this.#answers.set(toolName, { resolve, reject }));
  };

  /** Waits until so many questions were asked. */
  whenAsked(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
      if (this.asked.length >= count) resolve();
    });
  }

  answer(name: string, answer: boolean): void {
    this.#answers.get(name)?.resolve(answer);
  }

  fail(name: string, error: unknown): void {
    this.#answers.get(name)?.reject(error);
  }

  /** Answers all that is open. */
  answerAll(answer: boolean): void {
    for (const { resolve } of this.#answers.values()) resolve(answer);
  }
}
