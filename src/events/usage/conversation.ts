/** A search, as far as it came. */
export interface Search {
  isLoaded: boolean;
  isCalled: boolean;
}

/** What is remembered of one conversation, to tell what became of searches and loads. Everything by the names of tools. */
export class Conversation {
  /** Runs whose last search led to neither a load nor a call so far. */
  readonly open: Set<string> = new Set();
  /** The last search that returned a tool. */
  readonly shown: Map<string, Search> = new Map();
  /** Loaded tools, and whether each was called since. */
  readonly loaded: Map<string, boolean> = new Map();
  /** Tools that a search returned and loaded at once, or returned without a load, and that nobody has called. */
  readonly direct: Set<string> = new Set();
  /** Tools that the run began with and nobody has called, with the turns that a call of theirs saves. */
  readonly preselected: Map<string, number> = new Map();

  /** A search that was answered returned these. */
  returned(names: readonly string[]): void {
    const search: Search = { isLoaded: false, isCalled: false };
    for (const name of names) {
      this.shown.set(name, search);
      this.preselected.delete(name);
      if (!this.loaded.has(name)) this.direct.add(name);
    }
  }
}
