import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { CatalogEntry } from '../catalog/entry.ts';
import { isProviderTool } from '../catalog/tool.ts';
import { forcedName } from '../mastra/wrapped-model.ts';
import { unusable } from '../meta-tools/load.ts';
import { loadByName } from '../meta-tools/load-by-name.ts';
import { allPermit } from '../meta-tools/names.ts';
import type { Step } from '../meta-tools/step.ts';
import { echo } from '../util/text.ts';
import type { RequestState } from './request/request-state.ts';
import type { ProcessorServices } from './services.ts';
import type { OpenStep, SentTools, StepToSend } from './step-tools.ts';

/** A tool of the catalog that a request has to call, by its `toolChoice`. */
export interface Forced {
  /** Its name as `toolChoice` has it: a record key leads to a tool as well. */
  readonly called: string;
  /** Undefined where the request may not use it, or it cannot be had. */
  readonly entry?: CatalogEntry;
}

/** What kept a forced tool from being sent. */
type Obstacle = 'denied' | 'noRoom' | 'failed';

/** Requests that were told of a forced tool that is not sent: Mastra keeps `toolChoice` over all steps of a run. */
const told = new WeakMap<RequestState, Set<string>>();

/**
 * The tool of the catalog that a step has to call, as far as the request may load and use it. Undefined where the step has to
 * call none, or one that is there anyway, or that is no tool of the catalog: that is Mastra's business.
 *
 * @param way - how the tool reaches the model: in load mode it is loaded for the step at hand.
 * @param metaNames - the meta-tools of the step.
 */
export async function forcedIn(
  way: 'load' | 'call' | 'native',
  step: Step,
  args: Pick<ProcessInputStepArgs, 'toolChoice'>,
  metaNames: readonly string[],
  services: ProcessorServices,
): Promise<Forced | undefined> {
  const { own, catalog, permissions, state, resident, loaded } = step;
  const called = forcedName(args.toolChoice);
  if (called === undefined || Object.hasOwn(own, called) || metaNames.includes(called)) return undefined;
  await catalog.reach?.([called], { ...permissions.asker, origin: step.origin });
  const entry = catalog.get(called);
  const forced = { called, ...(entry ? { entry } : {}) };
  if (!entry) return catalog.isUnreachable?.(called) ? refused(forced, 'failed', state, services) : undefined;
  if (resident.has(entry.name)) return forced;
  const phases = loaded.has(entry.name) ? (['active'] as const) : (['load', 'active'] as const);
  const allowed = await allPermit(phases, [entry], permissions);
  if (allowed.length === 0) return refused(forced, 'denied', state, services);
  const failing = await unusable(allowed, step, services);
  // A provider's own tool cannot be called through another one.
  const isOut = failing.size > 0 || (way === 'call' && isProviderTool(entry.tool));
  if (isOut) return refused(forced, 'failed', state, services);
  return way === 'load' && !loaded.has(entry.name) ? load(entry, forced, step, services) : forced;
}

async function load(entry: CatalogEntry, forced: Forced, step: Step, services: ProcessorServices): Promise<Forced> {
  const start = performance.now();
  const { loaded } = await loadByName([entry.name], step, services, ['load']);
  if (loaded.length === 0) return refused(forced, 'noRoom', step.state, services);
  const event = { type: 'load', by: 'request', loaded, alreadyLoaded: [], notFound: [], denied: [] } as const;
  services.reporter.report({ ...event, ms: performance.now() - start }, step.origin);
  return forced;
}

/** The forced tool of a step that sends the whole catalog. */
export function forcedOfAll({ args, own, catalog }: StepToSend): Forced | undefined {
  const called = forcedName(args.toolChoice);
  const entry = called === undefined || Object.hasOwn(own, called) ? undefined : catalog.get(called);
  return called !== undefined && entry ? { called, entry } : undefined;
}

/**
 * The result of a step with the `toolChoice` that its request can have: by the name under which the tool is sent, or
 * `'auto'` where it is not. A request that names a tool which it does not have is refused by providers.
 *
 * @param bridge - the tool through which the forced one is called, where it is not sent itself.
 */
export function chosen(
  sent: SentTools,
  forced: Forced,
  { state }: OpenStep,
  services: ProcessorServices,
  bridge?: string,
): SentTools {
  const { called, entry } = forced;
  const toolName = entry && Object.hasOwn(sent.tools, entry.name) ? entry.name : entry && bridge;
  if (toolName === called) return sent;
  if (toolName !== undefined) return { ...sent, toolChoice: { type: 'tool', toolName } };
  if (entry) refused(forced, 'denied', state, services);
  return { ...sent, toolChoice: 'auto' };
}

function refused(
  { called, entry }: Forced,
  obstacle: Obstacle,
  state: RequestState,
  { reporter }: ProcessorServices,
): Forced {
  const known = told.get(state) ?? new Set();
  told.set(state, known);
  const name = entry?.name ?? echo(called);
  if (!known.has(name)) {
    known.add(name);
    const none = { loaded: [], alreadyLoaded: [], notFound: [], denied: [] };
    reporter.report({ type: 'load', by: 'request', ...none, [obstacle]: [name], ms: 0 }, state.origin);
  }
  return { called };
}
