import type { CatalogEntry } from '../catalog/entry.ts';
import { copyTool, isProviderTool, type MastraTool } from '../catalog/tool.ts';
import { showTool } from '../mastra/withholding.ts';
import type { NativeDialect, OpenAINamespace } from '../options/native.ts';
import { asRecord } from '../util/record.ts';

/** How a tool is deferred. */
export interface Deferral {
  readonly dialect: NativeDialect;
  /** OpenAI only. */
  readonly namespace: Required<OpenAINamespace> | undefined;
  /** Words that people use for the tool, where the provider searches. */
  readonly keywords: readonly string[];
}

/** Breakpoints of a prompt cache. Anthropic refuses a deferred tool that has one. */
const CACHE_MARKS: readonly string[] = ['cacheControl', 'cache_control', 'cachePoint'];

/** Whether a tool can be deferred: Mastra hands no options of a provider's own tools on. */
export function isDeferrable({ tool }: CatalogEntry): boolean {
  return !isProviderTool(tool);
}

/** Deferred copies of tools, the same ones over all steps of a run: Mastra keeps with a copy what it makes of it. */
export class DeferredTools {
  readonly #copies = new WeakMap<object, Map<string, object>>();

  /** @param tool - as it would be sent eager. */
  of(tool: object, deferral: Deferral): object {
    const form = `${deferral.dialect} ${deferral.namespace?.name} ${deferral.namespace?.description}`;
    const copies = this.#copies.get(tool) ?? new Map<string, object>();
    const copy = copies.get(form) ?? defer(tool, deferral);
    showTool(copy);
    copies.set(form, copy);
    this.#copies.set(tool, copies);
    return copy;
  }
}

/** A deferred copy for one step alone, which {@link sendEager} may change. */
export function defer(tool: object, { dialect, namespace, keywords }: Deferral): object {
  const { providerOptions, description } = tool as { providerOptions?: unknown; description?: unknown };
  const options = copiedOptions(providerOptions, dialect === 'anthropic' ? CACHE_MARKS : []);
  // Azure's package reads its own options, and OpenAI's where there are none.
  const providers = dialect === 'openai' && options['azure'] !== undefined ? ['openai', 'azure'] : [dialect];
  for (const provider of providers) {
    options[provider] = { ...options[provider], deferLoading: true, ...(namespace ? { namespace } : {}) };
  }
  const words = keywords.length > 0 ? { description: `${description ?? ''}\n\nAlso: ${keywords.join(', ')}` } : {};
  return copyTool(tool as MastraTool, { ...words, providerOptions: options } as Partial<MastraTool>);
}

/** Makes a deferred copy eager, in place: Mastra has the copy by now, and reads its options when the request is made. */
export function sendEager(copy: object): void {
  const { providerOptions } = copy as { providerOptions?: unknown };
  for (const options of Object.values(asRecord(providerOptions) ?? {})) delete asRecord(options)?.['deferLoading'];
}

/** An eager copy of a deferred tool. */
export function eagerCopy<Tool extends { readonly providerOptions?: unknown }>(tool: Tool): Tool {
  const copy = { ...tool, providerOptions: copiedOptions(tool.providerOptions) };
  sendEager(copy);
  return copy;
}

/** A definition without breakpoints of a prompt cache, and not deferred: in mid-conversation there is no room for either. */
export function withoutCacheMarks<Tool extends { readonly providerOptions?: unknown }>(tool: Tool): Tool {
  if (tool.providerOptions === undefined) return tool;
  const copy = { ...tool, providerOptions: copiedOptions(tool.providerOptions, CACHE_MARKS) };
  sendEager(copy);
  return copy;
}

/** The options of each provider, in objects that nobody else has. */
function copiedOptions(providerOptions: unknown, leftOut: readonly string[] = []): Record<string, object> {
  const copies = Object.entries(asRecord(providerOptions) ?? {}).map(([provider, options]) => {
    const kept = Object.entries(asRecord(options) ?? {}).filter(([key]) => !leftOut.includes(key));
    return [provider, Object.fromEntries(kept)];
  });
  return Object.fromEntries(copies);
}
