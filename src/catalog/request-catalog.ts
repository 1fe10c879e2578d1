import { isTool } from '../mastra/tool.ts';
import type { Catalog } from './catalog.ts';

/** The tools a request brought along, split by whether they are searched for or sent. */
export interface RequestTools {
  readonly catalog: Catalog;
  /** Sent on every step, in the order they came. */
  readonly resident: Readonly<Record<string, unknown>>;
}

/** Makes the catalog view of a request, once over all its steps as long as its tools stay the same. */
export class RequestCatalogs {
  readonly #base: Catalog;
  readonly #isSearchable: ((tool: unknown) => boolean) | undefined;
  readonly #views = new WeakMap<object, { searchable: Record<string, unknown>; catalog: Catalog }>();

  /** @param isSearchable - absent without `includeResolvedTools`: then every tool of the request is resident. */
  constructor(base: Catalog, isSearchable?: (tool: unknown) => boolean) {
    this.#base = base;
    this.#isSearchable = isSearchable;
  }

  /** @param request - any object that stands for the request, over all its steps. */
  of(request: object, tools: Readonly<Record<string, unknown>>): RequestTools {
    if (!this.#isSearchable) return { catalog: this.#base, resident: tools };
    const searchable: Record<string, unknown> = {};
    const resident: Record<string, unknown> = {};
    for (const [name, tool] of Object.entries(tools)) {
      const target = isTool(tool) && this.#isSearchable(tool) ? searchable : resident;
      target[name] = tool;
    }
    return { catalog: this.#view(request, searchable), resident };
  }

  #view(request: object, searchable: Record<string, unknown>): Catalog {
    const known = this.#views.get(request);
    if (known && areSame(known.searchable, searchable)) return known.catalog;
    const catalog = Object.keys(searchable).length === 0 ? this.#base : this.#base.withResolved(searchable);
    this.#views.set(request, { searchable, catalog });
    return catalog;
  }
}

function areSame(first: Record<string, unknown>, second: Record<string, unknown>): boolean {
  const names = Object.keys(first);
  return names.length === Object.keys(second).length && names.every((name) => first[name] === second[name]);
}
