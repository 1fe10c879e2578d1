import { hash } from 'node:crypto';
import type { Mastra } from '@mastra/core/mastra';
import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { conversationOf } from '../conversation/messages.ts';
import type { PreselectDecision } from '../events.ts';
import { loadByName } from '../meta-tools/load.ts';
import type { Services, Step } from '../meta-tools/step.ts';
import { type ClassifierPreselect, checkChoices, type PreselectClassifier } from '../options/preselect.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { inTime } from '../util/timeout.ts';
import type { Decision, Source } from './decision.ts';
import { lastUserText } from './message-text.ts';

/** Messages whose answer is remembered. */
const MAX_ANSWERS = 1_000;

/** What a classifier answered about a message. */
interface Answer {
  readonly choice: string | undefined;
  readonly probability: number | undefined;
}

/** Loads the tools of a classifier's choice. */
export class ByClassifier implements Source {
  readonly #options: ClassifierPreselect;
  readonly #services: Services;
  #mastra: Mastra | undefined;
  /** Cache: answers, by scope and message. A message is asked about once in a thread, also by runs at the same time. */
  readonly #answers = new Lru<Promise<Answer>>(MAX_ANSWERS);

  constructor(options: ClassifierPreselect, services: Services) {
    this.#options = options;
    this.#services = services;
  }

  useMastra(mastra: Mastra): void {
    this.#mastra = mastra;
  }

  /** Never rejects. */
  async decide(step: Step, args: ProcessInputStepArgs): Promise<Decision> {
    const text = lastUserText(conversationOf(args)).trim();
    if (text === '') return { entries: [], reason: 'no-text' };
    const { scope } = step.state;
    // No message is kept.
    const key = scope === undefined ? undefined : hash('sha256', JSON.stringify([scope, text]), 'base64');
    const before = key === undefined ? undefined : this.#answers.get(key);
    const asked = before ?? this.#ask(text, args.abortSignal);
    if (key !== undefined && !before) {
      this.#answers.set(key, asked);
      // The next run asks again.
      asked.catch(() => this.#answers.drop(key, asked));
    }
    let decision: PreselectDecision;
    let fault: { readonly error?: unknown } = {};
    try {
      decision = await this.#load(await asked, step);
    } catch (error) {
      decision = { tools: [], abstained: true, reason: 'classifier-error' };
      fault = { error };
    }
    if (!before) fault = { ...fault, ...this.#tell(decision) };
    const { tools, abstained: _, ...rest } = decision;
    return { ...rest, ...fault, entries: [], loaded: tools };
  }

  async #ask(text: string, abortSignal: AbortSignal | undefined): Promise<Answer> {
    const { question, providerOptions, timeout } = this.#options;
    const ended = new AbortController();
    const signals = abortSignal ? [abortSignal, ended.signal] : [ended.signal];
    try {
      const { answers } = await inTime(
        this.#classifier().evaluate({
          state: text,
          abortSignal: AbortSignal.any(signals),
          ...(providerOptions === undefined ? {} : { providerOptions }),
        }),
        timeout,
      );
      const { choice, probabilities } = asRecord(asRecord(answers)?.[question]) ?? {};
      if (typeof choice !== 'string') return { choice: undefined, probability: undefined };
      const probability = asRecord(probabilities)?.[choice];
      return { choice, probability: typeof probability === 'number' ? probability : undefined };
    } finally {
      ended.abort();
    }
  }

  /** @throws Error where a registered classifier is not there, or has other questions. */
  #classifier(): PreselectClassifier {
    const { classifier } = this.#options;
    if (typeof classifier !== 'string') return classifier;
    const mastra = this.#mastra as { getClassifierById?(id: string): PreselectClassifier } | undefined;
    if (typeof mastra?.getClassifierById !== 'function') {
      throw new Error(`classifier '${classifier}': no Mastra instance with classifiers has this agent`);
    }
    const found = mastra.getClassifierById(classifier);
    checkChoices(found, this.#options);
    return found;
  }

  /** Loads the tools of a choice, through the load phase. */
  async #load({ choice, probability }: Answer, step: Step): Promise<PreselectDecision> {
    const { tools, minProbability } = this.#options;
    if (choice === undefined) return { tools: [], abstained: true, reason: 'no-answer' };
    const answer = { choice, ...(probability === undefined ? {} : { probability }) };
    const none = { ...answer, tools: [], abstained: true };
    if (probability !== undefined && probability < minProbability) return { ...none, reason: 'below-threshold' };
    const names = Object.hasOwn(tools, choice) ? (tools[choice] ?? []) : [];
    if (names.length === 0) return { ...none, reason: 'no-tools-for-choice' };
    const { ready } = await loadByName(names, step, this.#services, ['load']);
    if (ready.length === 0) return { ...none, reason: 'tools-filtered-out' };
    return { ...answer, tools: ready.map(({ name }) => name), abstained: false };
  }

  /** Tells the user's own listener; what that throws is reported. */
  #tell(decision: PreselectDecision): { readonly error?: unknown } {
    try {
      const returned: unknown = this.#options.onPreselect?.(decision);
      // A rejection must not become an unhandled one.
      if (returned instanceof Promise) returned.catch(() => {});
      return {};
    } catch (error) {
      return { error };
    }
  }
}
