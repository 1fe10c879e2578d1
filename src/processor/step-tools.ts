import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { RequestTools } from '../catalog/request-catalog.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { ToolCall } from '../loaded/conversation/calls.ts';
import { markSent } from '../mastra/marks.ts';
import type { SeparatedTools } from '../mastra/separation.ts';
import { extendActiveTools, withoutHidden } from '../mastra/withholding.ts';
import { isLegacy } from '../mastra/wrapped-model.ts';
import type { Calling } from '../modes/call/call.ts';
import type { Native } from '../native/native.ts';
import type { RequestState } from './request/request-state.ts';
import type { ProcessorServices } from './services.ts';

/** The tools of a step, as they are sent. */
export interface SentTools {
  readonly tools: Record<string, unknown>;
  /**
   * The caller's list of active tools, extended by what is added here; undefined where nobody restricts the tools.
   * Always there in native mode, in call mode and where missed calls run.
   */
  readonly activeTools?: string[];
  /** The model of the step, wrapped: in native mode, in call mode, where missed calls run, and after a missed call. */
  readonly model?: unknown;
  /** Another `toolChoice` than the caller's, which names a tool that is called otherwise, or is not sent. */
  readonly toolChoice?: 'auto' | { readonly type: 'tool'; readonly toolName: string };
}

/** A step before anything of it is decided. */
export interface OpenStep extends RequestTools {
  readonly state: RequestState;
  readonly separated: SeparatedTools;
  readonly permissions: Permissions;
  /** The calls of the conversation, as the step finds them; undefined where there is no conversation. */
  readonly calls: readonly ToolCall[] | undefined;
}

/** An open step with the arguments that decide how it is sent. */
export interface StepToSend extends OpenStep {
  readonly args: ProcessInputStepArgs;
  readonly calls: readonly ToolCall[];
  /** Whether the step may be a DurableAgent's, which runs and names only what the list of active tools holds. */
  readonly mayBeDurable: boolean;
  /** Whether that is known. */
  readonly isDurable: boolean | 'unknown';
  /** Absent in every other mode. */
  readonly native: Native | undefined;
  /** Absent in every other mode. */
  readonly calling: Calling | undefined;
  /** Absent where no call of a tool runs that was not sent. */
  readonly misses: typeof import('../modes/call/run-misses.ts') | undefined;
}

/** A tool as it is sent; undefined where it cannot be. */
export type Sendable = (entry: CatalogEntry) => object | undefined;

/** @param isLoaded - whether a call may run without asking the load phase again. */
export function sendableIn(
  { args, state, separated, mayBeDurable }: StepToSend,
  isLoaded: (name: string) => boolean,
  { handover, stubs }: ProcessorServices,
): Sendable {
  // Any call of a DurableAgent may have waited for an approval.
  const { requestContext } = args;
  const info = {
    requestContext,
    isLoaded: mayBeDurable ? () => false : isLoaded,
    origin: state.origin,
    noteCall: state.noteCall,
  };
  const forms = new Map<CatalogEntry, object | undefined>();
  return (given) => {
    const entry = stubs.ready(given, state.run);
    if (!entry) return undefined;
    if (!forms.has(entry)) forms.set(entry, handover.sendable(entry, separated, args.model, info));
    return forms.get(entry);
  };
}

/** Tools by name, each as it is sent. */
export function sendables(entries: readonly CatalogEntry[], sendable: Sendable): Record<string, unknown> {
  // Also for a tool that is called "__proto__".
  const tools: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const entry of entries) {
    const tool = sendable(entry);
    if (tool) tools[entry.name] = tool;
  }
  // Not the request's own tools: they come again with its next step.
  markSent(entries.filter((entry) => !entry.isResolved).map(({ name }) => tools[name]));
  return tools;
}

/**
 * The result of a step in load mode: meta-tools, resident tools, discovered ones, and the list of active tools where it
 * is needed.
 */
export function result(
  open: StepToSend,
  metaTools: Readonly<Record<string, unknown>>,
  discovered: Readonly<Record<string, unknown>>,
): SentTools {
  const tools = { ...metaTools, ...open.own, ...discovered };
  open.state.sent = new Set(Object.keys(tools));
  const { activeTools } = open.args;
  const added = [...Object.keys(metaTools), ...Object.keys(discovered)];
  const extended = activeTools && extendActiveTools(activeTools, added);
  // A list that an earlier processor of this package made names all that it received.
  const isOurs = extended !== undefined && extended === activeTools;
  const list = open.mayBeDurable || isOurs ? shownNames(open, tools, extended) : extended;
  const { tell } = open.state;
  const model = tell && !isLegacy(open.args.model) ? { model: tell(open.args.model) } : {};
  return { tools, ...(list ? { activeTools: list } : {}), ...model };
}

/** What a step sends whose tools stand with a list of their own, and a model that is wrapped. */
interface WrappedTools extends SentTools {
  readonly activeTools: string[];
  /** Tools that were made for this step. */
  readonly added: readonly unknown[];
}

/** The result of a step whose model is wrapped. */
export function wrappedResult(open: StepToSend, { tools, activeTools, model, added }: WrappedTools): SentTools {
  markSent(added);
  const list = open.mayBeDurable ? shownNames(open, tools, activeTools) : activeTools;
  return { tools, activeTools: list, model };
}

/**
 * The list of active tools that hides whatever is not sent: a DurableAgent looks for tools in other places too, and
 * leaves alone what the list lacks.
 */
function shownNames(
  { catalog, separated }: OpenStep,
  sent: Readonly<Record<string, unknown>>,
  list?: string[],
): string[] {
  const entries = [...catalog.entries].flatMap(({ name, key }) => [name, key]);
  const hidden = [...separated.handed.keys(), ...entries].filter((name) => !Object.hasOwn(sent, name));
  return withoutHidden(Object.keys(sent), hidden, list);
}
