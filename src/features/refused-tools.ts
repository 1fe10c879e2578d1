import type { Withheld } from '../catalog/withheld.ts';
import { modelName } from '../catalog/withheld.ts';
import type { Loader } from '../meta-tools/loading.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { RequestState } from '../processor/request.ts';
import type { SentTools, Step } from '../processor/step.ts';
import { refusedToolIn } from '../util/refusal.ts';
import { clean } from '../util/text.ts';
import type { Feature } from './feature.ts';

/** Requests that are repeated in one run because of refused tools. Mastra has a limit of its own, `maxProcessorRetries`. */
const MAX_RETRIES = 5;
/** Characters of a service's words that the log quotes. */
const MAX_REASON = 300;

/** The last step of a request, and what providers refused. */
interface OfRequest {
  step: Step;
  /** The names of the tools that were sent, in their order. */
  sent: () => readonly string[];
  /** By model and name. */
  readonly refused: Set<string>;
}

/**
 * Withholds a tool whose definition a provider refuses: else it would end every request of a thread that has loaded the tool.
 * The refusal has to name the tool; nothing is guessed.
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
    // Not asked yet: call mode takes the first who asks its list of active tools for Mastra.
    const sent = (): readonly string[] => {
      const listed = activeTools && new Set([...activeTools]);
      return Object.keys(tools).filter((name) => !listed || listed.has(name));
    };
    const memory = this.#requests.get(step.state);
    if (memory) Object.assign(memory, { step, sent });
    else this.#requests.set(step.state, { step, sent, refused: new Set() });
  }

  /**
   * Withholds the tool that a provider has refused, as far as it is one of the catalog; the next step unloads it.
   *
   * @returns whether the request is worth another try; undefined for an error that names no tool.
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
    // Another processor sends it.
    if (refused.has(key)) return false;
    refused.add(key);
    return refused.size <= MAX_RETRIES;
  }
}
