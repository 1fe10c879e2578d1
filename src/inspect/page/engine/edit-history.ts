import type { InspectTool } from '../../data.ts';
import { differing, type Edits, edited, type ToolEdit } from './edits.ts';

/** Changes that can be taken back. */
const MAX_STEPS = 500;

/** The edits of the page, and how they came about. What is changed here is nowhere else changed. */
export class EditHistory {
  readonly #tools: ReadonlyMap<string, InspectTool>;
  readonly #listeners = new Set<() => void>();
  #edits: Edits = new Map();
  #past: Edits[] = [];
  #future: Edits[] = [];
  /** The field of the last change: what is typed into one field is taken back at once. */
  #field = '';

  constructor(tools: Iterable<InspectTool>) {
    this.#tools = new Map(Array.from(tools, (tool) => [tool.name, tool]));
  }

  /** All edits: one object as long as nothing changes. */
  get current(): Edits {
    return this.#edits;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** A tool as it is now. */
  tool(name: string): InspectTool | undefined {
    const tool = this.#tools.get(name);
    return tool && edited(tool, this.#edits.get(name));
  }

  /** A tool as the catalog has it. */
  original(name: string): InspectTool | undefined {
    return this.#tools.get(name);
  }

  /** Changes a part of a tool. One that is as it was before is no edit any more. */
  change(name: string, edit: ToolEdit): void {
    const tool = this.#tools.get(name);
    if (!tool) return;
    const next = differing(tool, { ...this.#edits.get(name), ...edit });
    const edits = new Map(this.#edits);
    if (next) edits.set(name, next);
    else edits.delete(name);
    const field = `${name} ${Object.keys(edit).join(' ')}`;
    this.#take(edits, field === this.#field);
    this.#field = field;
  }

  /** Takes back all edits of a tool. */
  revert(name: string): void {
    if (!this.#edits.has(name)) return;
    const edits = new Map(this.#edits);
    edits.delete(name);
    this.#take(edits, false);
    this.#field = '';
  }

  /** Ends what is taken back at once, as leaving a field does. */
  seal(): void {
    this.#field = '';
  }

  undo(): void {
    const before = this.#past.pop();
    if (!before) return;
    this.#future.push(this.#edits);
    this.#set(before);
  }

  redo(): void {
    const after = this.#future.pop();
    if (!after) return;
    this.#past.push(this.#edits);
    this.#set(after);
  }

  /** Calls a function after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #take(edits: Edits, isSameStep: boolean): void {
    if (!isSameStep) this.#past = [...this.#past.slice(1 - MAX_STEPS), this.#edits];
    this.#future = [];
    this.#set(edits, false);
  }

  #set(edits: Edits, isSealed = true): void {
    if (isSealed) this.#field = '';
    this.#edits = edits;
    for (const listener of this.#listeners) listener();
  }
}
