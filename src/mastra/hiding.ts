/**
 * Two ways to hide a tool from a model after the step was prepared. By then Mastra has the tools and the `activeTools`
 * array, and reads both again when it makes the request. {@link ActiveTools}: Mastra calls `includes` of the array for every
 * tool, so the array has an `includes` of its own. {@link hideTool}: Mastra keeps a converted tool by reference, so that
 * the tool can be changed until the request is made.
 *
 * @module
 */
import { isMastraTool } from '../catalog/tool.ts';

/** Maps an `activeTools` array to its ActiveTools, so that a second processor can extend it. */
const lists = new WeakMap<readonly string[], ActiveTools>();

/**
 * The names of the tools that a step shows to the model: a part of those that it sends.
 *
 * Mastra applies this list last, when the model of the request is known. `prepareStep` or a later processor may have
 * chosen a model without tool search. The list then hides the deferred tools; without it, that model would be sent the
 * whole catalog.
 */
export class ActiveTools {
  /** The `activeTools` array that Mastra receives. */
  readonly list: string[] = [];
  #names = new Set<string>();
  #isRestricted: boolean;
  /** A copy of the list as this class last wrote or read it: a difference is another processor's change. */
  #written: string[] = [];
  /** Whether the list was compared in this turn of the event loop. */
  #isCompared = false;
  /** Hidden names, by the key of whoever hides them. */
  readonly #hiddenBy = new Map<object, { readonly names: Set<string>; readonly areListed: boolean }>();

  /**
   * Lists the names of a step: `callers`, or `others` if `callers` is absent, and `added`.
   *
   * @param callers - the list that the step received; absent if the tools are not restricted. Tools that a later
   * processor adds are then shown as well.
   */
  static of(callers: readonly string[] | undefined, others: Iterable<string>, added: Iterable<string>): ActiveTools {
    const tools = (callers && lists.get(callers)) ?? new ActiveTools(callers !== undefined);
    tools.#noteChanges();
    for (const name of [...(callers ?? others), ...added]) tools.#names.add(name);
    for (const { names } of tools.#hiddenBy.values()) for (const name of added) names.delete(name);
    tools.#fill();
    return tools;
  }

  private constructor(isRestricted: boolean) {
    this.#isRestricted = isRestricted;
    const includes = (name: string): boolean => {
      this.#noteChanges();
      return this.#isShown(name) && (!this.#isRestricted || this.#names.has(name));
    };
    // Also faster than an array's own `includes`: Mastra may call it for thousands of tools.
    // Configurable, because a Proxy of the list that replaces `includes` would otherwise throw.
    Object.defineProperty(this.list, 'includes', { value: includes, configurable: true, writable: true });
    lists.set(this.list, this);
  }

  /**
   * Hides these names, in place of those that the key hid before. A name that a later processor adds is shown again.
   *
   * @param how - `'listed'` keeps the names in the array: a copy of the array may need them when the model changes.
   */
  hide(key: object, names: Iterable<string>, how?: 'listed'): void {
    this.#noteChanges();
    this.#hiddenBy.set(key, { names: new Set(names), areListed: how === 'listed' });
    this.#fill();
  }

  /**
   * Notices what a later processor or `prepareStep` changed in the array. From then on only names in the array are shown.
   * Mastra asks for all tools synchronously, so the array is compared once for all of them.
   */
  #noteChanges(): void {
    const { list } = this;
    const isResized = list.length !== this.#written.length;
    if (this.#isCompared && !isResized) return;
    this.#isCompared = true;
    queueMicrotask(() => {
      this.#isCompared = false;
    });
    if (!isResized && this.#written.every((name, at) => name === list[at])) return;
    this.#names = new Set(list);
    this.#written = [...list];
    this.#isRestricted = true;
  }

  #isShown(name: string, isInList = false): boolean {
    for (const { names, areListed } of this.#hiddenBy.values()) {
      if (names.has(name) && !(isInList && areListed)) return false;
    }
    return true;
  }

  #fill(): void {
    this.list.length = 0;
    for (const name of this.#names) if (this.#isShown(name, true)) this.list.push(name);
    this.#written = [...this.list];
  }
}

/** The caller's list with more names. A list of ActiveTools is extended in place, and still hides its other hidden names. */
export function extendActiveTools(callers: readonly string[], added: readonly string[]): string[] {
  return lists.has(callers) ? ActiveTools.of(callers, [], added).list : [...new Set([...callers, ...added])];
}

/**
 * Returns a list that shows the names in `list`, or else `names`, and hides `hidden`. Without `list`, it also shows
 * tools that later processors add.
 */
export function withoutHidden(names: readonly string[], hidden: readonly string[], list?: string[]): string[] {
  const tools = (list && lists.get(list)) ?? ActiveTools.of(list, names, []);
  tools.hide(hidden, hidden);
  return tools.list;
}

/** A fake provider-defined tool. Provider packages drop unknown ids, so it is never sent; the spaces keep a model from calling it. */
const HIDDEN = { type: 'provider-defined', id: 'mastra-tool-search.a tool that is not sent', args: {} };

/**
 * Hides a tool that Mastra already has, in place, until {@link showTool}. A tool that Mastra has yet to convert is left
 * alone: the conversion would copy it. A converted tool belongs to one run, so that no other run loses it.
 */
export function hideTool(tool: object): void {
  if (isMastraTool(tool)) return;
  const { type, id } = tool as { readonly type?: unknown; readonly id?: unknown };
  Object.assign(tool, { ...HIDDEN, shown: { type, id } });
}

/** Whether a tool of a request is hidden: an `activeTools` array that was made elsewhere may still name the tool. */
export function isHidden({ id }: { readonly id?: string }): boolean {
  return id === HIDDEN.id;
}

/** Shows a hidden tool again. */
export function showTool(tool: object): void {
  const hidden = tool as { shown?: object; args?: unknown };
  if (!hidden.shown) return;
  Object.assign(hidden, hidden.shown);
  delete hidden.shown;
  delete hidden.args;
}
