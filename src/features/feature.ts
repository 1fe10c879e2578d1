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
 * Something that a step can do without. Each feature is one file, which holds its rules and what it remembers, and one line
 * of `list.ts`. Hooks are called in the order of that list, and stand here in the order in which a step calls them.
 *
 * A feature keeps what it remembers of a request in a `Memory` keyed by the request's state, never in the state itself.
 */
export interface Feature {
  /** The catalog and the permissions of the step are known. Nothing is loaded or decided yet. */
  begin?(step: Step): MaybePromise<void>;
  /**
   * Sends the step in another way than its mode would; undefined to leave it to the next feature, and then to the mode.
   *
   * @param pinned - asks all features for their pinned tools.
   */
  replace?(step: Step, pinned: () => Promise<readonly CatalogEntry[]>): MaybePromise<ModeTools | undefined>;
  /** Tools that every step is sent. */
  pin?(step: Step): MaybePromise<readonly CatalogEntry[]>;
  /** The names of the loaded tools are known. The filter has not been asked whether the step may use them. */
  loaded?(step: Step, mode: StepMode): MaybePromise<void>;
  /** The loaded tools that the step may use are known, and their definitions. */
  active?(step: Step, mode: StepMode): MaybePromise<void>;
  /** Parts of the system text, behind how to search. */
  texts?(step: Step, mode: StepMode): MaybePromise<readonly string[]>;
  /** Changes what the step sends. */
  finish?(sent: SentTools, step: Step): MaybePromise<SentTools>;
  /** What the step sends is final. `ms`: how long the step was prepared. */
  settled?(sent: SentTools, step: Step, ms: number): void;

  /** Changes the prompt that Mastra is about to send. Never throws. */
  rewritePrompt?(prompt: Prompt, model: unknown, state: RequestState): Prompt;
  /** Whether a failed model call is worth another try; undefined to leave that to the next feature, and then to the mode. */
  retry?(error: unknown, state: RequestState): boolean | undefined;
  /** The run has ended, where the processor is told so. */
  end?(messages: Conversation, state: RequestState): void;

  /** A run begins. Its first step is about to search this catalog. */
  beginRun?(catalog: Catalog, requestContext: RequestContext | undefined): MaybePromise<void>;
  /** The processor was registered with a Mastra instance. */
  useMastra?(mastra: Mastra): void;
  /** @throws ToolSearchError `unknown-tool` for options that name a tool which the catalog does not have. */
  checkNames?(catalog: Catalog): void;
}
