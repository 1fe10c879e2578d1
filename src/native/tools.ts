import {
  type CatalogEntry,
  CROWD,
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
import { asRecord } from '../util/record.ts';
import { clean } from '../util/text.ts';
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
 * Returns the namespaces of tools: their groups, if the provider searches. Each call of the result serves one request:
 * OpenAI refuses two descriptions of one name, so the first counts.
 */
export function namespacesOf(
  { execution }: ResolvedNative,
  groups: NativeParts['groups'],
): () => NamespaceOfEntry | undefined {
  const cached = new WeakMap<object, Namespace | false>();
  return () => {
    if (execution !== 'server') return undefined;
    const first = new Map<string, Namespace>();
    return ({ tool }) => {
      const own = cached.get(tool) ?? namespaceOf(tool, groups);
      cached.set(tool, own);
      if (!own) return undefined;
      const known = first.get(own.name) ?? own;
      first.set(own.name, known);
      return known;
    };
  };
}

/** The group of a tool as a namespace. False if the tool has no group. */
function namespaceOf(tool: MastraTool, groups: NativeParts['groups']): Namespace | false {
  const { name: group, description } = groups.describe(tool);
  const name = group.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, MAX_NAME);
  if (name === '') return false;
  const what = serverOf(tool) === group ? `the MCP server ${group}` : group;
  return { name, description: clean(description, MAX_DESCRIPTION) || `Tools of ${what}.` };
}

/** Reports each namespace of too many functions once. */
export function reportCrowded(
  entries: readonly CatalogEntry[],
  namespaceOf: NamespaceOfEntry,
  { problems }: Step['catalog'],
): void {
  for (const [name, size] of crowds(entries.flatMap((entry) => namespaceOf(entry)?.name ?? []))) {
    const message = `The namespace ${JSON.stringify(name)} has ${size} functions; OpenAI advises fewer than ${CROWD}. Split it with groups.`;
    problems.once(name, 'crowded-namespace', () => message);
  }
}
