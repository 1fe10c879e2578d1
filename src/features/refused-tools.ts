import type { Withheld } from '../catalog/withheld.ts';
import { modelName } from '../catalog/withheld.ts';
import type { Loader } from '../meta-tools/loading.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { RequestState } from '../step/request.ts';
import type { SentTools, Step } from '../step/step.ts';
import { refusedToolIn } from '../util/refusal.ts';
import { clean } from '../util/text.ts';
import type { Feature } from './feature.ts';

/** Limit of the retries in one run because of refused tools. Mastra has its own limit, `maxProcessorRetries`. */
const MAX_RETRIES = 5;
/** Limit of the provider's message in a report, in characters. */
const MAX_REASON = 300;

/** The last step of a request, and the tools that providers refused. */
interface OfRequest {
  step: Step;
  /** The names of the sent tools, in the order sent. */
  sent: () => readonly string[];
  /** Keys of model name and tool name. */
  readonly refused: Set<string>;
}

/**
 * Withholds a tool whose definition a provider refuses. Otherwise every request of a thread that has loaded the tool would
 * fail. Only a refusal that names the tool counts.
 */
export class RefusedTools implements Feature {
  readonly #withheld: Withheld;
  readonly #loader: Loader;
  readonly #requests = new WeakMap<RequestState, OfRequest>();

  constructor(withheld: Withheld, loader: Loader) {
    this.#withheld = withheld;
    this.#loader = loader;
  }

  settled({ tools, activeTools }: SentTools, step: Step): void {
    // Lazy on purpose: the first reader of `activeTools` must be Mastra.
    const sent = (): readonly string[] => {
      const listed = activeTools && new Set([...activeTools]);
      return Object.keys(tools).filter((name) => !listed || listed.has(name));
    };
    const memory = this.#requests.get(step.state);
    if (memory) Object.assign(memory, { step, sent });
    else this.#requests.set(step.state, { step, sent, refused: new Set() });
  }

  /**
   * Withholds the tool that a provider has refused, if the tool is in the catalog. The next step unloads the tool.
   *
   * @returns whether to retry the request; undefined for an error that names no sent tool.
   */
  retry(error: unknown, state: RequestState): boolean | undefined {
    const memory = this.#requests.get(state);
    const found = memory && refusedToolIn(error, memory.sent());
    if (!found) return undefined;
    const { step, refused } = memory;
    const { catalog, own, args, origin } = step;
    const { name, reason } = found;
    const known = Object.hasOwn(own, name) ? undefined : catalog.get(name);
    const entry = known && (this.#loader.ready(known, step) ?? known);
    if (!entry) {
      this.#withheld.reportForeign(name, args.model, clean(reason, MAX_REASON), origin);
      return false;
    }
    this.#withheld.add(entry, args.model, clean(reason, MAX_REASON), origin);
    const hint = prompts.cannotBeUsed(entry.name);
    if (!state.hints.includes(hint)) state.hints.push(hint);
    const key = `${modelName(args.model)}\n${entry.name}`;
    // A tool refused again after it was withheld is sent by another processor; a retry cannot help.
    if (refused.has(key)) return false;
    refused.add(key);
    return refused.size <= MAX_RETRIES;
  }
}
