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
import type { RequestState } from '../processor/request.ts';
import type { Step } from '../processor/step.ts';
import { Lru } from '../util/lru.ts';
import { Memory } from '../util/memory.ts';
import { asRecord } from '../util/record.ts';
import type { Feature } from './feature.ts';

/** Runs that were reported and are remembered: one of a thread is seen by whoever goes on in it. */
const MAX_REPORTED = 1_000;

/** Mastra's default of `maxSteps`. A run that ends sooner is not watched: whoever sets less means it. */
const WATCHED_FROM = 5;

/** Milliseconds without a next step after which a run has ended, at least and at most. */
const SHORTEST_PAUSE = 200;
const LONGEST_PAUSE = 2_000;
/** How many times longer than the shortest pause of the run before. */
const PAUSES = 3;
/** Milliseconds after a call until it is looked whether all calls have their results, and how often; the time doubles. */
const FIRST_LOOK = 20;
const MAX_LOOKS = 12;

type WatchedStep = ConversationArgs & { readonly abortSignal?: AbortSignal | undefined };

interface Watch {
  /** When a tool of this processor was called last, or such a call ended. */
  calledAt?: number;
  /** The shortest time from a call to the next step. Longer times may include the call's own. */
  pause?: number;
  timer?: NodeJS.Timeout | undefined;
  isReported?: boolean;
}

/** A step with the run that is watched from it on. */
interface WatchedRun {
  readonly args: WatchedStep;
  readonly state: RequestState;
  readonly watch: Watch;
  /** Count of the calls before the step. */
  readonly before: number;
  /** Milliseconds without a next step after which the run has ended. */
  readonly pause: number;
}

/**
 * A look at a watched run. A look that is far off holds the run weakly: a run whose tools are still at work is held by these.
 */
interface Look {
  readonly wait: number;
  readonly looks: number;
  /** Whether all calls had their results at the look before. */
  readonly isAnswered: boolean;
  readonly keepsProcess: boolean;
}

/**
 * Reports runs with a call of a meta-tool that ended with a tool's result, without an answer: most often Mastra's
 * `maxSteps` has ended them. Each is reported once by a process.
 *
 * An input processor learns neither a run's end nor its `maxSteps`. So the run is watched: after a call in its fifth step
 * or a later one, the calls of the step get their results and no further step begins.
 */
export class CutRuns implements Feature {
  readonly #metaTools: ReadonlySet<unknown>;
  readonly #reporter: Reporter;
  readonly #reported = new Lru<true>(MAX_REPORTED);
  readonly #watches = new Memory<Watch, RequestState>(() => ({}));
  /** Whether a reported run went on: steps may be so far apart here that a run is reported only when its thread goes on. */
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

  /** Reports the run that a thread ended with before the run under way began. */
  #reportEarlier(messages: Conversation, next: EventOrigin): void {
    const end = messages.findLastIndex((message) => roleOf(message) === 'assistant') + 1;
    // A run that goes on after an approval has no new message of the user.
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
    state.whenCalled = note;
    if (state.steps < WATCHED_FROM || this.#isUnsure || pause > LONGEST_PAUSE) return;

    const before = callsIn(lastRunOf(conversationOf(args))).length;
    const watched: WatchedRun = { args, state, watch, before, pause };
    // Nobody reports calls of the agent's own tools.
    this.#lookIn(watched, { wait: SHORTEST_PAUSE, looks: 1, isAnswered: false, keepsProcess: false });
    state.whenCalled = () => {
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

  /** A timer of its own scope, which keeps nothing of the run but this reference. */
  #timer(run: { deref(): WatchedRun | undefined }, next: Look): NodeJS.Timeout {
    const timer = setTimeout(() => {
      // Answers that came while the process was busy are read first.
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
      // The span of the step has ended by now.
      const { place: _, ...ids }: PlacedOrigin = state.origin;
      watch.isReported = this.#report(messages, ids);
    } else if (isNowAnswered) this.#lookIn(watched, { wait: pause, looks, isAnswered: true, keepsProcess: true });
    else if (looks < MAX_LOOKS) {
      const keeps = keepsProcess && wait < LONGEST_PAUSE;
      this.#lookIn(watched, { wait: 2 * wait, looks: looks + 1, isAnswered: false, keepsProcess: keeps });
    }
  }

  /** Reports the last run of these messages, where it was cut, and returns whether it was. */
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

/** Mastra keeps the steps of a run in one message, a DurableAgent in one each. */
function stepsIn(run: Conversation): number {
  let steps = 0;
  for (const { content } of run) {
    const starts = partsOf(content).map((part) => asRecord(part)?.['type'] === 'step-start');
    steps += starts.filter(Boolean).length + (starts[0] ? 0 : 1);
  }
  return steps;
}
