import type { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../catalog/tool.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { ToolSearchFilterPhase } from '../events/phase.ts';
import type { Reporter } from '../events/reporter.ts';
import { waitFor } from '../util/timeout.ts';

/**
 * Questions that one request may have open at once: enough for 10,000 tools at 2 ms each in about 0.1 s, few
 * enough for the pool of a database to queue.
 */
export const MAX_OPEN = 256;
/** The part of a tool's entry that the filter is asked about. */
export interface PolicySubject {
  readonly name: string;
  readonly tool: MastraTool;
  /** The name by which the filter is asked, where it is another one. */
  readonly originalName?: string;
  /** Whether the agent sends the tool anyway: then the filter is not asked. */
  readonly isSent?: boolean;
}

/** The part of a step's or a call's arguments that says for whom the filter is asked, and until when. */
export interface Asker {
  readonly requestContext?: RequestContext | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly origin?: EventOrigin | undefined;
}

/** Answers questions, at once or later. */
export interface Judge {
  readonly reporter: Reporter;
  /** Milliseconds after which one question counts as denied. */
  readonly timeout: number;
  /** @throws what the filter throws. */
  ask(subject: PolicySubject, phase: ToolSearchFilterPhase, asker: Asker): unknown;
  noteAnswer(answer: unknown): void;
}

/** One question to the filter. */
export interface Question {
  readonly name: string;
  readonly tool: MastraTool;
  readonly phase: ToolSearchFilterPhase;
  /** The answer; undefined as long as the question is open. */
  answer: boolean | undefined;
  /** Resolves when there is an answer, and never rejects. Absent where the filter returned no promise. */
  settled?: Promise<void>;
  /** When the answer is late: `timeouts.filter` after somebody first waited for it. */
  lateAt?: number;
}

export type QuestionsByName = Map<string, Question>;

/** The questions that a request has asked, by phase. */
export interface AskedQuestions extends Readonly<Record<ToolSearchFilterPhase, QuestionsByName>> {
  /** Questions without an answer, oldest first. */
  readonly open: Set<Question>;
}

/** Asks a judge for one asker: each question once, unless it failed or was given up. */
export class Questions {
  readonly #judge: Judge;
  readonly #asker: Asker;
  readonly #asked: AskedQuestions;

  constructor(judge: Judge, asker: Asker, asked: AskedQuestions) {
    this.#judge = judge;
    this.#asker = asker;
    this.#asked = asked;
  }

  get isAborted(): boolean {
    return this.#asker.abortSignal?.aborted === true;
  }

  /** Whether as many questions are open as may be. */
  get isFull(): boolean {
    return this.#asked.open.size >= MAX_OPEN;
  }

  /** Waits for the open question that was asked first. */
  settleOldest(patience: number): Promise<void> {
    const [oldest] = this.#asked.open;
    return this.settle(oldest ? [oldest] : [], patience);
  }

  /** The question that was asked before, unless its time has run out since. */
  earlier({ name, tool, isSent }: PolicySubject, phase: ToolSearchFilterPhase): Question | undefined {
    if (isSent) return { name, tool, phase, answer: true };
    const asked = this.#asked[phase].get(name);
    return asked?.tool !== tool || this.#failLate(asked) ? undefined : asked;
  }

  ask(subject: PolicySubject, phase: ToolSearchFilterPhase): Question {
    const { name, tool } = subject;
    const question: Question = { name, tool, phase, answer: undefined };
    this.#asked[phase].set(name, question);
    const answered = (answer: unknown): void => {
      this.#asked.open.delete(question);
      question.answer ??= Boolean(answer);
      this.#judge.noteAnswer(answer);
    };
    const failed = (error: unknown): void => this.#fail(question, error);
    try {
      const given = this.#judge.ask(subject, phase, this.#asker);
      const isPromise = typeof (given as { readonly then?: unknown } | null | undefined)?.then === 'function';
      // Most filters know at once, and need neither a promise nor a timer.
      if (!isPromise) answered(given);
      else {
        this.#asked.open.add(question);
        question.settled = Promise.resolve(given).then(answered, failed);
      }
    } catch (error) {
      failed(error);
    }
    return question;
  }

  /**
   * Waits for answers, no longer than each may take, the run lasts or `patience` allows. Questions that are open
   * afterwards stay open: a later search finds their answers. An aborted run asks anew.
   */
  async settle(questions: readonly Question[], patience: number): Promise<void> {
    let now = performance.now();
    const end = now + patience;
    for (const question of questions) question.lateAt ??= now + this.#judge.timeout;
    let open = questions.filter(({ answer }) => answer === undefined);
    while (open.length > 0 && now < end && !this.isAborted) {
      const next = Math.min(end, ...open.map(({ lateAt = end }) => lateAt));
      await waitFor(Promise.all(open.map(({ settled }) => settled)), Math.max(0, next - now), this.#asker.abortSignal);
      if (!this.isAborted) for (const question of open) this.#failLate(question);
      open = open.filter(({ answer }) => answer === undefined);
      now = performance.now();
    }
    if (this.isAborted) for (const question of open) this.#forget(question);
  }

  /** Denies a question whose answer is late, and returns whether it is. */
  #failLate(question: Question): boolean {
    const { answer, lateAt = Number.POSITIVE_INFINITY } = question;
    if (answer !== undefined || performance.now() < lateAt) return false;
    this.#fail(question, new Error(`it took longer than ${this.#judge.timeout} ms`));
    return true;
  }

  /** Denies a question, unless it has its answer, or was given up before. */
  #fail(question: Question, error: unknown): void {
    this.#forget(question);
    if (question.answer !== undefined) return;
    question.answer = false;
    const { name: toolName, phase } = question;
    if (this.isAborted) return;
    this.#judge.reporter.report({ type: 'filter-failed', toolName, phase, error }, this.#asker.origin);
  }

  /** Forgets a question, so that it is asked again when it comes up again. */
  #forget(question: Question): void {
    this.#asked.open.delete(question);
    const questions = this.#asked[question.phase];
    if (questions.get(question.name) === question) questions.delete(question.name);
  }
}
