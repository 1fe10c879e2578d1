import type { CatalogEntry } from '../catalog/entry.ts';
import { copyTool, isMastraTool, isProviderTool, type MastraTool } from '../catalog/tool.ts';
import type { NativeDialect, OpenAINamespace } from '../options/native.ts';
import { asRecord } from '../util/record.ts';

/** How a tool is deferred. */
export interface Deferred {
  readonly dialect: NativeDialect;
  /** OpenAI only. */
  readonly namespace: Required<OpenAINamespace> | undefined;
  /** Words that people use for it, where the provider searches. */
  readonly keywords: readonly string[];
}

/** Breakpoints of a prompt cache: a deferred tool that has one is refused. */
const CACHE_MARKS: readonly string[] = ['cacheControl', 'cache_control', 'cachePoint'];

/** Whether a tool can be deferred: Mastra hands no options of a provider's own tools on. */
export function isDeferrable({ tool }: CatalogEntry): boolean {
  return !isProviderTool(tool);
}

/** Deferred copies of tools, the same ones over all steps of a run: what is made of them by Mastra is kept with them. */
export class DeferredTools {
  readonly #copies = new WeakMap<object, Map<string, object>>();

  /** @param tool - as it would be sent at once. */
  of(tool: object, deferred: Deferred): object {
    const form = `${deferred.dialect} ${deferred.namespace?.name} ${deferred.namespace?.description}`;
    const copies = this.#copies.get(tool) ?? new Map<string, object>();
    const copy = copies.get(form) ?? defer(tool, deferred);
    show(copy);
    copies.set(form, copy);
    this.#copies.set(tool, copies);
    return copy;
  }
}

/** A deferred copy of one step's own, which {@link sendAtOnce} can change. */
export function defer(tool: object, { dialect, namespace, keywords }: Deferred): object {
  const { providerOptions, description } = tool as { providerOptions?: unknown; description?: unknown };
  const options = dialect === 'anthropic' ? withoutCacheMarks(providerOptions) : { ...asRecord(providerOptions) };
  const flags = {
    deferLoading: true,
    ...(namespace ? { namespace } : {}),
  };
  // Azure's package reads its own options, and OpenAI's where there are none.
  const providers = dialect === 'openai' && options['azure'] !== undefined ? ['openai', 'azure'] : [dialect];
  const flagged = providers.map((provider) => [provider, { ...asRecord(options[provider]), ...flags }]);
  const words = keywords.length > 0 ? { description: `${description ?? ''}\n\nAlso: ${keywords.join(', ')}` } : {};
  const changes = { ...words, providerOptions: { ...options, ...Object.fromEntries(flagged) } };
  return copyTool(tool as MastraTool, changes as Partial<MastraTool>);
}

/**
 * Takes the deferral back, in the copy itself: Mastra has it by now, and reads its options when the request is made.
 */
export function sendAtOnce(copy: object): void {
  const { providerOptions } = copy as { providerOptions?: unknown };
  for (const options of Object.values(asRecord(providerOptions) ?? {})) {
    const flags = asRecord(options);
    if (!flags?.['deferLoading']) continue;
    delete flags['deferLoading'];
  }
}

/** The same for a tool as the model is called with it. */
export function withoutDeferral<Tool extends { readonly providerOptions?: unknown }>(tool: Tool): Tool {
  const options = Object.entries(asRecord(tool.providerOptions) ?? {}).map(([provider, own]) => {
    const { deferLoading: _, ...others } = asRecord(own) ?? {};
    return [provider, others];
  });
  return { ...tool, providerOptions: Object.fromEntries(options) };
}

const HIDDEN = { type: 'provider-defined', id: 'mastra-tool-search.withheld', args: {} };

/**
 * Keeps a copy from being sent that Mastra has by now, until the next step: it becomes a provider's tool that no provider
 * has, and that all of them leave out. Only tools that Mastra converted, which are of one run: others it has copied.
 */
export function hide(copy: object): void {
  if (isMastraTool(copy)) return;
  Object.assign(copy, { ...HIDDEN, shown: { type: asRecord(copy)?.['type'], id: asRecord(copy)?.['id'] } });
}

function show(copy: object): void {
  const hidden = copy as { shown?: object; args?: unknown };
  if (!hidden.shown) return;
  Object.assign(hidden, hidden.shown);
  delete hidden.shown;
  delete hidden.args;
}

function withoutCacheMarks(providerOptions: unknown): Record<string, unknown> {
  const entries = Object.entries(asRecord(providerOptions) ?? {}).map(([provider, options]) => {
    const kept = Object.entries(asRecord(options) ?? {}).filter(([key]) => !CACHE_MARKS.includes(key));
    return [provider, Object.fromEntries(kept)];
  });
  return Object.fromEntries(entries);
}
