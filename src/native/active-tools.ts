/** The lists that were made here, by which the next processor of an agent finds what stands behind one. */
const known = new WeakMap<readonly string[], ActiveTools>();

/**
 * The names of the tools that a native step shows, of those that it sends.
 *
 * Mastra filters the tools by this list last of all, when the model of the request is settled. A model that
 * `prepareStep` or a later processor chose may have no tool search, and would be sent the whole catalog: then what was
 * deferred is withheld by way of the list, which nothing else allows at that point. It works whether Mastra reads the
 * names or asks `includes`.
 */
export class ActiveTools {
  /** As it is returned to Mastra. */
  readonly list: string[] = [];
  readonly #names = new Set<string>();
  readonly #isRestricted: boolean;
  readonly #hidden = new Set<string>();
  /** By processor. */
  readonly #withheld = new Map<object, { readonly names: ReadonlySet<string>; readonly areListed: boolean }>();

  /**
   * Those of a step, with more names.
   *
   * @param callers - what the step received; absent where nobody restricted the tools. Then those that a later processor
   * adds are shown as well.
   * @param others - the names of the tools that the step received.
   */
  static of(callers: readonly string[] | undefined, others: Iterable<string>, added: Iterable<string>): ActiveTools {
    const tools = (callers && known.get(callers)) ?? new ActiveTools(callers !== undefined);
    for (const name of [...(callers ?? others), ...added]) tools.#names.add(name);
    for (const name of added) tools.#hidden.delete(name);
    tools.#fill();
    return tools;
  }

  private constructor(isRestricted: boolean) {
    this.#isRestricted = isRestricted;
    const includes = (name: string): boolean => this.#isShown(name) && (!this.#isRestricted || this.#names.has(name));
    // Also for the time that it takes: Mastra asks for each of perhaps thousands of tools.
    Object.defineProperty(this.list, 'includes', { value: includes });
    known.set(this.list, this);
  }

  /**
   * Shows all but these, as far as one processor is concerned.
   *
   * @param how - `'listed'` keeps the names in the list: whoever copies it may need them when the model changes.
   */
  withhold(processor: object, names: ReadonlySet<string>, how?: 'listed'): void {
    this.#withheld.set(processor, { names, areListed: how === 'listed' });
    this.#fill();
  }

  /** Shows these no more, unless a later processor adds one. */
  hide(names: readonly string[]): void {
    for (const name of names) this.#hidden.add(name);
    this.#fill();
  }

  #isShown(name: string): boolean {
    if (this.#hidden.has(name)) return false;
    for (const { names } of this.#withheld.values()) if (names.has(name)) return false;
    return true;
  }

  #isListed(name: string): boolean {
    if (this.#hidden.has(name)) return false;
    for (const { names, areListed } of this.#withheld.values()) if (!areListed && names.has(name)) return false;
    return true;
  }

  #fill(): void {
    this.list.length = 0;
    for (const name of this.#names) if (this.#isListed(name)) this.list.push(name);
  }
}

/** The caller's list with more names; the same list where it is one of a native step, which may still withhold some. */
export function extendActiveTools(callers: readonly string[], added: readonly string[]): string[] {
  return known.has(callers) ? ActiveTools.of(callers, [], added).list : [...new Set([...callers, ...added])];
}

/**
 * A list of all these names, which shows what a later processor adds, but none of the hidden.
 *
 * @param list - shows no others than it names; one that was made here is used on.
 */
export function withoutHidden(names: readonly string[], hidden: readonly string[], list?: string[]): string[] {
  const tools = (list && known.get(list)) ?? ActiveTools.of(list, names, []);
  tools.hide(hidden);
  return tools.list;
}
