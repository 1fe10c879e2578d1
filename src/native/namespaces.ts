import type { CatalogEntry } from '../catalog/entry.ts';
import type { MastraTool } from '../catalog/tool.ts';
import { mapToolParts, type Prompt, type ToolPart, toolPartsIn } from '../loaded/conversation/prompt.ts';
import { namespacesFound, OPENAI_SEARCH } from '../loaded/conversation/provider-searches.ts';
import type { NativeModel, OpenAINamespace, OpenAINamespaceOf } from '../options/native.ts';
import { asRecord } from '../util/record.ts';
import { clean } from '../util/text.ts';
import { isForgottenSearch } from './readable.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 500;

/** The namespace of a tool of a request. */
export type NamespaceOfEntry = (entry: Pick<CatalogEntry, 'tool'>) => Required<OpenAINamespace> | undefined;

/** The namespaces of tools. */
export class Namespaces {
  readonly #namespaceOf: OpenAINamespaceOf;
  /** Answers of the function; false for none. */
  readonly #cached = new WeakMap<object, Required<OpenAINamespace> | false>();

  constructor(namespaceOf: OpenAINamespaceOf) {
    this.#namespaceOf = namespaceOf;
  }

  /** The namespaces of the tools of one request: OpenAI refuses two descriptions of one name, so the first counts. */
  ofRequest(): NamespaceOfEntry {
    const first = new Map<string, Required<OpenAINamespace>>();
    return ({ tool }) => {
      const own = this.#of(tool);
      if (!own) return undefined;
      const namespace = first.get(own.name) ?? own;
      first.set(own.name, namespace);
      return namespace;
    };
  }

  #of(tool: MastraTool): Required<OpenAINamespace> | undefined {
    const namespace = this.#cached.get(tool) ?? this.#ask(tool) ?? false;
    this.#cached.set(tool, namespace);
    return namespace || undefined;
  }

  /** The answer of the function, cleaned; a function that throws has told none. */
  #ask(tool: MastraTool): Required<OpenAINamespace> | undefined {
    let told: unknown;
    try {
      told = this.#namespaceOf(tool);
      // A rejection must not become an unhandled one.
      if (told instanceof Promise) told.catch(() => {});
    } catch {
      return undefined;
    }
    const title = typeof told === 'string' ? told : asRecord(told)?.['name'];
    if (typeof title !== 'string') return undefined;
    const name = title.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, MAX_NAME);
    if (name === '') return undefined;
    const own = asRecord(told)?.['description'];
    const description = typeof own === 'string' && own.trim() !== '' ? own : `Tools of ${title}.`;
    return { name, description: clean(description, MAX_DESCRIPTION) };
  }
}

/** What a step sent, as far as namespaces need it. */
interface SentTools {
  readonly deferred: ReadonlySet<string>;
  /** The name of the namespace in which a tool of the catalog is sent. */
  namespaceOf(name: string): string | undefined;
}

/**
 * Names the namespace in calls of tools that a search before them has loaded, or that are sent eager in a namespace:
 * OpenAI refuses such calls without. Another model made them, or OpenAI's while the tool stood elsewhere.
 *
 * @param eager - the tools of the catalog that are sent so.
 * @returns the same prompt where no call lacks it.
 */
export function withNamespaces(prompt: Prompt, sent: SentTools, model: unknown, eager: Iterable<string>): Prompt {
  const provider = optionsName(model);
  const noteOf = (part: ToolPart) => asRecord(asRecord(part.providerOptions)?.[provider]);
  const calls = callsInNamespaces(prompt, sent, eager);
  const missing = new Map([...calls].filter(([part]) => typeof noteOf(part)?.['namespace'] !== 'string'));
  if (missing.size === 0) return prompt;
  return mapToolParts(prompt, (part) => {
    const namespace = missing.get(part);
    if (namespace === undefined) return part;
    return {
      ...part,
      providerOptions: { ...asRecord(part.providerOptions), [provider]: { ...noteOf(part), namespace } },
    };
  });
}

/** The tools that a prompt calls in namespaces. */
export function calledInNamespaces(prompt: Prompt, sent: SentTools): ReadonlySet<string> {
  return new Set([...callsInNamespaces(prompt, sent, []).keys()].map(({ toolName }) => toolName));
}

/** The calls that OpenAI wants a namespace in, each with its name. */
function callsInNamespaces(prompt: Prompt, sent: SentTools, eager: Iterable<string>): ReadonlyMap<ToolPart, string> {
  const searches = new Map<string, unknown>();
  const loaded = new Map<string, string>();
  const calls = new Map<ToolPart, string>();
  let isForgotten = false;
  for (const name of eager) {
    const namespace = sent.namespaceOf(name);
    if (namespace !== undefined) loaded.set(name, namespace);
  }
  for (const part of toolPartsIn(prompt)) {
    const { type, toolName, toolCallId, input, output } = part;
    if (type === 'tool-call') {
      if (toolName === OPENAI_SEARCH) searches.set(toolCallId, input);
      const unknown = isForgotten && sent.deferred.has(toolName) ? (sent.namespaceOf(toolName) ?? toolName) : undefined;
      const namespace = loaded.get(toolName) ?? unknown;
      if (namespace !== undefined) calls.set(part, namespace);
    } else if (searches.has(toolCallId)) {
      const found = output?.type === 'json' ? output.value : undefined;
      for (const [name, namespace] of namespacesFound(found)) if (!loaded.has(name)) loaded.set(name, namespace);
      isForgotten ||= isForgottenSearch(toolName, searches.get(toolCallId), found);
    }
  }
  return calls;
}

/** The key under which the package of a model reads what belongs to its provider. */
function optionsName(model: unknown): 'azure' | 'openai' {
  const { provider } = (model ?? {}) as NativeModel;
  return typeof provider === 'string' && provider.includes('azure') ? 'azure' : 'openai';
}
