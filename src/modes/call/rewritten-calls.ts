import type { CatalogEntry } from '../../catalog/catalog.ts';
import { isMastraTool, type MastraTool, type ToolContext } from '../../catalog/tool.ts';
import type { Reporter } from '../../events/reporter.ts';
import type { ActiveTools } from '../../mastra/hiding.ts';
import { isHooked } from '../../mastra/internals.ts';
import { type Execute, KNOWN, type RegisteredTool, type RegisteredTools, RUN } from '../../mastra/marks.ts';
import { isInherited, type PlaceholderTools } from '../../mastra/placeholders.ts';
import { ownerFrom } from '../../mastra/proxy-tool.ts';
import { whatTheLoopReads } from '../../mastra/validated-call.ts';
import type { Loader } from '../../meta-tools/loading.ts';
import { parseJson } from '../../meta-tools/meta-tool.ts';
import { meant } from '../../meta-tools/missed-calls.ts';
import { newAllowance, type Step } from '../../processor/step.ts';
import { asRecord } from '../../util/record.ts';
import { type CallWording, explained } from './definitions.ts';
import { isNoted, noteOf } from './history.ts';
import type { CallPart } from './response.ts';
import { readCall, type WrittenCall } from './written-call.ts';

/** What decides about the calls of one step. */
export interface StepCallsArgs {
  readonly step: Step;
  readonly model: unknown;
  /** The tools that were registered before the run. */
  readonly registered: RegisteredTools;
  /** The tools that the step received. */
  readonly received: object;
  /** What was registered of a tool, or serves as that. */
  readonly registeredFor: (entry: CatalogEntry) => RegisteredTool | undefined;
  readonly loader: Loader;
  readonly reporter: Reporter;
  readonly wording: CallWording;
  /** Runs a call that belongs to no step. */
  readonly runOf: (entry: CatalogEntry) => Execute;
  /** The name of the meta-tool that calls tools; absent where a model calls them by their own names alone. */
  readonly bridge?: string;
  /** The `toolChoice` of the step. */
  readonly toolChoice?: unknown;
  /** The tool that the step has to call through the bridge; absent where it has to call none so. */
  readonly forced?: string | undefined;
  /** Whether a tool that was not sent may run when the model calls it by its own name. */
  readonly runsMisses: boolean;
  /** Whether the step may be a DurableAgent's, which asks a copy of the list of active tools. */
  readonly mayBeDurable: boolean;
}

/** One answer of the model of a step. */
export interface Answer extends StepCallsArgs {
  readonly placeholders: PlaceholderTools;
  /** The names of the tools that the request had. */
  readonly sent: ReadonlySet<string>;
  /** Whether a call by this name may become another one. */
  readonly mayRewrite: (name: string) => boolean;
  readonly visible: ActiveTools;
  /** What the request lets the model call. */
  readonly choice: Choice;
}

/** Calls that took the place of others: another processor of the agent leaves them alone. */
const settled = new WeakSet<object>();

/** The calls that Mastra is to run, by those that the model wrote. */
export async function rewrittenCalls(
  calls: readonly CallPart[],
  answer: Answer,
): Promise<ReadonlyMap<CallPart, CallPart>> {
  // Another processor's are settled.
  const open = calls.filter((call) => !isNoted(call) && !settled.has(call));
  const { placeholders, sent, visible, mayRewrite } = answer;
  const targets = await Promise.all(
    open.map((call) => (mayRewrite(call.toolName) ? targetOfCall(call, answer) : undefined)),
  );
  const decide = (hasPlaces: boolean): readonly (NewCall | undefined)[] =>
    open.map((call, at) => whatBecomesOf(call, targets[at], answer, hasPlaces) ?? reachable(call, answer));
  let decided = decide(placeholders.isThere);
  // A DurableAgent finds a place only where the list of active tools names it, and tells the model that list with every
  // call of a tool that is not there. So such calls have places as well; where these are not enough, no call has one.
  if (answer.mayBeDurable && !placeholders.areEmpty) {
    const called = open.map((call, at) => decided[at]?.toolName ?? call.toolName);
    const missing = [...new Set(called)].filter((name) => !sent.has(name) && !placeholders.holds(name));
    const listed = [...visible.list];
    const keys = missing.map((name) => placeholders.take(name, notFound(name, listed), true));
    if (keys.includes(undefined)) {
      placeholders.empty();
      decided = decide(false);
    } else visible.note(...keys.filter((key) => key !== undefined));
  }
  const rewritten = new Map<CallPart, CallPart>();
  for (const [at, call] of open.entries()) {
    const becomes = decided[at];
    if (!becomes) continue;
    const { toolName, args, place } = becomes;
    if (place) use(place, call, toolName, answer);
    const becoming = { ...call, toolName, input: JSON.stringify(args) };
    // Only in call mode the model reads what it wrote: elsewhere no provider is to be sent a note of it.
    const note = answer.bridge === undefined ? undefined : noteOf(call.toolName, call.input);
    const other = note ? { ...becoming, providerMetadata: { ...call.providerMetadata, ...note } } : becoming;
    settled.add(other);
    rewritten.set(call, other);
  }
  return rewritten;
}

/** A call in place of a written one. */
interface NewCall {
  readonly toolName: string;
  readonly args: object;
  /** The place that the tool has, where it was not sent. */
  readonly place?: { readonly key: string; readonly tool: object };
}

/** The call that takes the place of a written one; undefined where it stays. */
function whatBecomesOf(
  call: CallPart,
  target: Target | undefined,
  { bridge, placeholders, sent, step, choice, ...answer }: Answer,
  hasPlaces: boolean,
): NewCall | undefined {
  if (!target || target.kind === 'unknown') return undefined;
  // The bridge answers that another tool was asked for, or none.
  if (call.toolName === bridge && !mayCall(choice, nameOf(target))) return undefined;
  if (target.kind === 'resident') {
    return sent.has(target.name) ? { toolName: target.name, args: target.args } : undefined;
  }
  const name = nameOf(target);
  const isAnothersId = Object.values(step.own).some((tool) => asRecord(tool)?.['id'] === name);
  // Mastra looks for ids as well, and would find the agent's own tool first.
  const hasPlace = hasPlaces && !isAnothersId && !isInherited(name);
  const tool = target.kind === 'tool' && hasPlace ? runnable(target.entry, { ...answer, step }) : undefined;
  const key = tool && placeholders.take(name, tool);
  if (target.kind === 'tool' && tool && key !== undefined)
    return { toolName: name, args: target.args, place: { key, tool } };
  // The bridge tells what is wrong, or runs the tool itself: then a guard around the bridge is told the exact name.
  if (bridge === undefined || !sent.has(bridge)) return undefined;
  const written = parseJson(call.input);
  // What is no JSON stays a text, which the bridge refuses.
  if (call.toolName !== bridge) return { toolName: bridge, args: { toolName: name, arguments: written ?? call.input } };
  const args = target.kind === 'tool' && { toolName: name, arguments: target.args };
  return args && JSON.stringify(args) !== JSON.stringify(written) ? { toolName: bridge, args } : undefined;
}

/** A tool that answers a call as Mastra does where there is none. */
function notFound(name: string, available: readonly string[]): object {
  const execute = async (): Promise<never> => {
    const error = new Error(
      `Tool "${name}" not found. Available tools: ${available.join(', ')}. Call tools by their exact name only — never add prefixes, namespaces, or colons.`,
    );
    error.name = 'ToolNotFoundError';
    throw error;
  };
  return { type: 'function', description: '', parameters: {}, execute };
}

/** Makes a call of a tool that was not sent one that Mastra runs. */
function use({ key, tool }: NonNullable<NewCall['place']>, call: CallPart, name: string, answer: Answer): void {
  const { registered, received, mayBeDurable, visible, bridge, reporter, step } = answer;
  if (!registered.has(name)) handLate(name, tool, received);
  if (mayBeDurable) visible.note(name, key);
  if (call.toolName !== bridge)
    reporter.report({ type: 'run-on-miss', called: call.toolName, toolName: name }, step.origin);
}

/**
 * Leaves a tool that was found since among those that were registered, unseen: there Mastra looks, by its name alone, for
 * its `toModelOutput`.
 */
function handLate(name: string, tool: object, received: object): void {
  if (!Object.hasOwn(received, name) && Object.isExtensible(received))
    Object.defineProperty(received, name, { value: tool, configurable: true });
}

/**
 * A call that Mastra answers with "not found", in place of one with which it would not go on: it takes an empty place for
 * a provider's tool and waits for a result, and finds a `constructor` in any list of tools.
 */
function reachable({ toolName }: CallPart, { placeholders, sent }: Answer): NewCall | undefined {
  const isFound = placeholders.has(toolName) || (isInherited(toolName) && !sent.has(toolName));
  return isFound ? { toolName: `${toolName}_`, args: {} } : undefined;
}

/** A tool in the form in which Mastra runs it; what Mastra has not converted has none. */
function runnable(
  entry: CatalogEntry,
  {
    registered,
    registeredFor,
    step,
    runOf,
    model,
    wording,
  }: Pick<Answer, 'registered' | 'registeredFor' | 'step' | 'runOf' | 'model' | 'wording'>,
): object | undefined {
  const { name, tool, isResolved } = entry;
  const explaining =
    (execute: Execute): Execute =>
    async (input, context) =>
      explained(await execute(input, context), entry, model, wording);
  if (isResolved) {
    if (isMastraTool(tool)) return undefined;
    const { execute } = tool as { readonly execute?: Execute };
    return execute ? { ...(tool as object), execute: explaining(execute) } : tool;
  }
  const registeredTool = registeredFor(entry);
  // A lazy tool was registered as what it is without its definition.
  const isLazyTool = step.catalog.get(name)?.tool !== tool;
  const { origin, state } = step;
  const told = { origin, noteCall: state.noteCall };
  const run = explaining((input, context) => runOf(entry)(input, { ...(context as object), ...told }));
  const form = registeredTool && runByLoop(registeredTool, registered, run, isLazyTool ? tool : undefined);
  return form && !isMastraTool(form) ? form : undefined;
}

async function targetOfCall({ toolName, input }: CallPart, answer: Answer): Promise<Target | undefined> {
  const { step, loader, wording, bridge } = answer;
  try {
    const fields = input.trim() === '' ? {} : asRecord(parseJson(input));
    if (!fields && toolName === bridge) return undefined;
    const written = toolName === bridge ? readCall(fields ?? {}) : { toolName, argumentsFor: () => fields };
    return await targetOf(written, step, loader, wording.bridge);
  } catch {
    // The call stays as it is, and is answered.
    return undefined;
  }
}

/**
 * A tool that was registered, as Mastra's loop runs it by itself, outside the tools of a step. A lightweight proxy is told of the
 * run by a proxy tool, and is left to find its agent where that has hooks.
 *
 * @param run - runs a call of it.
 * @param resolved - the tool itself, where a lazy tool was registered.
 */
export function runByLoop(
  { tool, mark }: RegisteredTool,
  registered: RegisteredTools,
  run: Execute,
  resolved?: MastraTool,
): object {
  const { execute } = tool as { readonly execute?: Execute };
  const fields = resolved
    ? { ...tool, requireApproval: undefined, needsApprovalFn: undefined, ...whatTheLoopReads(resolved) }
    : tool;
  if (mark.kind !== 'light-proxy' || !execute) {
    mark.execute = run;
    return fields;
  }
  const known = async (context: ToolContext): Promise<object> => {
    const proxyTool = [...registered.values()].find((other) => other.mark.kind === 'proxy' && 'execute' in other.tool);
    if (!proxyTool || isHooked(proxyTool)) return {};
    const { agentId, mastra, settings } = await ownerFrom(proxyTool, context.requestContext);
    return { ...settings, ...(mastra ? { mastra } : {}), ...(agentId === '' ? {} : { agentId }) };
  };
  const runKnown: Execute = async (input, context) => {
    const call = (context ?? {}) as ToolContext;
    return execute(input, { ...call, [KNOWN]: await known(call), [RUN]: run });
  };
  return { ...fields, execute: runKnown };
}

/** What a written call comes to for one request. */
export type Target =
  /** A tool that is sent anyway. */
  | { readonly kind: 'resident'; readonly name: string; readonly args: object }
  /** A tool that may be called with these arguments, whether they fit or not: nothing checks them before its call. */
  | { readonly kind: 'tool'; readonly entry: CatalogEntry; readonly args: object }
  /** A permitted tool whose arguments are no object. */
  | { readonly kind: 'no-object'; readonly entry: CatalogEntry }
  /** A permitted tool that has no definition, or one that cannot be sent. */
  | { readonly kind: 'failed'; readonly name: string }
  /** No one tool that the request may use. */
  | { readonly kind: 'unknown' };

/** The tools that a request lets a model call: `'any'`, or the one of this name, or none. */
export type Choice = 'any' | { readonly only: string | undefined };

/** Whether a model may call this tool. */
export function mayCall(choice: Choice, name: string): boolean {
  return choice === 'any' || choice.only === name;
}

/** The name of the tool that a call means. */
export function nameOf(target: Exclude<Target, { kind: 'unknown' }>): string {
  return 'entry' in target ? target.entry.name : target.name;
}

/** Finds the one tool that a call means, through the phases load and active. */
export async function targetOf(
  { toolName, argumentsFor }: WrittenCall,
  step: Step,
  loader: Loader,
  bridge: string | undefined,
): Promise<Target> {
  const asked = { ...step, allowance: newAllowance() };
  const name = toolName === '' ? undefined : await meant(toolName, asked);
  if (name === undefined || step.permissions.isAborted) return { kind: 'unknown' };
  if (step.tools.isAvailable(name)) {
    const args = argumentsFor(step.own[name] ?? step.catalog.get(name)?.tool) ?? {};
    return name === bridge ? { kind: 'unknown' } : { kind: 'resident', name, args };
  }
  const found = step.catalog.get(name);
  if (!found) return { kind: 'unknown' };
  const failing = await loader.unusable([found], step);
  const entry = loader.ready(found, step);
  if (!entry || failing.has(name)) return { kind: 'failed', name };
  const args = argumentsFor(entry.tool);
  return args ? { kind: 'tool', entry, args } : { kind: 'no-object', entry };
}
