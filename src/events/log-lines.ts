import type { ToolSearchOccurrence } from './events.ts';
import type { NativeOffReason } from './reasons.ts';

/**
 * The line of the log for a fault.
 *
 * @param fault - the message of its error.
 */
export function lineOf(event: ToolSearchOccurrence, fault: string): string {
  switch (event.type) {
    case 'filter-failed':
      return `The filter failed for "${event.toolName}" in phase ${event.phase}, which counts as a denial: ${fault}`;
    case 'filter-budget':
      return `The filter is slow: of ${event.asked + event.left} tools in phase ${event.phase}, there was time for ${event.asked}; the others count as denied`;
    case 'store-failed':
      return `The store failed to ${event.operation} loaded tools; the run goes on without it: ${fault}`;
    case 'tools-failed':
      return `The function "tools" failed; the run goes on without its tools: ${fault}`;
    case 'source-failed':
      return `The source "${event.source}" failed at ${event.operation}(); the run goes on without its answer: ${fault}`;
    case 'stub-failed':
      return `The definition of "${event.toolName}" could not be resolved; the run goes on without the tool: ${fault}`;
    case 'scope-failed':
      return `The scope function failed; this request keeps its loaded tools to itself: ${fault}`;
    case 'scorer-failed':
      return `The scorer "${event.scorer}" failed${event.survived ? '; the search goes on without what failed' : ''}: ${fault}`;
    case 'preselect':
      return `"preselect" failed; the run goes on without: ${fault}`;
    case 'native-off':
      return describeNativeOff(event.reason, event.model, fault);
    case 'call-off':
      return `The code of call mode cannot be loaded; the request gets the tools of load mode: ${fault}`;
    case 'run-cut':
      return `A run ended after ${event.steps} steps with a tool's result, without an answer. If nobody stopped it, give it more: defaultOptions: { maxSteps: 20 } of the agent; Mastra's default is 5`;
    default:
      return event.type;
  }
}

function describeNativeOff(reason: NativeOffReason, model: string, fault: string): string {
  switch (reason) {
    case 'unsupported-model':
      return `The model "${model}" has no tool search that can be used`;
    case 'model-changed':
      return `The model was changed to "${model}" after its tools were chosen; it gets the search tool of load mode`;
    case 'refused':
      return `The provider refused its tool search; the request goes on without: ${fault}`;
    case 'append-refused':
      return `The provider refused definitions in mid-conversation; they go into the list of tools: ${fault}`;
    case 'not-rewritten':
      return 'Mastra called neither processLLMRequest nor the model that the step returned, so native mode is off for this request';
    case 'failed':
      return `Native mode failed and is off for this request: ${fault}`;
  }
}
