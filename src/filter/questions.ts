import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import type { MastraTool } from '../catalog/tool.ts';
import type { ToolSearchOccurrence } from '../events/events.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import { startTimer } from '../util/timeout.ts';
import type { ToolSearchFilter } from './filter.ts';
import type { ToolSearchFilterPhase } from './phase.ts';

/**
 * Questions that one request may have open at once: enough for 10,000 tools at 2 ms each in about 0.1 s, few
 * enough for the pool of a database to queue.
 */
export const MAX_OPEN = 256;

/** One question to the filter. */
export interface Question extends PolicySubject {
  readonly phase: ToolSearchFilterPhase;
  /** The answer; undefined as long as the question is open. */
  answer: boolean | undefined;
  /** Resolves when there is an answer, and never rejects. Absent where the filter returned no promise. */
  settled?: Promise<void>;
  /** The time at which somebody first waited for the answer. */
  since?: number;
}

/** The part of a catalog that a request may see. */
export interface Visible {
  readonly catalog: Catalog;
  /** The number of tools without an answer, for want of time. They count as denied. */
  readonly left: number;
  /** Whether every tool has its answer, so that nothing has to be asked again. */
  readonly isFinal: boolean;
}

type ByName = Map<string, Question>;

/** The filter's answers to one run of a request, over its steps. */
export class RunMemory {
  /** The signal of the run, by which it is told from the next one under the same state. */
  readonly signal: AbortSignal | undefined;
  readonly search: ByName = new Map();
  readonly load: ByName = new Map();
  /** Questions without an answer, oldest first. */
  readonly open: Set<Question> = new Set();
  /** The visible part of each catalog, as it was known last. */
  readonly visible: WeakMap<Catalog, Visible> = new WeakMap();

  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }
}

/**
 * Asks the filter each question once: in the phases `search` and `load` once in a request, in the phase `active` once in
 * each step, so that a withdrawn right counts from the next step on.
 *
 * A fault denies, but is not remembered. A question that the end of the run cuts off is no fault.
 */
export class Questions {
  readonly #rules: Rules;
  readonly #asker: Asker;
  readonly #answers: RunMemory;
  readonly #active: ByName;

  constructor(rules: Rules, asker: Asker, memory: RunMemory, active: ByName = new Map()) {
    this.#rules = rules;
    this.#asker = asker;
    this.#answers = memory;
    this.#active = active;
  }

  get answers(): RunMemory {
    return this.#answers;
  }

  /** These questions, for a call that may be aborted by itself. */
  until(abortSignal: AbortSignal): Questions {
    return new Questions(this.#rules, { ...this.#asker, abortSignal }, this.#answers, this.#active);
  }

  /** Reports for whoever asks. */
  report(event: ToolSearchOccurrence): void {
    this.#rules.reporter.report(event, this.#asker.origin);
  }

  get asker(): Asker {
    return this.#asker;
  }

  get isAborted(): boolean {
    return this.#asker.abortSignal?.aborted === true;
  }

  /** The question that was asked before, unless its time has run out since. */
  earlier(subject: PolicySubject, phase: ToolSearchFilterPhase): Question | undefined {
    const { name, tool } = subject;
    if (subject.isSent) return { name, tool, phase, answer: true };
    const asked = this.#of(phase).get(name);
    if (asked?.tool !== tool) return undefined;
    return this.#failLate(asked) ? undefined : asked;
  }

  ask({ name, tool, originalName = name }: PolicySubject, phase: ToolSearchFilterPhase): Question {
    const { requestContext } = this.#asker;
    const question: Question = { name, tool, phase, answer: undefined };
    this.#of(phase).set(name, question);
    try {
      const names = { toolName: originalName, callableName: name };
      const args = { ...names, tool, phase, ...(requestContext ? { requestContext } : {}) };
      const given: unknown = this.#rules.filter?.(args);
      // Most filters know at once, and need neither a promise nor a timer.
      if (isThenable(given)) this.#expect(question, given);
      else {
        question.answer = Boolean(given);
        this.#rules.heard?.(given);
      }
    } catch (error) {
      this.#fail(question, error);
    }
    return question;
  }

  /**
   * Waits for answers, no longer than each may take, the run lasts or `patience` allows. Questions that are open
   * afterwards stay open: a later search finds their answers.
   */
  async settle(questions: readonly Question[], patience: number = Number.POSITIVE_INFINITY): Promise<void> {
    const { timeout } = this.#rules;
    const start = performance.now();
    const end = start + patience;
    for (const question of questions) question.since ??= start;
    for (let now = start; ; now = performance.now()) {
      const open = questions.filter(({ answer }) => answer === undefined);
      if (open.length === 0 || (now >= end && !this.isAborted)) return;
      const nextEnd = Math.min(end, ...open.map(({ since = now }) => since + timeout));
      if (!this.isAborted) await this.#answersOf(open, Math.max(0, nextEnd - now));
      for (const question of open) {
        if (question.answer !== undefined) continue;
        if (this.isAborted) this.#forget(question);
        else this.#failLate(question);
      }
      if (this.isAborted) return;
    }
  }

  /** Waits until all answers are there, the time is up, or the run is aborted. */
  async #answersOf(open: readonly Question[], milliseconds: number): Promise<void> {
    const { abortSignal } = this.#asker;
    let stop = (): void => {};
    const end = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const stopTimer = startTimer(milliseconds, stop);
    abortSignal?.addEventListener('abort', stop);
    await Promise.race([Promise.all(open.map(({ settled }) => settled)), end]);
    stopTimer();
    abortSignal?.removeEventListener('abort', stop);
  }

  /** Whether no further question may be asked now; other searches of the request ask as well. */
  get areFull(): boolean {
    return this.#answers.open.size >= MAX_OPEN;
  }

  /** Waits for the oldest open question. */
  async waitForSlot(patience?: number): Promise<void> {
    const [oldest] = this.#answers.open;
    if (oldest) await this.settle([oldest], patience);
  }

  #of(phase: ToolSearchFilterPhase): ByName {
    return phase === 'active' ? this.#active : this.#answers[phase];
  }

  #expect(question: Question, given: unknown): void {
    this.#answers.open.add(question);
    question.settled = Promise.resolve(given).then(
      (answer) => {
        this.#answers.open.delete(question);
        question.answer ??= Boolean(answer);
        this.#rules.heard?.(answer);
      },
      (error: unknown) => this.#fail(question, error),
    );
  }

  /** Denies a question that has been open for too long. Tells whether it has. */
  #failLate(question: Question): boolean {
    const { answer, since } = question;
    const { timeout } = this.#rules;
    if (answer !== undefined || since === undefined || performance.now() - since < timeout) return false;
    this.#fail(question, new Error(`it took longer than ${timeout} ms`));
    return true;
  }

  /** Denies a question, unless it has its answer, or was given up before. */
  #fail(question: Question, error: unknown): void {
    this.#forget(question);
    if (question.answer !== undefined) return;
    question.answer = false;
    const { name: toolName, phase } = question;
    if (!this.isAborted) this.report({ type: 'filter-failed', toolName, phase, error });
  }

  /** Forgets a question, so that it is asked again when it comes up again. */
  #forget(question: Question): void {
    this.#answers.open.delete(question);
    const questions = this.#of(question.phase);
    if (questions.get(question.name) === question) questions.delete(question.name);
  }
}

function isThenable(value: unknown): boolean {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && typeof (value as { readonly then?: unknown }).then === 'function';
}

/** The part of a tool's entry that the filter is asked about. */
export interface PolicySubject {
  readonly name: string;
  readonly tool: MastraTool;
  /** The name by which the filter is asked, where it is another one. */
  readonly originalName?: string;
  /** Whether the agent sends it anyway: then the filter is not asked. */
  readonly isSent?: boolean;
}

/** The part of a step's or a call's arguments that says for whom the filter is asked, and until when. */
export interface Asker {
  readonly requestContext?: RequestContext | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** Where the events about it come from. */
  readonly origin?: EventOrigin | undefined;
}

/** The part that is the same for all requests of a processor. */
export interface Rules {
  readonly filter: ToolSearchFilter | undefined;
  /** Milliseconds after which one question counts as denied. */
  readonly timeout: number;
  readonly reporter: Reporter;
  /** Told of every answer, as the filter returned it. */
  readonly heard?: (answer: unknown) => void;
}
