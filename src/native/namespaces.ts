import type { CatalogEntry } from '../catalog/entry.ts';
import type { MastraTool } from '../catalog/tool.ts';
import type { OpenAINamespace, OpenAINamespaceOf } from '../options/native.ts';
import { asRecord } from '../util/record.ts';
import { clean } from '../util/text.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 500;

/** The namespace of a tool of a request. */
export type NamespaceOfEntry = (entry: Pick<CatalogEntry, 'tool'>) => Required<OpenAINamespace> | undefined;

/** The namespaces of tools. */
export class Namespaces {
  readonly #namespaceOf: OpenAINamespaceOf;
  readonly #known = new WeakMap<object, Required<OpenAINamespace> | false>();

  constructor(namespaceOf: OpenAINamespaceOf) {
    this.#namespaceOf = namespaceOf;
  }

  /** Undefined for a tool without one. A function that throws has told none. */
  of({ tool }: Pick<CatalogEntry, 'tool'>): Required<OpenAINamespace> | undefined {
    const known = this.#known.get(tool) ?? this.#ask(tool) ?? false;
    this.#known.set(tool, known);
    return known || undefined;
  }

  /** Those of the tools of one request: two descriptions of one name would be refused, so the first counts. */
  ofRequest(): NamespaceOfEntry {
    const first = new Map<string, Required<OpenAINamespace>>();
    return (entry) => {
      const own = this.of(entry);
      if (!own) return undefined;
      const namespace = first.get(own.name) ?? own;
      first.set(own.name, namespace);
      return namespace;
    };
  }

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
