/** What a conversation expects to be loaded: written anew from the documentation, not from the code. */
export class ExpectedLoads {
  readonly #most: number;
  /** In the order of the loads, over all requests. */
  #stored: readonly string[] = [];
  /** Names that the request has called or loaded, the latest last. */
  #used: readonly string[] = [];
  #isInCatalog: (name: string) => boolean = () => true;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * A request begins. What its catalog does not have waits for one that has; when that comes, something may have to go.
   *
   * @returns what is evicted.
   */
  begin(isInCatalog: (name: string) => boolean): readonly string[] {
    this.#isInCatalog = isInCatalog;
    this.#used = [];
    return this.#makeRoomFor(0);
  }

  get names(): readonly string[] {
    return this.#stored.filter((name) => this.#isInCatalog(name));
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** Of names that are used at once, the one that was loaded last is the latest. */
  use(...names: readonly string[]): void {
    const used = names.toSorted((first, second) => this.#stored.indexOf(first) - this.#stored.indexOf(second));
    this.#used = [...this.#used.filter((name) => !used.includes(name)), ...used];
  }

  /** @param names - in the catalog, and not loaded. */
  load(names: readonly string[]): { readonly loaded: readonly string[]; readonly evicted: readonly string[] } {
    const loaded = names.slice(0, this.#most);
    const evicted = this.#makeRoomFor(loaded.length);
    this.#stored = [...this.#stored, ...loaded];
    return { loaded, evicted };
  }

  unload(names: readonly string[]): void {
    this.#stored = this.#stored.filter((name) => !names.includes(name));
  }

  /** The least recently used go, those that were not used in this request in the order of their loads. */
  #makeRoomFor(count: number): readonly string[] {
    const { names } = this;
    const byUse = names.toSorted((first, second) => this.#used.indexOf(first) - this.#used.indexOf(second));
    const evicted = byUse.slice(0, Math.max(0, names.length + count - this.#most));
    this.unload(evicted);
    return evicted;
  }
}
