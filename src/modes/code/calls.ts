import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import { copyTool, isMastraTool, isProviderTool, type MastraTool, type ToolContext } from '../../catalog/tool.ts';
import { messageOf } from '../../errors.ts';
import type { Reporter } from '../../events/reporter.ts';
import type { Policy } from '../../filter/permissions.ts';
import { approvalOf, type RunPolicy } from '../../mastra/approvals.ts';
import { isRefusedInput, runInProgram, runValidated } from '../../mastra/calls.ts';
import { hasBegun } from '../../mastra/marks.ts';
import { ANYTHING } from '../../mastra/schemas.ts';
import type { Forms } from '../../meta-tools/forms.ts';
import type { Loader } from '../../meta-tools/loading.ts';
import type { MetaToolParts } from '../../meta-tools/meta-tool.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import type { Step } from '../../step/step.ts';
import { asRecord } from '../../util/record.ts';
import { declarer, identifierOf } from './declarations.ts';

interface CallParts {
  readonly loader: Loader;
  readonly forms: Forms;
  readonly learnerOf: MetaToolParts['learnerOf'];
  readonly policy: Policy;
  readonly reporter: Reporter;
}

/** The call of the meta-tool on whose behalf a program calls tools. */
export interface Caller {
  /** The step, with the conversation as of the call that runs the program. */
  readonly step: Step;
  readonly context: ToolContext | undefined;
  /** Tools that every step sends. */
  readonly resident: Readonly<Record<string, unknown>>;
  /** The approval policy of the run; undefined if it is unknown. */
  readonly policy: { readonly policy: RunPolicy } | undefined;
  readonly search: string;
}

/** The permitted tool that a call in a program refers to. */
interface Target {
  readonly name: string;
  readonly tool: MastraTool;
  /** Absent for a tool outside the catalog. */
  readonly entry?: CatalogEntry;
}

/** Runs the calls of one program. A call that cannot run rejects with a message that says what to do instead. */
export class ProgramCalls {
  readonly #parts: CallParts;
  readonly #caller: Caller;

  constructor(parts: CallParts, caller: Caller) {
    this.#parts = parts;
    this.#caller = caller;
  }

  /**
   * @param isExact - whether `written` is the exact tool name. An identifier after `external_` may stand for several tools.
   * @param place - the ordinal number of the call in the program.
   */
  async call(written: string, isExact: boolean, given: unknown, place: number, signal: AbortSignal): Promise<unknown> {
    const { step, context } = this.#caller;
    const target = await this.#targetOf(written, isExact);
    const { name, entry } = target;
    const args = asRecord(given ?? {});
    if (!args) throw new Error(prompts.misfit(name, 'The input has to be one object.', this.#declared(target)));
    if (!isRunHere(target.tool) || (await this.#needsApproval(target, args))) return this.#callAlone(target);
    const form = entry ? this.#formOf(entry) : target.tool;
    if (!form) throw new Error(prompts.cannotBeUsed(name));
    const isRegistered = entry !== undefined && !entry.isResolved && step.received.registered.has(name);
    // The program may have ended while the filter and the approval were asked.
    if (signal.aborted) throw new Error(prompts.programOver());
    // A signal unique to this call, by which `hasBegun` finds whether the tool itself ran, or a hook answered in its
    // place.
    const own = AbortSignal.any([signal]);
    this.#parts.reporter.report({ type: 'call-through', toolName: name }, step.origin);
    let isSuspended = false;
    const suspend = async (): Promise<void> => {
      isSuspended = true;
    };
    const result = await runInProgram(form, target, args, { context, place, signal: own, suspend });
    if (isSuspended) return this.#callAlone(target);
    if (isRegistered && !hasBegun(own)) throw new Error(prompts.vetoed(name, shown(result)));
    if (isRefusedInput(result)) throw new Error(prompts.misfit(name, result.message, this.#declared(target)));
    const { error, message } = asRecord(result) ?? {};
    if (error === true && typeof message === 'string') throw new Error(message);
    // Learning reads calls from messages, which do not show the calls of a program.
    if (entry && error !== true && asRecord(result)?.['isError'] !== true)
      this.#parts.learnerOf(step.state)?.noteCall(name);
    return result;
  }

  /** The one tool that a call in a program refers to. Each call asks all phases of the filter again. */
  async #targetOf(written: string, isExact: boolean): Promise<Target> {
    const { step, resident, search } = this.#caller;
    const { catalog, permissions, origin, args } = step;
    await catalog.reach([written], { ...permissions.asker, origin });
    const ofCatalog = isExact ? catalog.get(written) : undefined;
    const isName = ofCatalog !== undefined || (isExact && Object.hasOwn(resident, written));
    const alike = isName ? (ofCatalog ? [ofCatalog] : []) : [...(spelled(catalog).get(written) ?? [])];
    const own = Object.keys(resident).filter(
      (name) => (isName ? name : identifierOf(name)) === written && !catalog.get(name),
    );
    const asker = { requestContext: args.requestContext, abortSignal: permissions.asker.abortSignal, origin };
    const permitted: CatalogEntry[] = [];
    for (const entry of alike.slice(0, MAX_ALIKE)) {
      const isSent = Object.hasOwn(resident, entry.name);
      const phases = isSent ? (['active'] as const) : (['search', 'load', 'active'] as const);
      if (await this.#parts.policy.allowsCall(entry, phases, asker)) permitted.push(entry);
    }
    const names = [...own, ...permitted.map(({ name }) => name)];
    if (names.length === 0 || permissions.isAborted) throw new Error(prompts.noFunction(written, search));
    if (names.length > 1) throw new Error(prompts.severalFunctions(written, names));
    const [first] = permitted;
    if (!first) return { name: names[0] as string, tool: resident[names[0] as string] as MastraTool };
    const failing = await this.#parts.loader.unusable([first], step, false);
    const entry = this.#parts.loader.ready(first, step);
    if (!entry || failing.has(first.name)) throw new Error(prompts.cannotBeUsed(first.name));
    return { name: entry.name, tool: entry.tool, entry };
  }

  /** True if the policy is unknown, since it may require an approval. */
  async #needsApproval({ name, tool }: Target, args: object): Promise<boolean> {
    const { policy, context } = this.#caller;
    if (!policy) return true;
    return approvalOf({ name, tool, args }, context, policy.policy);
  }

  /** The tool in the form that load mode sends. For a tool that Mastra has not registered, the form validates the input. */
  #formOf(entry: CatalogEntry): object | undefined {
    const { step } = this.#caller;
    const form = this.#parts.forms.of(entry, step);
    if (form !== entry.tool || !isMastraTool(form)) return form;
    const execute = (input: unknown, context: ToolContext): Promise<unknown> =>
      runValidated(entry, step.args.model, input, context);
    return copyTool(form, { inputSchema: ANYTHING as never, execute: execute as never });
  }

  /** Loads a tool that cannot run in a program, so that the model can call the tool directly in the next step. */
  async #callAlone({ name, entry }: Target): Promise<never> {
    const { step } = this.#caller;
    if (entry && !step.tools.isCallable(name)) {
      const { loaded } = await this.#parts.loader.byName([name], step);
      if (loaded.length > 0)
        this.#parts.reporter.report({ type: 'load-on-miss', called: name, loaded: name }, step.origin);
    }
    throw new Error(prompts.callAlone(name));
  }

  #declared({ name, tool, entry }: Target): string {
    const known = entry ?? { name, key: name, tool, description: '', isResolved: true };
    return declarer(MISFIT_TOKENS)(known);
  }
}

/** Limit, in tokens, of the declaration that a rejection quotes. */
const MISFIT_TOKENS = 1_500;
/** Limit of the tools with the same identifier that the filter is asked about. */
const MAX_ALIKE = 20;

/** Caches the tools of a catalog by identifier. The size tells whether a growing catalog has changed. */
const spellings = new WeakMap<Catalog, { readonly size: number; readonly entries: Map<string, CatalogEntry[]> }>();

function spelled(catalog: Catalog): Map<string, CatalogEntry[]> {
  const known = spellings.get(catalog);
  if (known && known.size === catalog.size) return known.entries;
  const entries = new Map<string, CatalogEntry[]>();
  for (const entry of catalog.entries) {
    const name = identifierOf(entry.name);
    const alike = entries.get(name);
    if (alike) alike.push(entry);
    else entries.set(name, [entry]);
  }
  spellings.set(catalog, { size: catalog.size, entries });
  return entries;
}

/** Whether a tool runs in this process and cannot suspend. */
function isRunHere(tool: MastraTool): boolean {
  const { suspendSchema, hasSuspendSchema } = tool as { suspendSchema?: unknown; hasSuspendSchema?: unknown };
  if (isProviderTool(tool) || typeof tool?.execute !== 'function') return false;
  return suspendSchema === undefined && hasSuspendSchema !== true;
}

function shown(output: unknown): string {
  try {
    const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
    return text.slice(0, 2_000);
  } catch (error) {
    return messageOf(error);
  }
}
