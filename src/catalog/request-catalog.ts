import type { Catalog } from './catalog.ts';
import { isTool } from './tool.ts';

/** The tools a request brought along, split by whether they are searched for or sent. */
export interface RequestTools {
  readonly catalog: Catalog;
  /** Sent on every step, in the order they came. */
  readonly resident: Readonly<Record<string, unknown>>;
}

type Tools = Readonly<Record<string, unknown>>;
type Named = readonly (readonly [name: string, tool: unknown])[];

/** What a request had in its last step. */
interface View extends RequestTools {
  readonly base: Catalog;
  readonly tools: object;
}

/** Makes the catalog view of a request, once over all its steps as long as its tools stay the same. */
export class RequestCatalogs {
  readonly #isIncluded: boolean;
  readonly #isHandled: (tool: unknown) => boolean;
  readonly #reservedNames: readonly string[];
  readonly #views = new WeakMap<object, View>();

  /**
   * @param isIncluded - whether the tools of requests are searched; else all of them are resident.
   * @param isHandled - whether a processor handed a tool over or sent it, which comes and goes.
   */
  constructor(isIncluded: boolean, isHandled: (tool: unknown) => boolean, reservedNames: readonly string[]) {
    this.#isIncluded = isIncluded;
    this.#isHandled = isHandled;
    this.#reservedNames = reservedNames;
  }

  /**
   * @param request - any object that stands for the request, over all its steps.
   * @param base - what can be searched besides.
   * @param tools - another object where they are not the same as before.
   */
  of(request: object, base: Catalog, tools: Tools): RequestTools {
    const known = this.#views.get(request);
    if (known?.tools === tools && known.base === base) return known;
    const own = Object.entries(tools).filter(([, tool]) => isTool(tool) && !this.#isHandled(tool));
    const split = this.#isIncluded ? this.#searched(base, tools, own) : this.#sent(base, tools, own);
    const view: View = { ...split, base, tools };
    this.#views.set(request, view);
    return view;
  }
  #sent(base: Catalog, tools: Tools, own: Named): RequestTools {
    base.noteSentAnyway(own);
    return { catalog: base.without(own.map(([name]) => name)), resident: tools };
  }

  #searched(base: Catalog, tools: Tools, own: Named): RequestTools {
    const searchable = Object.fromEntries(own);
    const resident = Object.fromEntries(Object.entries(tools).filter(([name]) => !Object.hasOwn(searchable, name)));
    const isTaken = (name: string): boolean => Object.hasOwn(resident, name) || this.#reservedNames.includes(name);
    return { catalog: own.length === 0 ? base : base.withResolved(searchable, isTaken), resident };
  }
}
