/**
 * Two ways to keep a tool from a model after the step was prepared. By then Mastra has the tools and the list of active
 * tools, and reads both again when it makes the request. {@link ActiveTools}: Mastra asks the list itself for every tool, so
 * it is a real array with an `includes` of its own. {@link hideTool}: Mastra keeps what is no tool of its own as it is,
 * and it can change until the request is made.
 *
 * @module
 */
import { isMastraTool } from '../catalog/tool.ts';

/** Maps an `activeTools` array to its ActiveTools, so that a second processor can extend it. */
const lists = new WeakMap<readonly string[], ActiveTools>();

/**
 * The names of the tools that a step shows, of those that it sends.
 *
 * Mastra applies this list last, when the model of the request is known. `prepareStep` or a later processor may have
 * chosen a model without tool search. The list then hides the deferred tools; without it, that model would be sent the
 * whole catalog.
 */
export class ActiveTools {
  /** As it is returned to Mastra. */
  readonly list: string[] = [];
  #names = new Set<string>();
  #isRestricted: boolean;
  /** A copy of the list as this class last wrote or read it: a difference is another processor's change. */
  #written: string[] = [];
  /** Whether the list was compared in this turn of the event loop. */
  #isCompared = false;
  /** Hidden names, by who hides them. */
  readonly #hiddenBy = new Map<object, { readonly names: Set<string>; readonly areListed: boolean }>();

  /**
   * The names of a step that received these others, with more names.
   *
   * @param callers - the list that the step received; absent where nobody restricted the tools. Then tools that a later
   * processor adds are shown as well.
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
    // Faster than an array's own, too: Mastra asks for each of perhaps thousands of tools.
    // Configurable: whoever returns a proxy of the list with a method of its own must not end the run.
    Object.defineProperty(this.list, 'includes', { value: includes, configurable: true, writable: true });
    lists.set(this.list, this);
  }

  /**
   * Hides these names, and no others for the same key, unless a later processor adds one.
   *
   * @param how - `'listed'` keeps the names in the list: whoever copies it may need them when the model changes.
   */
  hide(key: object, names: Iterable<string>, how?: 'listed'): void {
    this.#noteChanges();
    this.#hiddenBy.set(key, { names: new Set(names), areListed: how === 'listed' });
    this.#fill();
  }

  /**
   * Notices what a later processor or `prepareStep` changed in the list itself. From then on it shows no others than it
   * names. Mastra asks for all tools in one go: the list is compared once.
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

/** The caller's list with more names: the same list where it was made here, which may still hide some of them. */
export function extendActiveTools(callers: readonly string[], added: readonly string[]): string[] {
  return lists.has(callers) ? ActiveTools.of(callers, [], added).list : [...new Set([...callers, ...added])];
}

/** A list of all these names, or of those of `list`, which shows what a later processor adds, but none of the hidden names. */
export function withoutHidden(names: readonly string[], hidden: readonly string[], list?: string[]): string[] {
  const tools = (list && lists.get(list)) ?? ActiveTools.of(list, names, []);
  tools.hide(hidden, hidden);
  return tools.list;
}

/** A fake provider-defined tool. Provider packages drop unknown ids, so it is never sent; the spaces keep a model from calling it. */
const HIDDEN = { type: 'provider-defined', id: 'mastra-tool-search.a tool that is not sent', args: {} };

/**
 * Hides a tool that Mastra has by now, in place, until {@link showTool}. Does nothing to a tool that Mastra has yet to
 * convert: the conversion is a copy. Converted tools belong to one run, so that no other run loses the tool.
 */
export function hideTool(tool: object): void {
  if (isMastraTool(tool)) return;
  const { type, id } = tool as { readonly type?: unknown; readonly id?: unknown };
  Object.assign(tool, { ...HIDDEN, shown: { type, id } });
}

/** Whether a tool of a request is a hidden one: a list of active tools that was made elsewhere may name it. */
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
