import type { Catalog } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { ToolSearchFilterPhase } from '../events/phase.ts';
import type { Reporter } from '../events/reporter.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { nextTurn, SLICE } from '../util/time-slices.ts';
import type { ToolSearchFilter } from './filter.ts';
import {
  type Asker,
  type Judge,
  MAX_OPEN,
  type PolicySubject,
  type Question,
  Questions,
  type QuestionsByName,
} from './questions.ts';

/** Minimum size of the second window of questions, which follows if the first brings too few allowed tools. */
const SECOND_WINDOW = 16;
/** Milliseconds after which a phase of a search asks no more questions and no longer waits for answers. */
const FILTER_BUDGET = 1_000;

/** Answers `undefined`, and nothing else, after which a `return` is probably missing; and fewer, about all of a catalog. */
const MANY_ANSWERS = 20;
const FEW_ANSWERS = 2;

/** Is asked about each tool before the filter, in every phase. What it denies is hidden as what the filter denies. */
export interface Guard {
  /** Never throws. */
  allows(subject: PolicySubject, asker: Asker): MaybePromise<boolean>;
  /** Whether the guard allows a whole catalog, so that it need not be asked about each tool. */
  allowsAll(catalog: Catalog, asker: Asker): boolean;
}

/** The filter of one processor, from which requests get their permissions. */
export class Policy implements Judge {
  readonly filter: ToolSearchFilter | undefined;
  readonly reporter: Reporter;
  readonly timeout: number;
  readonly #guard: Guard | undefined;
  /** Answers `undefined`, as long as there was no other. */
  #undefined = 0;

  constructor(
    filter: ToolSearchFilter | undefined,
    reporter: Reporter,
    timeout: number = Number.POSITIVE_INFINITY,
    guard?: Guard,
  ) {
    this.filter = filter;
    this.#guard = guard;
    this.reporter = reporter;
    this.timeout = timeout;
  }

  /** Whether there is neither filter nor guard: everything is allowed, and nothing needs to be asked. */
  get isOpen(): boolean {
    return this.filter === undefined && this.#guard === undefined;
  }

  /** Whether nothing of a catalog can be denied. */
  permitsAll(catalog: Catalog, asker: Asker): boolean {
    return this.filter === undefined && (this.#guard?.allowsAll(catalog, asker) ?? true);
  }

  /**
   * The answer of guard and filter about a tool, in whatever form the filter gives its own.
   *
   * @throws what the filter throws.
   */
  ask(subject: PolicySubject, phase: ToolSearchFilterPhase, asker: Asker): unknown {
    const { name, tool, originalName = name } = subject;
    const { requestContext } = asker;
    const askFilter = (): unknown => {
      if (!this.filter) return true;
      const names = { toolName: originalName, callableName: name };
      return this.filter({ ...names, tool, phase, ...(requestContext ? { requestContext } : {}) });
    };
    const isTrusted = this.#guard?.allows(subject, asker) ?? true;
    if (typeof isTrusted === 'boolean') return isTrusted && askFilter();
    return isTrusted.then((isAllowed) => isAllowed && askFilter());
  }

  /**
   * Whether a call may run now. The filter is asked anew.
   *
   * @throws the reason of the abort, when the run is aborted.
   */
  async allowsCall(subject: PolicySubject, phases: readonly ToolSearchFilterPhase[], caller: Asker): Promise<boolean> {
    const permissions = this.permissions(caller);
    for (const phase of phases) {
      if (await permissions.allows(subject, phase)) continue;
      caller.abortSignal?.throwIfAborted();
      return false;
    }
    return true;
  }

  /**
   * The permissions of a request.
   *
   * @param memory - the answers that the request has already; without it, everything is asked anew.
   */
  permissions(asker: Asker, memory: RunMemory = new RunMemory()): Permissions {
    return new Permissions({ policy: this, asker, run: memory, active: new Map() });
  }

  /**
   * The permissions of one step of a request. A DurableAgent continues with the same state after a call was approved,
   * however long the approval took. By then its signal is a new one, and earlier answers no longer count.
   */
  permissionsOfStep(state: { run: RunMemory; origin?: EventOrigin }, step: Asker): Permissions {
    if (state.run.signal !== step.abortSignal) state.run = new RunMemory(step.abortSignal);
    const { requestContext, abortSignal } = step;
    return this.permissions({ requestContext, abortSignal, origin: state.origin }, state.run);
  }

  /** Reports a filter that never returns anything, and so denies everything. */
  noteAnswer(answer: unknown): void {
    if (answer !== undefined) this.#undefined = Number.NEGATIVE_INFINITY;
    this.#undefined += 1;
    if (this.#undefined === MANY_ANSWERS) this.#doubt();
  }

  /** Notes that the filter has answered about the whole of a catalog, and denied all of it. */
  noteAllDenied(): void {
    if (this.#undefined >= FEW_ANSWERS) this.#doubt();
  }

  #doubt(): void {
    const message = `The filter has returned undefined ${this.#undefined} times and nothing else, which denies everything. Is there a "return" missing?`;
    this.reporter.report({ type: 'option-doubt', option: 'filter', message });
  }
}

/** The filter's answers to one run of a request, over its steps. */
export class RunMemory {
  /** The signal of the run, which distinguishes it from the next one under the same state. */
  readonly signal: AbortSignal | undefined;
  readonly search: QuestionsByName = new Map();
  readonly load: QuestionsByName = new Map();
  /** Questions without an answer, oldest first. */
  readonly open: Set<Question> = new Set();
  /** The last known visible part of each catalog. */
  readonly visible: WeakMap<Catalog, Visible> = new WeakMap();

  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }
}

/** The part of a catalog that a request may see. */
export interface Visible {
  readonly catalog: Catalog;
  /** The number of tools without an answer in time. They count as denied. */
  readonly left: number;
  /** Whether every tool has its answer, so that nothing has to be asked again. */
  readonly isFinal: boolean;
}

/** The time that the filter has for one phase. It runs while questions are asked; those of one time share it. */
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

/** What is allowed of a list of tools. */
interface Choice<T> {
  readonly permitted: readonly T[];
  /** The number of tools without an answer in time. They count as denied. */
  readonly left: number;
}

interface PermissionsParts {
  readonly policy: Policy;
  readonly asker: Asker;
  readonly run: RunMemory;
  /** The answers of the phase `active`. */
  readonly active: QuestionsByName;
  /** The time left to a search, by phase; absent outside a search. */
  readonly budgets?: Map<ToolSearchFilterPhase, Budget>;
}

/**
 * The permissions of one request: what it may see, load and use. They fail closed: no answer denies, and an aborted run
 * is denied everything.
 *
 * The filter is asked each question once: in the phases `search` and `load` once in a run, in the phase `active` once in
 * each step, so that a withdrawn right counts from the next step on. A fault denies, but is not remembered. A question
 * that the end of the run cuts off is no fault.
 */
export class Permissions {
  readonly #parts: PermissionsParts;
  readonly #questions: Questions;

  constructor(parts: PermissionsParts) {
    this.#parts = parts;
    const { policy, asker, run, active } = parts;
    this.#questions = new Questions(policy, asker, { search: run.search, load: run.load, active, open: run.open });
  }

  get asker(): Asker {
    return this.#parts.asker;
  }

  /** The permissions of one call, which may be aborted by itself. */
  until(abortSignal: AbortSignal | undefined): Permissions {
    return abortSignal ? new Permissions({ ...this.#parts, asker: { ...this.asker, abortSignal } }) : this;
  }

  /**
   * The permissions of one search. A search has one second for each phase, all its questions together, those for
   * suggestions included. Afterwards it goes on without the open answers.
   */
  inSearch(): Permissions {
    return this.#parts.budgets ? this : new Permissions({ ...this.#parts, budgets: new Map() });
  }

  /** Whether there is no filter: everything is allowed, and nothing needs to be asked. */
  get isOpen(): boolean {
    return this.#parts.policy.isOpen;
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
    if (this.#parts.policy.permitsAll(catalog, this.asker)) return { catalog, left: 0, isFinal: true };
    const before = this.#parts.run.visible.get(catalog);
    if (before && (before.isFinal || !best)) return before;
    const first = [...((await best?.()) ?? [])].flatMap((name) => catalog.get(name) ?? []);
    const entries = [...new Set([...first, ...catalog.entries])];
    const { permitted, left } = await this.choose(entries, Number.POSITIVE_INFINITY, 'search', SLICE);
    const visible: Visible = {
      catalog: permitted.length === catalog.size ? catalog : catalog.restrictedTo(new Set(permitted)),
      left,
      // A tool whose question failed has no answer: the next search asks again.
      isFinal: left === 0 && !this.isAborted && entries.every((entry) => this.#questions.earlier(entry, 'search')),
    };
    if (!this.isAborted) this.#parts.run.visible.set(catalog, visible);
    if (visible.isFinal && permitted.length === 0) this.#parts.policy.noteAllDenied();
    return visible;
  }

  async allows(subject: PolicySubject, phase: ToolSearchFilterPhase): Promise<boolean> {
    return (await this.allowed([subject], phase)).length > 0;
  }

  /**
   * The tools that all phases allow, in order; none without a phase. The phases are asked one after the other.
   *
   * @param limit - of one phase: the first so many.
   */
  async allowed<T extends PolicySubject>(
    subjects: Iterable<T>,
    phases: ToolSearchFilterPhase | readonly ToolSearchFilterPhase[],
    limit: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly T[]> {
    const asked = [phases].flat();
    let allowed = asked.length > 0 ? subjects : [];
    for (const phase of asked) allowed = (await this.choose(allowed, limit, phase)).permitted;
    return [...allowed];
  }

  /**
   * The first `limit` allowed tools, in order.
   *
   * Questions are asked in parallel, in growing windows of up to 256: first for as many tools as are wanted, then for
   * more, until enough are allowed or the time is up. The phase `active` takes the time it needs: few tools are loaded.
   *
   * @param slice - milliseconds of work before the event loop gets its turn.
   */
  async choose<T extends PolicySubject>(
    subjects: Iterable<T>,
    limit: number,
    phase: ToolSearchFilterPhase,
    slice: number = Number.POSITIVE_INFINITY,
  ): Promise<Choice<T>> {
    if (this.isOpen) return { permitted: firstOf(subjects, limit), left: 0 };
    const { budgets } = this.#parts;
    const budget = budgets?.get(phase) ?? new Budget();
    budgets?.set(phase, budget);
    const patience = (): number => (budgets ? budget.left : Number.POSITIVE_INFINITY);
    const permitted: T[] = [];
    const asked: Question[] = [];
    let left = 0;
    let size = Math.min(limit, MAX_OPEN);
    let window: (readonly [subject: T, question: Question])[] = [];
    /** Permissions in the window that came without a promise: one may already be the last that is wanted. */
    let sure = 0;
    const closeWindow = async (): Promise<void> => {
      await this.#questions.settle(
        window.map(([, question]) => question),
        patience(),
      );
      for (const [subject, { answer }] of window) {
        if (permitted.length >= limit) break;
        if (answer) permitted.push(subject);
        else if (answer === undefined) left += 1;
      }
      [window, sure, size] = [[], 0, Math.min(Math.max(size * 2, SECOND_WINDOW), MAX_OPEN)];
    };

    budget.begin();
    try {
      let turn = performance.now();
      for (const subject of subjects) {
        if (permitted.length >= limit) break;
        if (performance.now() - turn >= slice) {
          await nextTurn();
          turn = performance.now();
        }
        // Other searches of the request ask as well, and may take the room before this one goes on.
        while (this.#questions.isFull && patience() > 0 && !this.isAborted)
          await this.#questions.settleOldest(patience());
        if (this.isAborted) break;
        const earlier = this.#questions.earlier(subject, phase);
        const isOver = phase !== 'active' && asked.length > 0 && budget.left === 0;
        if (earlier?.answer === undefined && (isOver || this.#questions.isFull)) {
          left += 1;
          continue;
        }
        const question = earlier ?? this.#questions.ask(subject, phase);
        if (!earlier) asked.push(question);
        window.push([subject, question]);
        if (question.answer) sure += 1;
        if (window.length >= size || permitted.length + sure >= limit) await closeWindow();
      }
      await closeWindow();
    } finally {
      budget.end();
    }
    if (this.isAborted) return { permitted: [], left: 0 };
    const answered = asked.filter(({ answer }) => answer !== undefined).length;
    const event = { type: 'filter-budget', phase, asked: answered, left } as const;
    if (left > 0) this.#parts.policy.reporter.report(event, this.asker.origin);
    return { permitted, left };
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
