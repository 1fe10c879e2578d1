import type { Catalog } from '../catalog/catalog.ts';
import type { ToolSearchFilterPhase } from '../phase.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { nextTurn, SLICE } from '../util/time-slices.ts';
import { MAX_OPEN, type PolicySubject, type Question, type Questions, type Rules, type Visible } from './questions.ts';

/** So many tools are asked about next, at least, when those that were wanted are not all allowed. */
const SECOND_WINDOW = 16;
/** Milliseconds after which no more is asked about, and a search waits no longer. */
const FILTER_BUDGET = 1_000;

/** What came of asking about a list of tools. */
export interface Choice<Subject> {
  /** In the order of the list. */
  readonly permitted: readonly Subject[];
  /** How many were not asked about for want of time, or not answered in it, and so count as denied. */
  readonly left: number;
}

/** The time that the filter may take for one phase. Those who ask at the same time share it. */
class Budget {
  #askers = 0;
  #since = 0;
  #spent = 0;

  get left(): number {
    const running = this.#askers > 0 ? performance.now() - this.#since : 0;
    return Math.max(0, FILTER_BUDGET - this.#spent - running);
  }

  begin(): void {
    if (this.#askers++ === 0) this.#since = performance.now();
  }

  end(): void {
    if (--this.#askers === 0) this.#spent += performance.now() - this.#since;
  }
}

/**
 * What one request may see, load and use. Fails closed: what is not decided is denied, and when the run is aborted,
 * everything is.
 */
export class Permissions {
  readonly #rules: Rules;
  readonly #questions: Questions;
  /** The time left of a search, by phase. */
  readonly #budgets: Map<ToolSearchFilterPhase, Budget> | undefined;

  constructor(rules: Rules, questions: Questions, budgets?: Map<ToolSearchFilterPhase, Budget>) {
    this.#rules = rules;
    this.#questions = questions;
    this.#budgets = budgets;
  }

  /** The same, for a call that may be aborted by itself. */
  until(abortSignal: AbortSignal | undefined): Permissions {
    return abortSignal ? new Permissions(this.#rules, this.#questions.until(abortSignal), this.#budgets) : this;
  }

  /**
   * These permissions for one search: it has a second for each phase in all, and goes on without what is not answered
   * then. What it asks on the way, suggestions for example, shares that second.
   */
  inSearch(): Permissions {
    return this.#budgets ? this : new Permissions(this.#rules, this.#questions, new Map());
  }

  /** Without a filter everything is allowed, and nothing needs to be asked. */
  get isOpen(): boolean {
    return this.#rules.filter === undefined;
  }

  get isAborted(): boolean {
    return this.#questions.isAborted;
  }

  /**
   * The part of a catalog that the request may see in a search, on which alone all depends that a search says. The filter
   * is asked about the whole of it, once in a request. What it has not answered in the search's time counts as denied,
   * until the next search asks.
   *
   * @param best - the names to ask about first. Without it, what the searches of the request have learned is enough.
   */
  async visible(catalog: Catalog, best?: () => MaybePromise<Iterable<string>>): Promise<Visible> {
    if (!this.#rules.filter) return { catalog, left: 0, isFinal: true };
    const { visible: remembered } = this.#questions.answers;
    const known = remembered.get(catalog);
    if (known && (known.isFinal || !best)) return known;
    const first = [...((await best?.()) ?? [])].flatMap((name) => catalog.get(name) ?? []);
    const entries = [...new Set([...first, ...catalog.entries])];
    const { permitted, left } = await this.#choose(entries, Number.POSITIVE_INFINITY, 'search', SLICE);
    const visible: Visible = {
      catalog: permitted.length === catalog.size ? catalog : catalog.restrictedTo(new Set(permitted)),
      left,
      // A fault is forgotten, and the next search asks again.
      isFinal: left === 0 && !this.isAborted && entries.every((entry) => this.#questions.known(entry, 'search')),
    };
    if (!this.isAborted) remembered.set(catalog, visible);
    return visible;
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
  choose<T extends PolicySubject>(
    subjects: Iterable<T>,
    limit: number,
    phase: ToolSearchFilterPhase,
  ): Promise<Choice<T>> {
    return this.#choose(subjects, limit, phase, Number.POSITIVE_INFINITY);
  }

  /** @param slice - milliseconds of work before the event loop gets its turn. */
  async #choose<T extends PolicySubject>(
    subjects: Iterable<T>,
    limit: number,
    phase: ToolSearchFilterPhase,
    slice: number,
  ): Promise<Choice<T>> {
    if (!this.#rules.filter) return { permitted: firstOf(subjects, limit), left: 0 };
    const budget = this.#budgetOf(phase);
    budget.begin();
    try {
      return await this.#chooseWithin(budget, subjects, limit, phase, slice);
    } finally {
      budget.end();
    }
  }

  async #chooseWithin<T extends PolicySubject>(
    budget: Budget,
    subjects: Iterable<T>,
    limit: number,
    phase: ToolSearchFilterPhase,
    slice: number,
  ): Promise<Choice<T>> {
    const questions = this.#questions;
    const permitted: T[] = [];
    let asked = 0;
    let left = 0;
    let unanswered = 0;
    const isOver = (): boolean => phase !== 'active' && asked > 0 && budget.left === 0;
    const patience = (): number => (this.#budgets ? budget.left : Number.POSITIVE_INFINITY);

    let size = Math.min(limit, MAX_OPEN);
    let window: { readonly subject: T; readonly question: Question; readonly isNew: boolean }[] = [];
    let sure = 0;
    const closeWindow = async (): Promise<void> => {
      await questions.settle(
        window.map(({ question }) => question),
        patience(),
      );
      for (const { subject, question, isNew } of window) {
        if (permitted.length >= limit) break;
        if (question.answer) permitted.push(subject);
        if (question.answer !== undefined) continue;
        left += 1;
        if (isNew) unanswered += 1;
      }
      window = [];
      sure = 0;
      size = Math.min(Math.max(size * 2, SECOND_WINDOW), MAX_OPEN);
    };

    let turn = performance.now();
    for (const subject of subjects) {
      if (permitted.length >= limit) break;
      if (performance.now() - turn >= slice) {
        await nextTurn();
        turn = performance.now();
      }
      while (questions.areFull && patience() > 0 && !this.isAborted) {
        await (window.length > 0 ? closeWindow() : questions.waitForSlot(patience()));
      }
      if (this.isAborted) break;
      const known = questions.known(subject, phase);
      if (known?.answer === undefined && (isOver() || questions.areFull)) {
        left += 1;
        continue;
      }
      if (!known) asked += 1;
      const question = known ?? questions.ask(subject, phase);
      window.push({ subject, question, isNew: !known });
      // An answer that came at once may be the last that is wanted.
      if (question.answer) sure += 1;
      if (window.length >= size || permitted.length + sure >= limit) await closeWindow();
    }
    await closeWindow();
    if (this.isAborted) return { permitted: [], left: 0 };
    if (left > 0) this.#rules.reporter.report({ type: 'filter-budget', phase, asked: asked - unanswered, left });
    return { permitted, left };
  }

  #budgetOf(phase: ToolSearchFilterPhase): Budget {
    const known = this.#budgets?.get(phase);
    if (known) return known;
    const budget = new Budget();
    this.#budgets?.set(phase, budget);
    return budget;
  }
}

export function firstOf<T>(subjects: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  for (const subject of subjects) {
    if (first.length >= limit) break;
    first.push(subject);
  }
  return first;
}
