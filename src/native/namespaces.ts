import {
  asRecord,
  type Catalog,
  type CatalogEntry,
  CROWD,
  clean,
  crowds,
  type MastraTool,
  type OpenAINamespace,
  type OpenAINamespaceOf,
} from '../kit.ts';

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

  /** The cleaned answer of the function; none where it throws. */
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

/** Reports namespaces of too many functions, each once. */
export function reportCrowded(
  entries: Iterable<CatalogEntry>,
  namespaceOf: NamespaceOfEntry,
  { problems }: Catalog,
): void {
  for (const [name, size] of crowds([...entries].flatMap((entry) => namespaceOf(entry)?.name ?? []))) {
    const message = `The namespace ${JSON.stringify(name)} has ${size} functions; OpenAI advises fewer than ${CROWD}. Split it with native.namespace.`;
    problems.once(name, 'crowded-namespace', () => message);
  }
}
