import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Learner } from '../search/find.ts';
import type { ScopeRequest } from './request.ts';
import type { Step } from './step.ts';

/** The arguments by which a scope is known: a step's, or a request context alone. */
export type ScopeArgs = { readonly requestContext?: RequestContext | undefined } & Partial<
  Pick<ProcessInputStepArgs, 'messageList' | 'messages'>
>;

/** What the processor asks of the wing that learns from use. */
export interface LearningFace {
  /** Learns from the calls that succeeded since the step before, and gives the step its learner. Never throws. */
  addTo(step: Step): void;
  /** The boosts for a search outside of a step. Its results are not recorded as impressions. */
  learnerOf(args: ScopeArgs): Learner | undefined;
  /**
   * Forgets a scope. Rejects where there is none, as nothing would be forgotten.
   *
   * @param of - who it is of, or, as a text, the scope as the function returns it; for the scope `'resource'` its id.
   */
  clear(of: string | ScopeRequest): Promise<void>;
}
