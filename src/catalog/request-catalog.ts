import { isTool } from '../mastra/tool.ts';
import type { Catalog } from './catalog.ts';

/** The tools a request brought along, split by whether they are searched for or sent. */
export interface RequestTools {
  readonly catalog: Catalog;
  /** Sent on every step, in the order they came. */
  readonly resident: Readonly<Record<string, unknown>>;
}

/** What a request had in its last step. */
interface View extends RequestTools {
  readonly base: Catalog;
  readonly tools: object;
}

/** Makes the catalog view of a request, once over all its steps as long as its tools stay the same. */
export class RequestCatalogs {
  readonly #isSearchable: ((tool: unknown) => boolean) | undefined;
  readonly #views = new WeakMap<object, View>();

  /** @param isSearchable - absent without `includeResolvedTools`: then every tool of the request is resident. */
  constructor(isSearchable?: (tool: unknown) => boolean) {
    this.#isSearchable = isSearchable;
  }

  /**
   * @param request - any object that stands for the request, over all its steps.
   * @param base - what can be searched besides.
   * @param tools - another object where they are not the same as before.
   */
  of(request: object, base: Catalog, tools: Readonly<Record<string, unknown>>): RequestTools {
    const isSearchable = this.#isSearchable;
    if (!isSearchable) return { catalog: base, resident: tools };
    const known = this.#views.get(request);
    if (known?.tools === tools && known.base === base) return known;
    const searchable: [string, unknown][] = [];
    const others: [string, unknown][] = [];
    for (const entry of Object.entries(tools)) {
      const [, tool] = entry;
      (isTool(tool) && isSearchable(tool) ? searchable : others).push(entry);
    }
    // Also for a tool that is called "__proto__".
    const resident = Object.fromEntries(others);
    const catalog = searchable.length > 0 ? base.withResolved(Object.fromEntries(searchable)) : base;
    const view: View = { catalog, resident, base, tools };
    this.#views.set(request, view);
    return view;
  }
}
