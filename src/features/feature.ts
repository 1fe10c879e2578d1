import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Conversation } from '../loaded/conversation/conversation.ts';
import type { Prompt } from '../loaded/conversation/prompt.ts';
import type { StepMode } from '../modes/mode.ts';
import type { RequestState } from '../step/request.ts';
import type { ModeTools, SentTools, Step } from '../step/step.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/**
 * An optional part of a step. A feature is one file with its rules and its state, and one line of `list.ts`. Features are
 * called in the order of that list; the hooks below are declared in the order in which a step calls them.
 *
 * A feature keeps its per-request state in a `Memory` keyed by `RequestState`, never in `RequestState` itself.
 */
export interface Feature {
  /** The catalog and the permissions of the step are known. Nothing is loaded or decided yet. */
  begin?(step: Step): MaybePromise<void>;
  /**
   * Sends the step instead of its mode. Undefined leaves the step to the next feature, and finally to the mode.
   *
   * @param pinned - collects the pinned tools of all features.
   */
  replace?(step: Step, pinned: () => Promise<readonly CatalogEntry[]>): MaybePromise<ModeTools | undefined>;
  /** Tools that every step is sent. */
  pin?(step: Step): MaybePromise<readonly CatalogEntry[]>;
  /** The names of the loaded tools are known. The filter has not yet decided whether the step may use these tools. */
  loaded?(step: Step, mode: StepMode): MaybePromise<void>;
  /** The loaded tools that the step may use, and their definitions, are known. */
  active?(step: Step, mode: StepMode): MaybePromise<void>;
  /** Parts of the system text. They follow the instructions for searching. */
  texts?(step: Step, mode: StepMode): MaybePromise<readonly string[]>;
  /** Returns a changed version of what the step sends. */
  finish?(sent: SentTools, step: Step): MaybePromise<SentTools>;
  /** What the step sends is final. `ms` is the time that preparing the step took. */
  settled?(sent: SentTools, step: Step, ms: number): void;

  /** Changes the prompt that Mastra is about to send. Never throws. */
  rewritePrompt?(prompt: Prompt, model: unknown, state: RequestState): Prompt;
  /** Whether to retry a failed model call. Undefined leaves that to the next feature, and finally to the mode. */
  retry?(error: unknown, state: RequestState): boolean | undefined;
  /** The run has ended. Called only if the processor is also in the agent's `outputProcessors`. */
  end?(messages: Conversation, state: RequestState): void;

  /** A run begins. Its first step will search this catalog. */
  beginRun?(catalog: Catalog, requestContext: RequestContext | undefined): MaybePromise<void>;
  /** The processor was registered with a Mastra instance. */
  useMastra?(mastra: Mastra): void;
  /** @throws ToolSearchError `invalid-option` for options that name a tool which the catalog does not have. */
  checkNames?(catalog: Catalog): void;
}
