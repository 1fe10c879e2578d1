import {
  asRecord,
  type CatalogEntry,
  CROWD,
  clean,
  copyTool,
  crowds,
  inputJsonSchema,
  isProviderTool,
  type MastraTool,
  type NativeParts,
  type ResolvedNative,
  type Step,
  serverOf,
} from '../kit.ts';
import type { Dialect, Namespace } from './dialect.ts';

export interface Deferral {
  readonly dialect: Dialect;
  readonly namespace: Namespace | undefined;
  /** Keywords of the tool, for the provider's search. Empty if the provider does not search. */
  readonly keywords: readonly string[];
}

/** Breakpoints of a prompt cache. */
const CACHE_MARKS: readonly string[] = ['cacheControl', 'cache_control', 'cachePoint'];

/** Whether a tool can be deferred. A provider's own tool cannot: Mastra does not pass on its options. */
export function isDeferrable({ tool }: Pick<CatalogEntry, 'tool'>): boolean {
  return !isProviderTool(tool);
}

/** A new deferred copy of a tool, which {@link sendEager} may change in place. */
export function defer(tool: object, { dialect, namespace, keywords }: Deferral): object {
  const { providerOptions, description } = tool as { providerOptions?: unknown; description?: unknown };
  const options = copiedOptions(providerOptions, dialect.refusedOptions);
  const words = keywords.length > 0 ? { description: `${description ?? ''}\n\nAlso: ${keywords.join(', ')}` } : {};
  const deferred = { ...options, ...dialect.deferOptions(options, namespace) };
  return copyTool(tool as MastraTool, { ...words, providerOptions: deferred } as Partial<MastraTool>);
}

/** Makes a deferred copy eager, in place: Mastra already has it, and reads its options only for the request. */
export function sendEager<Copy extends object>(copy: Copy): Copy {
  const { providerOptions } = copy as { providerOptions?: unknown };
  for (const options of Object.values(asRecord(providerOptions) ?? {})) delete asRecord(options)?.['deferLoading'];
  return copy;
}

/** An eager copy of a deferred definition. */
export function eagerCopy<Tool extends { readonly providerOptions?: unknown }>(
  tool: Tool,
  leftOut: readonly string[] = [],
): Tool {
  return sendEager({ ...tool, providerOptions: copiedOptions(tool.providerOptions, leftOut) });
}

/**
 * A definition in the form for appending: with its own provider's options only, not deferred, and without breakpoints of a
 * prompt cache, which have no place in mid-conversation. So a tool's digest does not depend on how it was sent before.
 */
export function asAppended<Tool extends { readonly providerOptions?: unknown }>(tool: Tool, dialect: string): Tool {
  const { providerOptions: _, ...rest } = tool;
  const own = asRecord(asRecord(eagerCopy(tool, CACHE_MARKS).providerOptions)?.[dialect]) ?? {};
  return (Object.keys(own).length > 0 ? { ...rest, providerOptions: { [dialect]: own } } : rest) as Tool;
}

/** Copies of each provider's options, which may be changed. */
function copiedOptions(providerOptions: unknown, leftOut: readonly string[]): Record<string, object> {
  const copies = Object.entries(asRecord(providerOptions) ?? {}).map(([provider, options]) => {
    const kept = Object.entries(asRecord(options) ?? {}).filter(([key]) => !leftOut.includes(key));
    return [provider, Object.fromEntries(kept)];
  });
  return Object.fromEntries(copies);
}

const NO_PARAMETERS: Record<string, unknown> = { type: 'object', properties: {}, additionalProperties: false };

/** The parameters as the AI SDK completes them in a request. An unreadable schema is reported by the index instead. */
export function sentParameters(tool: object): unknown {
  try {
    const schema = asRecord(inputJsonSchema(tool)) ?? NO_PARAMETERS;
    const isEmpty = schema['type'] === 'object' && Object.keys(asRecord(schema['properties']) ?? {}).length === 0;
    return isEmpty && schema['additionalProperties'] === undefined
      ? { ...schema, additionalProperties: false }
      : schema;
  } catch {
    return NO_PARAMETERS;
  }
}

const MAX_NAME = 64;
const MAX_DESCRIPTION = 500;

export type NamespaceOfEntry = (entry: Pick<CatalogEntry, 'tool'>) => Namespace | undefined;

/**
 * Returns the namespaces of tools: those that the user's function names, or the groups if the provider searches. Each
 * call of the result serves one request: OpenAI refuses two descriptions of one name, so the first counts.
 */
export function namespacesOf(
  { namespace, execution }: ResolvedNative,
  groups: NativeParts['groups'],
): () => NamespaceOfEntry | undefined {
  const ofGroup = (tool: MastraTool): unknown => {
    const name = groups.of({ tool });
    const isServer = name !== '' && serverOf(tool) === name;
    return isServer ? { name, description: `Tools of the MCP server ${name}.` } : name;
  };
  const named = namespace || (namespace === undefined && execution === 'server' ? ofGroup : undefined);
  const cached = new WeakMap<object, Namespace | false>();
  return () => {
    if (!named) return undefined;
    const first = new Map<string, Namespace>();
    return ({ tool }) => {
      const own = cached.get(tool) ?? ask(named, tool);
      cached.set(tool, own);
      if (!own) return undefined;
      const known = first.get(own.name) ?? own;
      first.set(own.name, known);
      return known;
    };
  };
}

/** The cleaned answer of the user's function. False if the function throws or names no namespace. */
function ask(namespaceOf: (tool: MastraTool) => unknown, tool: MastraTool): Namespace | false {
  let given: unknown;
  try {
    given = namespaceOf(tool);
    // A rejection must not become an unhandled one.
    if (given instanceof Promise) given.catch(() => {});
  } catch {
    return false;
  }
  const title = typeof given === 'string' ? given : asRecord(given)?.['name'];
  if (typeof title !== 'string') return false;
  const name = title.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, MAX_NAME);
  if (name === '') return false;
  const own = asRecord(given)?.['description'];
  const description = typeof own === 'string' && own.trim() !== '' ? own : `Tools of ${title}.`;
  return { name, description: clean(description, MAX_DESCRIPTION) };
}

/** Reports each namespace of too many functions once. */
export function reportCrowded(
  entries: readonly CatalogEntry[],
  namespaceOf: NamespaceOfEntry,
  { problems }: Step['catalog'],
): void {
  for (const [name, size] of crowds(entries.flatMap((entry) => namespaceOf(entry)?.name ?? []))) {
    const message = `The namespace ${JSON.stringify(name)} has ${size} functions; OpenAI advises fewer than ${CROWD}. Split it with native.namespace.`;
    problems.once(name, 'crowded-namespace', () => message);
  }
}
