import type { EventOrigin } from '../events/origin.ts';
import type { PlacedOrigin, Reporter } from '../events/reporter.ts';
import {
  type Conversation,
  type ConversationArgs,
  callsIn,
  conversationOf,
  hasEnded,
  partsOf,
  roleOf,
} from '../loaded/conversation/conversation.ts';
import type { RequestState } from '../step/request.ts';
import type { Step } from '../step/step.ts';
import { Lru } from '../util/lru.ts';
import { Memory } from '../util/memory.ts';
import { asRecord } from '../util/record.ts';
import type { Feature } from './feature.ts';

/** Limit of the remembered reports. They keep a thread's next run from reporting the same cut run again. */
const MAX_REPORTED = 1_000;

/** Mastra's default of `maxSteps`. Earlier steps are not watched: a user who sets a lower limit means to cut runs. */
const WATCHED_FROM = 5;

/** Bounds, in milliseconds, of the pause after which a run without a next step counts as ended. */
const SHORTEST_PAUSE = 200;
const LONGEST_PAUSE = 2_000;
/** A run counts as ended after this multiple of its shortest pause between a call and the next step. */
const PAUSES = 3;
/** Milliseconds from a call to the first check whether all calls have results. The wait doubles with each further check. */
const FIRST_LOOK = 20;
const MAX_LOOKS = 12;

type WatchedStep = ConversationArgs & { readonly abortSignal?: AbortSignal | undefined };

interface Watch {
  /** When a call of a tool of this processor last began or ended. */
  calledAt?: number;
  /** The shortest time from a call to the next step. Longer times may include the duration of the call. */
  pause?: number;
  timer?: NodeJS.Timeout | undefined;
  isReported?: boolean;
}

/** A run, and the step from which on the run is watched. */
interface WatchedRun {
  readonly args: WatchedStep;
  readonly state: RequestState;
  readonly watch: Watch;
  /** The number of calls in the run before the step. */
  readonly before: number;
  /** Milliseconds without a next step after which the run counts as ended. */
  readonly pause: number;
}

/**
 * A scheduled check of a watched run. A distant check references the run weakly; tools that still run keep the run alive.
 */
interface Look {
  readonly wait: number;
  readonly looks: number;
  /** Whether all calls had results at the previous check. */
  readonly isAnswered: boolean;
  readonly keepsProcess: boolean;
}

/**
 * Reports cut runs: runs that called a meta-tool and ended with a tool result instead of an answer, most often because of
 * Mastra's `maxSteps`. A process reports each run once.
 *
 * Mastra tells an input processor neither the end of a run nor `maxSteps`. So the run is watched from its fifth step on: a
 * run is cut if all calls of a step have results and no further step begins.
 */
export class CutRuns implements Feature {
  readonly #metaTools: ReadonlySet<unknown>;
  readonly #reporter: Reporter;
  readonly #reported = new Lru<true>(MAX_REPORTED);
  readonly #watches = new Memory<Watch, RequestState>(() => ({}));
  /** Whether a run went on after its report. From then on a run is reported only when the next run of its thread begins. */
  #isUnsure = false;

  constructor(metaTools: readonly string[], reporter: Reporter) {
    this.#metaTools = new Set(metaTools);
    this.#reporter = reporter;
  }

  begin({ state, args }: Step): void {
    if (state.steps === 1) this.#reportEarlier(conversationOf(args), state.origin);
    this.#watch(state, args);
  }

  end(messages: Conversation, { origin }: RequestState): void {
    if (roleOf(messages.at(-1)) === 'assistant') this.#report(messages, origin);
  }

  /** Reports the last run of the thread before the current one. */
  #reportEarlier(messages: Conversation, next: EventOrigin): void {
    const end = messages.findLastIndex((message) => roleOf(message) === 'assistant') + 1;
    // No new user message: the run resumes after an approval.
    if (end === 0 || end === messages.length) return;
    const { runId: _run, step: _step, ...thread } = next;
    this.#report(messages.slice(0, end), thread);
  }

  #watch(state: RequestState, args: WatchedStep): void {
    const watch = this.#watches.of(state);
    clearTimeout(watch.timer);
    watch.timer = undefined;
    if (watch.calledAt !== undefined)
      watch.pause = Math.min(watch.pause ?? Number.POSITIVE_INFINITY, performance.now() - watch.calledAt);
    this.#isUnsure ||= watch.isReported === true;
    const pause = Math.max(SHORTEST_PAUSE, PAUSES * (watch.pause ?? 0));
    const note = (): void => {
      watch.calledAt = performance.now();
    };
    state.onCall = note;
    if (state.steps < WATCHED_FROM || this.#isUnsure || pause > LONGEST_PAUSE) return;

    const before = callsIn(lastRunOf(conversationOf(args))).length;
    const watched: WatchedRun = { args, state, watch, before, pause };
    // `onCall` does not hear of calls of the agent's own tools, so the first check starts without a call.
    this.#lookIn(watched, { wait: SHORTEST_PAUSE, looks: 1, isAnswered: false, keepsProcess: false });
    state.onCall = () => {
      note();
      this.#lookIn(watched, { wait: FIRST_LOOK, looks: 1, isAnswered: false, keepsProcess: true });
    };
  }

  #lookIn(watched: WatchedRun, next: Look): void {
    const { watch } = watched;
    clearTimeout(watch.timer);
    watch.timer = this.#timer(next.wait > LONGEST_PAUSE ? new WeakRef(watched) : { deref: () => watched }, next);
    if (!next.keepsProcess) watch.timer.unref?.();
  }

  /** A separate scope, so that the closure of the timer references the run only through `run`. */
  #timer(run: { deref(): WatchedRun | undefined }, next: Look): NodeJS.Timeout {
    const timer = setTimeout(() => {
      // Results that arrived while the process was busy are processed first.
      setImmediate(() => {
        const watched = run.deref();
        if (watched?.watch.timer === timer) this.#look(watched, next);
      });
    }, next.wait);
    return timer;
  }

  #look(watched: WatchedRun, { wait, looks, isAnswered, keepsProcess }: Look): void {
    const { args, state, watch, before, pause } = watched;
    if (args.abortSignal?.aborted) return;
    const messages = conversationOf(args);
    const calls = callsIn(lastRunOf(messages));
    const isNowAnswered = calls.length > before && calls.every(hasEnded);
    if (isNowAnswered && isAnswered) {
      // Without `place`: the span of the step has already ended.
      const { place: _, ...ids }: PlacedOrigin = state.origin;
      watch.isReported = this.#report(messages, ids);
    } else if (isNowAnswered) this.#lookIn(watched, { wait: pause, looks, isAnswered: true, keepsProcess: true });
    else if (looks < MAX_LOOKS) {
      const keeps = keepsProcess && wait < LONGEST_PAUSE;
      this.#lookIn(watched, { wait: 2 * wait, looks: looks + 1, isAnswered: false, keepsProcess: keeps });
    }
  }

  /** Reports the last run of the messages if that run was cut. Returns whether it was. */
  #report(messages: Conversation, origin: EventOrigin): boolean {
    const run = lastRunOf(messages);
    const calls = callsIn(run);
    if (!calls.some(({ toolName }) => this.#metaTools.has(toolName))) return false;
    const types = run.flatMap(({ content }) => partsOf(content).map((part) => asRecord(part)?.['type']));
    const last = types.findLast((type) => type === 'text' || type === 'tool-invocation');
    if (last !== 'tool-invocation' || !calls.slice(-1).every(hasEnded)) return false;
    const id = run.at(-1)?.id;
    if (typeof id === 'string') {
      if (this.#reported.get(id)) return true;
      this.#reported.set(id, true);
    }
    this.#reporter.report({ type: 'run-cut', steps: stepsIn(run) }, origin);
    return true;
  }
}

function lastRunOf(messages: Conversation): Conversation {
  return messages.slice(messages.findLastIndex((message) => roleOf(message) !== 'assistant') + 1);
}

/** An Agent stores all steps of a run in one message, a DurableAgent one message a step. */
function stepsIn(run: Conversation): number {
  let steps = 0;
  for (const { content } of run) {
    const starts = partsOf(content).map((part) => asRecord(part)?.['type'] === 'step-start');
    steps += starts.filter(Boolean).length + (starts[0] ? 0 : 1);
  }
  return steps;
}
