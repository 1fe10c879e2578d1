import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { inputJsonSchema } from '../catalog/document.ts';
import { ToolProblems } from '../catalog/entry.ts';
import { agentKey, describedByName } from '../catalog/names.ts';
import { copyTool, descriptionOf, isProviderTool, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import { messageOf } from '../errors.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Policy } from '../filter/permissions.ts';
import type { Asker } from '../filter/questions.ts';
import type { Renaming } from '../providers/index.ts';
import { asRecord, given } from '../util/record.ts';
import { asGivenByLoop, mayHaveWaited, runAsValidated, runResumed, runValidated, type ToolOwner } from './calls.ts';
import { mayBeDurable } from './durable-agents.ts';
import {
  type Execute,
  KNOWN,
  MARK,
  type Mark,
  markedOutput,
  markOf,
  noteBegun,
  originOfCall,
  type RegisteredTool,
  type RegisteredTools,
  type RunSettings,
  type SeparatedTools,
  settingsOf,
} from './marks.ts';
import { lightProxyOf, proxyToolOf, settingsFrom, throughProxy, type WildcardProxy } from './proxy-tools.ts';
import {
  isConvertible,
  isReshaped,
  jsonOf,
  type MendedSchema,
  type Mending,
  mendingOf,
  providerSchema,
  readingOwnNames,
} from './schemas.ts';

/** Up to this many constructor tools are registered as proxy tools (3 µs each); more are registered as lightweight proxies. */
const PROXY_TOOLS_UP_TO = 500;

/**
 * Registers tools with Mastra before a run, and removes them from its steps.
 *
 * Mastra asks a processor for loaded tools at the start of every run (`getLoadedToolsForRequestContext`), converts
 * them like the agent's own and merges them into the tools of every step. Only these tools get the agent's id, its hooks
 * and its tracing policy; and only here does Mastra find the tool of a call that is resumed after a restart. So every tool
 * that may be loaded is registered, but without its description and schema: traces, other processors and Mastra's
 * conversion see a name. Each step removes all registered tools again, and adds the loaded and allowed ones.
 */
export class ToolRegistration {
  readonly #policy: Policy;
  readonly #reporter: Reporter;
  readonly #problems: ToolProblems;
  /** Tools whose conversion or copy failed. */
  readonly incompatible: WeakSet<object> = new WeakSet();
  readonly #owner: ToolOwner;
  /** One lightweight proxy per tool, shared by all runs. */
  readonly #lightProxies = new WeakMap<CatalogEntry, RegisteredTool>();
  readonly #withDefinition: boolean;
  /** The Mastra instances that an agent with this processor is registered with. */
  readonly #registered = new Set<Mastra>();
  /** Maps the mark of a tool that was registered for a run to the catalog of that run. */
  readonly #catalogs = new WeakMap<Mark, Catalog>();
  /** Set if tools come from a source: the proxy for all tools that a run finds only after its start. */
  wildcard: WildcardProxy | undefined;
  /**
   * The copies of converted tools that steps send, by mending. Only a copy counts as sent, because Mastra passes the
   * converted tool itself to the next step as well.
   */
  readonly #copies = new WeakMap<object, Map<MendedSchema | undefined, object>>();

  /** `withDefinition`: Mastra converts the definitions as well, which pays if nearly all of them are sent. */
  constructor(policy: Policy, reporter: Reporter, owner: ToolOwner, withDefinition = false) {
    this.#policy = policy;
    this.#reporter = reporter;
    this.#problems = new ToolProblems(reporter);
    this.#owner = owner;
    this.#withDefinition = withDefinition;
  }

  useMastra(mastra: Mastra): void {
    this.#owner.mastra = mastra;
    this.#registered.add(mastra);
  }

  /**
   * The tools to register with Mastra for a run.
   *
   * @param entries - the catalog's entries, without those whose name the agent itself uses.
   * @param resolved - the agent's own searchable tools. With a filter, all of them are guarded. Without a filter, only
   * the loaded ones are returned, unchanged.
   */
  async offer(
    base: Catalog,
    entries: readonly CatalogEntry[],
    resolved: readonly CatalogEntry[],
    loadedNames: () => Promise<readonly string[]>,
    requestContext: RequestContext | undefined,
  ): Promise<Record<string, MastraTool>> {
    const offered = Object.create(null) as Record<string, unknown>;
    const keys = new Set<string>();
    // One full proxy tool is enough: a step asks it for the agent's id.
    const last = entries.findLast(({ tool }) => !isProviderTool(tool));
    for (const entry of entries) {
      // Mastra does not convert a provider tool, so a step could not tell it from the agent's own tools.
      if (isProviderTool(entry.tool)) continue;
      // Mastra ends a run in which two names get the same key, so the second tool is not registered.
      const key = agentKey(entry.name);
      if (keys.has(key)) continue;
      try {
        const { name, tool } = entry;
        let form: object;
        if (this.#withDefinition && !entry.isLazy && !isReshaped(tool) && isConvertible(tool, name))
          form = this.#convertible(entry, requestContext);
        else if (entries.length <= PROXY_TOOLS_UP_TO || entry === last)
          form = proxyToolOf(name, tool, this.#resumed(entry));
        else form = this.#lightProxy(entry).tool;
        const mark = markOf(form);
        if (mark && mark.kind !== 'light-proxy') this.#catalogs.set(mark, base);
        offered[entry.name] = form;
        keys.add(key);
      } catch (error) {
        this.#refuse(entry.name, entry.tool, error);
      }
    }
    if (this.wildcard) {
      const proxyTool = this.wildcard.proxyTool();
      this.#catalogs.set(markOf(proxyTool) as Mark, base);
      offered[this.wildcard.name] = proxyTool;
    }
    const loaded = new Set(resolved.length > 0 ? await loadedNames() : []);
    for (const entry of resolved) this.#offerResolved(entry, requestContext, loaded.has(entry.name), offered);
    return offered as Record<string, MastraTool>;
  }

  /**
   * Whether a step may belong to a DurableAgent. Mastra does not register a processor that a function returns, so a
   * proxy tool is asked for the Mastra instance there; 'unknown' if there is no proxy tool to ask.
   */
  async isDurable(
    separated: SeparatedTools,
    id: string,
    requestContext?: RequestContext,
  ): Promise<boolean | 'unknown'> {
    if (this.#registered.size === 0 && separated.hasMarks) {
      const settings = await settingsFrom(separated.registered, requestContext);
      return settings ? mayBeDurable(settings.mastra, id, requestContext) : 'unknown';
    }
    for (const mastra of this.#registered) if (await mayBeDurable(mastra, id, requestContext)) return true;
    return false;
  }

  /** The agents of all Mastra instances in `#registered`. */
  get agents(): readonly Agent[] {
    return [...this.#registered].flatMap((mastra) => Object.values(mastra.listAgents?.() ?? {}) as Agent[]);
  }

  /** The catalog of a step's run. Undefined if this instance registered no tools for that run. */
  catalogOf({ registered }: SeparatedTools): Catalog | undefined {
    for (const { mark } of registered.values()) {
      const catalog = this.#catalogs.get(mark);
      if (catalog) return catalog;
    }
    return undefined;
  }

  /** Whether a tool can be sent to a model. Mastra itself sends the agent's own tools, so they are not checked. */
  isCompatible({ name, tool, isResolved }: CatalogEntry, model: unknown): boolean {
    if (isResolved) return true;
    try {
      providerSchema(tool, name, model);
      copyTool(tool, {});
      this.incompatible.delete(tool);
      return true;
    } catch (error) {
      this.#refuse(name, tool, error);
      return false;
    }
  }

  #refuse(name: string, tool: object, error: unknown): void {
    this.incompatible.add(tool);
    this.#problems.report(name, 'unsendable', messageOf(error));
  }

  /** Why the model's provider refuses a tool that can be converted. Undefined if no refusal is known. */
  refusal(entry: CatalogEntry, model: unknown): string | undefined {
    try {
      const mending = this.#mending(entry, model);
      return mending && 'refusal' in mending ? mending.refusal : undefined;
    } catch {
      return undefined;
    }
  }

  /** The new names of a tool's parameters in the schema that the model receives. Undefined if no name changes. */
  renaming(entry: CatalogEntry, model: unknown): Renaming | undefined {
    return this.#mended(entry, model)?.renaming;
  }

  /**
   * How the form to send must differ from Mastra's. Undefined if Mastra's form is right. `converted` is Mastra's
   * conversion of the tool, if there is one: the tool is then not converted again.
   */
  #mending({ name, tool, isResolved }: CatalogEntry, model: unknown, converted?: object): Mending | undefined {
    return mendingOf(tool, name, model, () => {
      if (isResolved) return inputJsonSchema(tool);
      return converted ? inputJsonSchema(converted) : jsonOf(providerSchema(tool, name, model));
    });
  }

  #mended(entry: CatalogEntry, model: unknown, converted?: object): MendedSchema | undefined {
    const mending = this.#mending(entry, model, converted);
    return mending && 'refusal' in mending ? undefined : mending;
  }

  /**
   * The form in which a step sends a tool. Undefined if the tool cannot be converted, which is reported. A tool that
   * the provider refuses still has a form, because the model can call the tool in another way.
   */
  compatible(entry: CatalogEntry, { registered }: SeparatedTools, model: unknown, step: StepInfo): object | undefined {
    const { name, tool } = entry;
    if (entry.isResolved) {
      const mark = markOf(tool);
      if (mark) mark.isLoaded = step.isLoaded;
      return this.#resolvedForm(entry, model);
    }
    const registeredTool = this.registeredFor(entry, registered);
    const isConverted = registeredTool?.mark.kind === 'converted';
    const execute: Execute = isConverted ? runAsValidated(tool) : (...call) => runValidated(entry, model, ...call);
    const run = this.#guarded(entry, step, execute);
    const words = wordsOf(entry);
    const { description = tool.description } = words;
    try {
      if (isConverted && (registeredTool.tool as MastraTool).description === description) {
        registeredTool.mark.execute = run;
        return this.#copyOf(registeredTool.tool, this.#mended(entry, model, registeredTool.tool));
      }
      const inputSchema = providerSchema(tool, name, model);
      const mending = this.#mended(entry, model);
      const schema = mending?.schema ?? inputSchema;
      const sent = {
        ...words,
        ...(schema ? { inputSchema: schema } : {}),
        ...(mending?.isLoose ? { strict: false } : {}),
      };
      if (typeof tool.execute !== 'function')
        return (registeredTool && schema) || mending ? copyTool(tool, sent) : described(tool, words);
      if (!registeredTool) {
        if (mending) return copyTool(tool, { ...sent, execute: run as never });
        return this.#policy.isOpen ? described(tool, words) : copyTool(tool, { ...words, execute: run as never });
      }
      const through = throughProxy(registeredTool, run, registered);
      return copyTool(tool, { ...sent, ...readingNames(tool, mending, through) });
    } catch (error) {
      this.#refuse(name, tool, error);
      return undefined;
    }
  }

  /** The form in which a step sends one of the agent's own tools. */
  #resolvedForm(entry: CatalogEntry, model: unknown): object {
    const { name, tool } = entry;
    try {
      const mending = this.#mended(entry, model);
      return mending ? this.#copyOf(tool, mending) : tool;
    } catch (error) {
      this.#refuse(name, tool, error);
      return tool;
    }
  }

  /** A copy of a converted tool, with a mended schema if the tool needs one. All steps get the same copy. */
  #copyOf(tool: object, mending: MendedSchema | undefined): object {
    const copies = this.#copies.get(tool) ?? new Map<MendedSchema | undefined, object>();
    this.#copies.set(tool, copies);
    const copy = copies.get(mending) ?? mendedCopy(tool as MastraTool, mending);
    copies.set(mending, copy);
    return copy;
  }

  /** The registered form of a tool, or the one that the wildcard proxy provides. */
  registeredFor(entry: CatalogEntry, registered: RegisteredTools): RegisteredTool | undefined {
    const known = registered.get(entry.name);
    if (known || !this.wildcard) return known;
    return this.wildcard.registeredFor(this.#lightProxy(entry), registered);
  }

  #lightProxy(entry: CatalogEntry): RegisteredTool {
    const made = this.#lightProxies.get(entry) ?? lightProxyOf(entry.name, entry.tool, this.#resumed(entry));
    this.#lightProxies.set(entry, made);
    return made;
  }

  #convertible(entry: CatalogEntry, requestContext: RequestContext | undefined): MastraTool {
    const { tool, name } = entry;
    const mark: Mark = { name, kind: 'converted' };
    const resumed = this.#guarded(entry, { requestContext }, runAsValidated(tool));
    const execute: Execute = (input, context) => (mark.execute ?? resumed)(input, context);
    return copyTool(tool, {
      ...wordsOf(entry),
      // Mastra may register the tool under another key; it then finds the tool of a resumed call by this id.
      id: name,
      onOutput: markedOutput((output) => tool.onOutput?.(output), mark) as never,
      ...(typeof tool.execute === 'function' ? { execute: execute as never } : {}),
    });
  }

  /** Runs a call that belongs to no step, because it is resumed after a restart. */
  #resumed(entry: CatalogEntry): Execute {
    return (input, context) => {
      const call = (context ?? {}) as ToolContext & ResumedContext;
      const isConverted = call.agent?.agentId !== undefined;
      const known = isConverted ? settingsOf(call) : (call[KNOWN] ?? {});
      const given = isConverted ? (asGivenByLoop(call) as typeof call) : call;
      return this.#guarded(entry, call, () => runResumed(entry, input, given, this.#owner, known))(input, call);
    };
  }

  /**
   * Registers the agent's tool by its key, and also by its name if Mastra could not find the name for a resumed call.
   */
  #offerResolved(
    entry: CatalogEntry,
    requestContext: RequestContext | undefined,
    isLoaded: boolean,
    offered: Record<string, unknown>,
  ): void {
    const { name, key, tool } = entry;
    if (!this.#policy.isOpen) offered[key] = this.#guardResolved(entry, requestContext, 'resolved');
    if (name === agentKey(key)) {
      if (isLoaded) offered[key] ??= tool;
    } else if (isLoaded || name !== entry.tool.id) {
      offered[name] = { ...this.#guardResolved(entry, requestContext, 'alias'), id: name };
    }
  }

  #guardResolved(entry: CatalogEntry, requestContext: RequestContext | undefined, kind: Mark['kind']): object {
    const mark: Mark = { name: entry.name, kind };
    const marked = { ...entry.tool, [MARK]: mark };
    const isLoaded = (name: string): boolean => mark.isLoaded?.(name) === true;
    return typeof entry.tool.execute === 'function'
      ? { ...marked, execute: this.#guarded(entry, { requestContext, isLoaded }, entry.tool.execute as never) }
      : marked;
  }

  /**
   * Wraps a tool so that the filter is asked again right before the tool runs: a right may have been withdrawn since the
   * tool was sent, or while its call waited.
   */
  #guarded(entry: CatalogEntry, run: Partial<StepInfo>, execute: Execute): Execute {
    const { name, tool } = entry;
    return async (input, context) => {
      const isFresh = run.isLoaded?.(name) && !mayHaveWaited(tool, context);
      const { abortSignal } = (context ?? {}) as Asker;
      noteBegun(abortSignal);
      const origin = originOfCall(context, run.origin);
      const asker = { requestContext: run.requestContext, abortSignal, origin };
      if (!(await this.#policy.allowsCall(entry, isFresh ? ['active'] : ['active', 'load'], asker))) {
        this.#reporter.report({ type: 'call-denied', toolName: name }, origin);
        throw new Error(this.#owner.notAvailable(name));
      }
      const start = performance.now();
      const ended = (ok: boolean): void => {
        this.#reporter.report({ type: 'call', toolName: name, ok, ms: performance.now() - start }, origin);
      };
      try {
        const result = await execute(input, context);
        ended(asRecord(result)?.['error'] !== true);
        return result;
      } catch (error) {
        ended(false);
        throw error;
      } finally {
        run.noteCall?.();
      }
    };
  }
}

/** The functions of a tool that receive a call's input: they read it under the tool's own parameter names. */
function readingNames(tool: MastraTool, mending: MendedSchema | undefined, execute: Execute): Partial<MastraTool> {
  if (!mending?.renaming) return { execute: execute as never };
  const { requireApproval, needsApprovalFn } = tool as { requireApproval?: unknown; needsApprovalFn?: unknown };
  return given({
    execute: readingOwnNames(tool, execute),
    requireApproval: readingOwnNames(tool, requireApproval),
    needsApprovalFn: readingOwnNames(tool, needsApprovalFn),
  }) as Partial<MastraTool>;
}

function mendedCopy(tool: MastraTool, mending: MendedSchema | undefined): object {
  if (!mending) return { ...tool };
  const { schema, isLoose, renaming } = mending;
  const { execute } = tool as { readonly execute?: Execute };
  const field = 'inputSchema' in tool ? 'inputSchema' : 'parameters';
  return copyTool(tool, {
    ...{ [field]: schema },
    ...(isLoose ? { strict: false } : {}),
    ...(execute && renaming ? readingNames(tool, mending, execute) : {}),
  });
}

/** The context of a call that is resumed, or whose tool Mastra has not converted. */
interface ResumedContext {
  readonly requestContext: RequestContext | undefined;
  readonly [KNOWN]?: RunSettings;
}

/** The part of a step that a guarded call is checked against. */
interface StepInfo {
  readonly requestContext: RequestContext | undefined;
  readonly isLoaded: (name: string) => boolean;
  readonly origin: EventOrigin;
  readonly noteCall: () => void;
}

/**
 * The description to send, if it differs from the tool's own: it adds the tool's original name if the model's name
 * hides that name.
 */
function wordsOf({ tool, originalName }: CatalogEntry): { readonly description?: string } {
  const own = descriptionOf(tool);
  const description = describedByName(own, originalName);
  return description === own ? {} : { description };
}

function described(tool: MastraTool, words: { readonly description?: string }): MastraTool {
  return words.description === undefined ? tool : copyTool(tool, words);
}
