import type { PolicySubject, Rules, ToolSearchFilterPhase } from './policy.ts';
import { MAX_OPEN, type Question, type Questions } from './questions.ts';

/** So many tools are asked about next, at least, when those that were wanted are not all allowed. */
const SECOND_WINDOW = 16;
/** Milliseconds after which a search asks about no more tools. */
const FILTER_BUDGET = 1_000;

/** What came of asking about a list of tools. */
export interface Choice<Subject> {
  /** In the order of the list. */
  readonly permitted: readonly Subject[];
  /** How many were not asked about for want of time, and so count as denied. */
  readonly left: number;
}

/**
 * What one request may see, load and use. Fails closed: what is not decided is denied, and when the run is aborted,
 * everything is.
 */
export class Permissions {
  readonly #rules: Rules;
  readonly #questions: Questions;

  constructor(rules: Rules, questions: Questions) {
    this.#rules = rules;
    this.#questions = questions;
  }

  /** The same, for a call that may be aborted by itself. */
  until(abortSignal: AbortSignal | undefined): Permissions {
    return abortSignal ? new Permissions(this.#rules, this.#questions.until(abortSignal)) : this;
  }

  get isAborted(): boolean {
    return this.#questions.isAborted;
  }

  async allows(subject: PolicySubject, phase: ToolSearchFilterPhase): Promise<boolean> {
    return (await this.firstAllowed([subject], 1, phase)).length > 0;
  }

  /** The allowed ones, in order. */
  allowed<T extends PolicySubject>(subjects: Iterable<T>, phase: ToolSearchFilterPhase): Promise<readonly T[]> {
    return this.firstAllowed(subjects, Number.POSITIVE_INFINITY, phase);
  }

  /** The first `limit` allowed ones, in order. */
  async firstAllowed<T extends PolicySubject>(
    subjects: Iterable<T>,
    limit: number,
    phase: ToolSearchFilterPhase,
  ): Promise<readonly T[]> {
    return (await this.choose(subjects, limit, phase)).permitted;
  }

  /**
   * The first `limit` allowed ones, in order. Asks in parallel, window by window: first for as many as are wanted, then
   * for ever more, until there are enough or the time is up. The phase active has no such end: few tools are loaded.
   */
  async choose<T extends PolicySubject>(
    subjects: Iterable<T>,
    limit: number,
    phase: ToolSearchFilterPhase,
  ): Promise<Choice<T>> {
    if (!this.#rules.filter) return { permitted: firstOf(subjects, limit), left: 0 };
    const questions = this.#questions;
    const permitted: T[] = [];
    const start = performance.now();
    let asked = 0;
    let left = 0;
    const isOver = (): boolean => phase !== 'active' && asked > 0 && performance.now() - start >= FILTER_BUDGET;

    let size = Math.min(limit, MAX_OPEN);
    let window: { readonly subject: T; readonly question: Question }[] = [];
    let sure = 0;
    const closeWindow = async (): Promise<void> => {
      await questions.settle(window.map(({ question }) => question));
      for (const { subject, question } of window)
        if (question.answer && permitted.length < limit) permitted.push(subject);
      window = [];
      sure = 0;
      size = Math.min(Math.max(size * 2, SECOND_WINDOW), MAX_OPEN);
    };

    for (const subject of subjects) {
      if (permitted.length >= limit) break;
      while (questions.areFull && !this.isAborted) await (window.length > 0 ? closeWindow() : questions.room());
      if (this.isAborted) break;
      const known = questions.known(subject, phase);
      if (known?.answer === undefined && isOver()) {
        left += 1;
        continue;
      }
      if (!known) asked += 1;
      const question = known ?? questions.ask(subject, phase);
      window.push({ subject, question });
      // An answer that came at once may be the last that is wanted.
      if (question.answer) sure += 1;
      if (window.length >= size || permitted.length + sure >= limit) await closeWindow();
    }
    await closeWindow();
    if (this.isAborted) return { permitted: [], left: 0 };
    if (left > 0) this.#rules.reporter.report({ type: 'filter-budget', phase, asked, left });
    return { permitted, left };
  }
}

function firstOf<T>(subjects: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  for (const subject of subjects) {
    if (first.length >= limit) break;
    first.push(subject);
  }
  return first;
}
