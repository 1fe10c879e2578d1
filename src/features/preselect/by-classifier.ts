import { hash } from 'node:crypto';
import type { Mastra } from '@mastra/core/mastra';
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import { refuseUnknownNames } from '../../catalog/names.ts';
import type { PreselectDecision } from '../../events/reasons.ts';
import { conversationOf, lastUserText } from '../../loaded/conversation/conversation.ts';
import { resolveNames } from '../../meta-tools/loading.ts';
import type { MetaToolParts } from '../../meta-tools/meta-tool.ts';
import { type ClassifierPreselect, checkChoices, type PreselectClassifier } from '../../options/preselect.ts';
import type { Step } from '../../processor/step.ts';
import { Lru } from '../../util/lru.ts';
import { asRecord } from '../../util/record.ts';
import { cut, echo } from '../../util/text.ts';
import { inTime, unlessAborted } from '../../util/timeout.ts';
import type { Decision, PreselectSource } from './preselect.ts';

const MAX_MESSAGE = 8_000;
/** Milliseconds by which a classifier may delay a run. */
const TIMEOUT = 2_000;
const MAX_ANSWERS = 1_000;

interface Answer {
  readonly choice?: string;
  readonly probability?: number | undefined;
}

interface Outcome extends Omit<PreselectDecision, 'tools' | 'abstained'> {
  readonly entries: readonly CatalogEntry[];
}

/** Loads the tools of a classifier's choice. */
export class ByClassifier implements PreselectSource {
  readonly #options: ClassifierPreselect;
  readonly #parts: Pick<MetaToolParts, 'loader' | 'groups' | 'options'>;
  #mastra: Mastra | undefined;
  /** Cache: answers, by scope and message. A message is asked about once in a thread, also by runs at the same time. */
  readonly #answers = new Lru<SharedAnswer>(MAX_ANSWERS);

  constructor(options: ClassifierPreselect, parts: Pick<MetaToolParts, 'loader' | 'groups' | 'options'>) {
    this.#options = options;
    this.#parts = parts;
  }

  checkNames(catalog: Catalog): void {
    refuseUnknownNames('preselect.tools', Object.values(this.#options.tools).flat(), catalog);
  }

  useMastra(mastra: Mastra): void {
    this.#mastra = mastra;
  }

  /** Never rejects. */
  async decide(step: Step): Promise<Decision> {
    const text = cut(lastUserText(conversationOf(step.args)).trimStart(), MAX_MESSAGE).trimEnd();
    if (text === '') return { entries: [], reason: 'no-text' };
    const { scope } = step.state;
    // No message is kept.
    const key = scope === undefined ? undefined : hash('sha256', JSON.stringify([scope, text]), 'base64');
    const shared = this.#answerTo(text, key);
    let outcome: Outcome;
    let fault: { readonly error?: unknown } = {};
    try {
      outcome = await this.#load(await shared.forRun(step.args.abortSignal), step);
    } catch (error) {
      outcome = { entries: [], reason: 'classifier-error' };
      fault = { error };
    }
    const { entries, ...answer } = outcome;
    const tools = entries.map(({ name }) => name);
    if (!shared.isReported && !step.args.abortSignal?.aborted) {
      shared.isReported = true;
      try {
        const decision = { ...answer, tools, abstained: tools.length === 0 };
        const returned: unknown = this.#options.onPreselect?.(decision);
        // A rejection must not become an unhandled one.
        if (returned instanceof Promise) returned.catch(() => {});
      } catch (error) {
        fault = { error };
      }
    }
    return { ...answer, ...fault, ...(step.reach.bridge ? { entries } : { entries: [], loaded: tools }) };
  }

  /** The answer that is remembered or under way, else a new one. */
  #answerTo(text: string, key: string | undefined): SharedAnswer {
    const known = key === undefined ? undefined : this.#answers.get(key);
    if (known && !known.isGivenUp) return known;
    const asked = new SharedAnswer(
      (signal) => this.#ask(text, signal),
      this.#parts.options.timeouts.preselect ?? TIMEOUT,
    );
    if (key !== undefined) this.#answers.set(key, asked);
    // After a failure, the next run asks again.
    asked.value.catch(() => key !== undefined && this.#answers.drop(key, asked));
    return asked;
  }

  async #ask(text: string, abortSignal: AbortSignal): Promise<Answer> {
    const { question, providerOptions } = this.#options;
    const { answers } = await this.#classifier().evaluate({
      state: text,
      abortSignal,
      ...(providerOptions === undefined ? {} : { providerOptions }),
    });
    const { choice, probabilities } = asRecord(asRecord(answers)?.[question]) ?? {};
    return typeof choice === 'string' ? { choice, probability: probabilityOf(choice, probabilities) } : {};
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

  /** Loads the tools of a choice, through the load phase; through a bridge they are only named. */
  async #load({ choice, probability }: Answer, step: Step): Promise<Outcome> {
    const { tools, minProbability } = this.#options;
    if (choice === undefined) return { entries: [], reason: 'no-answer' };
    const names = Object.hasOwn(tools, choice) ? tools[choice] : undefined;
    // Nobody vouches for a choice that is none of the question's.
    const answer = { choice: names ? choice : echo(choice), ...(probability === undefined ? {} : { probability }) };
    if (probability !== undefined && probability < minProbability)
      return { ...answer, entries: [], reason: 'below-threshold' };
    if (!names?.length) return { ...answer, entries: [], reason: 'no-tools-for-choice' };
    const entries = step.reach.bridge
      ? await this.#callable(names, step)
      : (await this.#parts.loader.byName(names, step)).ready;
    return { ...answer, entries, ...(entries.length > 0 ? {} : { reason: 'tools-filtered-out' }) };
  }

  async #callable(names: readonly string[], step: Step): Promise<readonly CatalogEntry[]> {
    const entries = [...new Set((await resolveNames(names, step, ['load'], this.#parts.groups)).flat())];
    const failing = await this.#parts.loader.unusable(entries, step);
    const callable = entries.filter(({ name }) => !failing.has(name) && !step.tools.isResident(name));
    return callable.slice(0, step.allowance.loads);
  }
}

/** @throws RangeError for a probability that is none. A classifier need not give any. */
function probabilityOf(choice: string, probabilities: unknown): number | undefined {
  const listed = asRecord(probabilities);
  const probability = listed && Object.hasOwn(listed, choice) ? listed[choice] : undefined;
  const isMissing = probabilities === undefined || probabilities === null;
  if (isMissing || (listed && probability === undefined)) return undefined;
  if (typeof probability === 'number' && probability >= 0 && probability <= 1) return probability;
  throw new RangeError(`the classifier tells a probability of "${echo(choice)}" that is no number from 0 to 1`);
}

/** An answer that several runs wait for. It is given up only when all of them are aborted, or when it takes too long. */
class SharedAnswer {
  readonly #end = new AbortController();
  readonly value: Promise<Answer>;
  #waiting = 0;
  #isSettled = false;
  isReported = false;

  /** @param timeout - milliseconds that the answer may take. */
  constructor(ask: (signal: AbortSignal) => Promise<Answer>, timeout: number) {
    this.value = inTime(ask(this.#end.signal), timeout).finally(() => {
      this.#isSettled = true;
      this.#end.abort();
    });
  }

  get isGivenUp(): boolean {
    return this.#end.signal.aborted && !this.#isSettled;
  }

  /** The answer for one run. Rejects, for this run alone, when that is aborted. */
  async forRun(signal: AbortSignal | undefined): Promise<Answer> {
    this.#waiting += 1;
    try {
      const value = await unlessAborted(this.value, signal);
      signal?.throwIfAborted();
      return value as Answer;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#end.abort();
    }
  }
}
