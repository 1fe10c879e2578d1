import type { CatalogChanges, ToolChange } from '../../../workbench/changes.ts';
import type { InspectTool } from '../../data.ts';

/** What was changed of a tool: the parts that differ from the catalog's. */
export interface ToolEdit {
  readonly description?: string;
  readonly keywords?: readonly string[];
}

/** The changed tools, by name. */
export type Edits = ReadonlyMap<string, ToolEdit>;

/** A tool with what was changed of it. */
export function edited(tool: InspectTool, edit: ToolEdit | undefined): InspectTool {
  return edit ? { ...tool, ...edit } : tool;
}

/** Words as they are typed into one field: each on a line, or behind a comma. */
export function keywordsIn(text: string): readonly string[] {
  const words = text.split(/[\n,]/).map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ''))];
}

/** Where edits are kept over a reload, and shared with other tabs. */
export interface EditStore {
  read(): string | null;
  write(text: string): void;
}

/** Changes that can be taken back. */
const MAX_STEPS = 500;

/** The edits of the page, and how they came about. What is changed here is nowhere else changed. */
export class EditHistory {
  readonly #tools: ReadonlyMap<string, InspectTool>;
  readonly #store: EditStore | undefined;
  readonly #listeners = new Set<() => void>();
  #edits: Edits = new Map();
  #past: Edits[] = [];
  /** The field of the last change: what is typed into one field is taken back at once. */
  #field = '';

  constructor(tools: Iterable<InspectTool>, store?: EditStore) {
    this.#tools = new Map(Array.from(tools, (tool) => [tool.name, tool]));
    this.#store = store;
    this.#edits = this.#kept();
  }

  /** All edits: one object as long as nothing changes. */
  get current(): Edits {
    return this.#edits;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  /** A tool as it is now. */
  tool(name: string): InspectTool | undefined {
    const tool = this.#tools.get(name);
    return tool && edited(tool, this.#edits.get(name));
  }

  /** Changes a part of a tool. One that is as it was before is no edit any more. */
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

  /** Takes back all edits of a tool, or of all tools. */
  revert(name?: string): void {
    const left = [...this.#edits].filter(([other]) => name !== undefined && other !== name);
    if (left.length === this.#edits.size) return;
    this.#past.push(this.#edits);
    this.#set(new Map(left));
  }

  /** Ends what is taken back at once, as leaving a field does. */
  seal(): void {
    this.#field = '';
  }

  undo(): void {
    const edits = this.#past.pop();
    if (edits) this.#set(edits);
  }

  /** Takes what another tab has written. */
  reload(): void {
    this.#set(this.#kept(), false);
  }

  /** The edits with what stood there before, as they are taken home. */
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

  /** What is kept from before. It may be of another catalog, or anything. */
  #kept(): Edits {
    try {
      const kept: unknown = JSON.parse(this.#store?.read() || '[]');
      return this.#differing(Array.isArray(kept) ? kept : []);
    } catch {
      return new Map();
    }
  }

  /** The edits of tools that there are, without what is as it was. */
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
