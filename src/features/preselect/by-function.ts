import { conversationOf, lastUserText } from '../../loaded/conversation/conversation.ts';
import { resolveNames } from '../../meta-tools/loading.ts';
import type { Step } from '../../step/step.ts';
import { inTime, unlessAborted } from '../../util/timeout.ts';
import type { ChoosingPreselectOptions } from './options.ts';
import type { Decision, PreselectParts, PreselectSource } from './preselect.ts';

/** Milliseconds by which the function may delay a run: it may ask a model. */
const TIMEOUT = 2_000;

/** Sends the tools that the user's function `preselect.choose` names, if the request may load them. */
export class ByFunction implements PreselectSource {
  readonly #choose: ChoosingPreselectOptions['choose'];
  readonly #parts: Pick<PreselectParts, 'loader' | 'groups' | 'options'>;

  constructor({ choose }: ChoosingPreselectOptions, parts: Pick<PreselectParts, 'loader' | 'groups' | 'options'>) {
    this.#choose = choose;
    this.#parts = parts;
  }

  /** Never rejects. */
  async decide(step: Step): Promise<Decision> {
    const late = new Late();
    try {
      const { preselect: timeout = TIMEOUT } = this.#parts.options.timeouts;
      const names = await this.#namesFor(step, timeout, late);
      return names.length === 0 ? { entries: [], reason: 'no-match' } : await this.#usable(names, step);
    } catch (error) {
      return error === late || step.args.abortSignal?.aborted
        ? { entries: [], reason: 'timeout' }
        : { entries: [], reason: 'failed', error };
    }
  }

  /** Throws `late` at the abort of the run or at the timeout. The signal of the function is aborted in any case. */
  async #namesFor({ args }: Step, timeout: number, late: Late): Promise<readonly string[]> {
    const end = new AbortController();
    const abortSignal = args.abortSignal ? AbortSignal.any([args.abortSignal, end.signal]) : end.signal;
    const messages = conversationOf(args);
    const { requestContext } = args;
    const about = { text: lastUserText(messages), abortSignal, ...(requestContext ? { requestContext } : {}) };
    try {
      const asked = (async () => this.#choose([...(messages as typeof args.messages)], about))();
      const answer: unknown = await inTime(unlessAborted(asked, args.abortSignal), timeout, () => late);
      if (args.abortSignal?.aborted) throw late;
      if (answer === undefined || answer === null) return [];
      if (Array.isArray(answer) && answer.every((name) => typeof name === 'string')) return answer;
      throw new TypeError('"preselect.choose" did not return names of tools');
    } finally {
      end.abort();
    }
  }

  /** The reason does not distinguish a name that the request may not load from an unknown name. */
  async #usable(names: readonly string[], step: Step): Promise<Decision> {
    const found = [...new Set((await resolveNames(names, step, ['load'], this.#parts.groups)).flat())];
    const missing = found.filter(({ name }) => !step.tools.has(name) && !step.tools.isResident(name));
    if (missing.length === 0) return { entries: [], reason: found.length > 0 ? 'already-there' : 'no-match' };
    const failing = await this.#parts.loader.unusable(missing, step);
    const entries = missing.filter(({ name }) => !failing.has(name)).slice(0, step.allowance.loads);
    return { entries, ...(entries.length > 0 ? {} : { reason: 'failed' }) };
  }
}

class Late extends Error {}
