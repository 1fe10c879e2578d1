import type { CatalogChanges, ToolChange } from '../../../workbench/changes.ts';
import type { InspectTool } from '../../data.ts';

/** An edit of a tool: the parts that differ from the catalog. */
export interface ToolEdit {
  readonly description?: string;
  readonly keywords?: readonly string[];
}

/** The changed tools, by name. */
export type Edits = ReadonlyMap<string, ToolEdit>;

/** Applies an edit to a tool. */
export function edited(tool: InspectTool, edit: ToolEdit | undefined): InspectTool {
  return edit ? { ...tool, ...edit } : tool;
}

/** Parses keywords typed into one field, separated by lines or commas. */
export function keywordsIn(text: string): readonly string[] {
  const words = text.split(/[\n,]/).map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ''))];
}

/** A store that keeps edits over a reload, and shares them with other tabs. */
export interface EditStore {
  read(): string | null;
  write(text: string): void;
}

/** Limit of changes that can be undone. */
const MAX_STEPS = 500;

/** The edits of the page with their undo history. All edits go through it. */
export class EditHistory {
  readonly #tools: ReadonlyMap<string, InspectTool>;
  readonly #store: EditStore | undefined;
  readonly #listeners = new Set<() => void>();
  #edits: Edits = new Map();
  #past: Edits[] = [];
  /** The field of the last change: consecutive changes of one field are undone together. */
  #field = '';

  constructor(tools: Iterable<InspectTool>, store?: EditStore) {
    this.#tools = new Map(Array.from(tools, (tool) => [tool.name, tool]));
    this.#store = store;
    this.#edits = this.#kept();
  }

  /** All edits: the same object until something changes. */
  get current(): Edits {
    return this.#edits;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  /** A tool with its edits. */
  tool(name: string): InspectTool | undefined {
    const tool = this.#tools.get(name);
    return tool && edited(tool, this.#edits.get(name));
  }

  /** Changes a part of a tool. A part that equals the catalog's again is no edit. */
  change(name: string, edit: ToolEdit): void {
    if (!this.#tools.has(name)) return;
    const field = `${name} ${Object.keys(edit).join(' ')}`;
    const edits = this.#differing([...this.#edits, [name, { ...this.#edits.get(name), ...edit }]]);
    if (field !== this.#field) this.#past = [...this.#past.slice(1 - MAX_STEPS), this.#edits];
    this.#set(edits);
    this.#field = field;
  }

  /** Adds a keyword to a tool. */
  addKeyword(name: string, word: string): void {
    this.seal();
    this.change(name, { keywords: [...new Set([...(this.tool(name)?.keywords ?? []), word])] });
    this.seal();
  }

  /** Reverts all edits of a tool, or of all tools. */
  revert(name?: string): void {
    const left = [...this.#edits].filter(([other]) => name !== undefined && other !== name);
    if (left.length === this.#edits.size) return;
    this.#past.push(this.#edits);
    this.#set(new Map(left));
  }

  /** Ends an undo step, as leaving a field does. */
  seal(): void {
    this.#field = '';
  }

  undo(): void {
    const edits = this.#past.pop();
    if (edits) this.#set(edits);
  }

  /** Loads the edits that another tab has written. */
  reload(): void {
    this.#set(this.#kept(), false);
  }

  /** The edits with the values before, for export. */
  changes(): CatalogChanges {
    const changes = Array.from(this.#edits, ([name, { description, keywords }]): [string, ToolChange] => {
      const tool = this.#tools.get(name);
      return [
        name,
        {
          ...(description === undefined
            ? {}
            : { description: { before: tool?.description ?? '', after: description } }),
          ...(keywords === undefined ? {} : { keywords: { before: tool?.keywords ?? [], after: keywords } }),
        },
      ];
    });
    return { changes: Object.fromEntries(changes) };
  }

  /** Calls a function after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(edits: Edits, isKept = true): void {
    this.#field = '';
    this.#edits = edits;
    if (isKept) this.#store?.write(JSON.stringify([...edits]));
    for (const listener of this.#listeners) listener();
  }

  /** Reads the stored edits, which may belong to another catalog, or be anything. */
  #kept(): Edits {
    try {
      const kept: unknown = JSON.parse(this.#store?.read() || '[]');
      return this.#differing(Array.isArray(kept) ? kept : []);
    } catch {
      return new Map();
    }
  }

  /** The edits of existing tools, without parts that equal the catalog. */
  #differing(edits: Iterable<readonly [name: string, edit: ToolEdit]>): Edits {
    const differing = Array.from(new Map(edits)).flatMap(([name, { description, keywords }]): [string, ToolEdit][] => {
      const tool = this.#tools.get(name);
      if (!tool) return [];
      const hasDescription = typeof description === 'string' && description !== tool.description;
      const words = JSON.stringify(keywords);
      const hasKeywords = Array.isArray(keywords) && words !== JSON.stringify(tool.keywords ?? []);
      const edit = { ...(hasDescription ? { description } : {}), ...(hasKeywords ? { keywords } : {}) };
      return hasDescription || hasKeywords ? [[name, edit]] : [];
    });
    return new Map(differing);
  }
}
