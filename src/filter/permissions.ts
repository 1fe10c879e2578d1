import type { Catalog } from '../catalog/catalog.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { nextTurn, SLICE } from '../util/time-slices.ts';
import type { ToolSearchFilterPhase } from './phase.ts';
import {
  type Asker,
  MAX_OPEN,
  type PolicySubject,
  type Question,
  type Questions,
  type Rules,
  type Visible,
} from './questions.ts';

/** Tools in the second window of questions, at least, where the first window did not bring enough allowed ones. */
const SECOND_WINDOW = 16;
/** Milliseconds of one phase of a search, after which it asks and waits no longer. */
const FILTER_BUDGET = 1_000;

/** The outcome of asking about a list of tools. */
export interface Choice<Subject> {
  /** The permitted ones, in the order of the list. */
  readonly permitted: readonly Subject[];
  /** The number of tools without an answer, for want of time. They count as denied. */
  readonly left: number;
}

/** The time that the filter has for one phase. Questions that are asked at the same time share it. */
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
 * The permissions of one request: what it may see, load and use. They fail closed: no answer denies, and an aborted run
 * is denied everything.
 */
export class Permissions {
  readonly #rules: Rules;
  readonly #questions: Questions;
  /** The time left to a search, by phase; undefined outside a search. */
  readonly #budgets: Map<ToolSearchFilterPhase, Budget> | undefined;

  constructor(rules: Rules, questions: Questions, budgets?: Map<ToolSearchFilterPhase, Budget>) {
    this.#rules = rules;
    this.#questions = questions;
    this.#budgets = budgets;
  }

  /** These permissions, for a call that may be aborted by itself. */
  until(abortSignal: AbortSignal | undefined): Permissions {
    return abortSignal ? new Permissions(this.#rules, this.#questions.until(abortSignal), this.#budgets) : this;
  }

  /**
   * These permissions, for one search. A search has one second for each phase, all its questions together, those for
   * suggestions included. Afterwards it goes on without the open answers.
   */
  inSearch(): Permissions {
    return this.#budgets ? this : new Permissions(this.#rules, this.#questions, new Map());
  }

  /** Whether there is no filter: everything is allowed, and nothing needs to be asked. */
  get isOpen(): boolean {
    return this.#rules.filter === undefined;
  }

  /** For whom the filter is asked, and until when. */
  get asker(): Asker {
    return this.#questions.asker;
  }

  get isAborted(): boolean {
    return this.#questions.isAborted;
  }

  /**
   * The part of a catalog that the request may see in a search. Nothing that a search says depends on other tools. The
   * filter is asked about the whole catalog, once in a request; a tool without an answer in time counts as denied, until
   * the next search asks again.
   *
   * @param best - the names to ask about first. Without it, the answers that the request has already are enough.
   */
  async visible(catalog: Catalog, best?: () => MaybePromise<Iterable<string>>): Promise<Visible> {
    if (!this.#rules.filter) return { catalog, left: 0, isFinal: true };
    const { visible: remembered } = this.#questions.answers;
    const before = remembered.get(catalog);
    if (before && (before.isFinal || !best)) return before;
    const first = [...((await best?.()) ?? [])].flatMap((name) => catalog.get(name) ?? []);
    const entries = [...new Set([...first, ...catalog.entries])];
    const { permitted, left } = await this.#choose(entries, Number.POSITIVE_INFINITY, 'search', SLICE);
    const visible: Visible = {
      catalog: permitted.length === catalog.size ? catalog : catalog.restrictedTo(new Set(permitted)),
      left,
      // A tool whose question failed has no answer: the next search asks again.
      isFinal: left === 0 && !this.isAborted && entries.every((entry) => this.#questions.earlier(entry, 'search')),
    };
    if (!this.isAborted) remembered.set(catalog, visible);
    return visible;
  }

  async allows(subject: PolicySubject, phase: ToolSearchFilterPhase): Promise<boolean> {
    return (await this.firstAllowed([subject], 1, phase)).length > 0;
  }

  /** The allowed tools, in order. */
  allowed<T extends PolicySubject>(subjects: Iterable<T>, phase: ToolSearchFilterPhase): Promise<readonly T[]> {
    return this.firstAllowed(subjects, Number.POSITIVE_INFINITY, phase);
  }

  /** The first `limit` allowed tools, in order. */
  async firstAllowed<T extends PolicySubject>(
    subjects: Iterable<T>,
    limit: number,
    phase: ToolSearchFilterPhase,
  ): Promise<readonly T[]> {
    return (await this.choose(subjects, limit, phase)).permitted;
  }

  /**
   * The first `limit` allowed tools, in order, and the number of those left without an answer.
   *
   * Questions are asked in parallel, in growing windows of up to 256: first for as many tools as are wanted, then for
   * more, until enough are allowed or the time is up. The phase `active` takes the time it needs: few tools are loaded.
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
      const earlier = questions.earlier(subject, phase);
      if (earlier?.answer === undefined && (isOver() || questions.areFull)) {
        left += 1;
        continue;
      }
      if (!earlier) asked += 1;
      const question = earlier ?? questions.ask(subject, phase);
      window.push({ subject, question, isNew: !earlier });
      // An answer that came without a promise may already be the last that is wanted.
      if (question.answer) sure += 1;
      if (window.length >= size || permitted.length + sure >= limit) await closeWindow();
    }
    await closeWindow();
    if (this.isAborted) return { permitted: [], left: 0 };
    if (left > 0) questions.report({ type: 'filter-budget', phase, asked: asked - unanswered, left });
    return { permitted, left };
  }

  #budgetOf(phase: ToolSearchFilterPhase): Budget {
    const begun = this.#budgets?.get(phase);
    if (begun) return begun;
    const budget = new Budget();
    this.#budgets?.set(phase, budget);
    return budget;
  }
}

/** The first items of what may go on for long. */
export function firstOf<T>(subjects: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  for (const subject of subjects) {
    if (first.length >= limit) break;
    first.push(subject);
  }
  return first;
}
