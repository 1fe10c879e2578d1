import {
  type CatalogEntry,
  inSlices,
  invalidOption,
  type ListedTool,
  listedTools,
  type MemoryCatalog,
  nextTurn,
  type Reporter,
  readCatalog,
  repairName,
  sentencesOf,
  type ToolDocument,
  withoutBoilerplate,
} from '../kit.ts';
import { SeenNames } from './seen-names.ts';
import { SentenceSketch } from './sentence-sketch.ts';
import { listedItem } from './stored-tool.ts';

const NAMELESS = 'It has no name. Each tool of a list is an object with a "name", or a tool with an "id".';

/** A tool that was read. */
export interface ReadTool {
  readonly entry: CatalogEntry;
  /** Its description without the sentences that many tools have in common. */
  readonly document: ToolDocument;
}

/** Reads the tools that `sync` is given, in batches. */
export class ToolReader {
  readonly #keywords: ReadonlyMap<string, readonly string[]>;
  readonly #reporter: Reporter;
  readonly #batchSize: number;
  /** The names of the tools that were read. */
  readonly seen: SeenNames = new SeenNames();

  constructor(keywords: ReadonlyMap<string, readonly string[]>, reporter: Reporter, batchSize: number) {
    this.#keywords = keywords;
    this.#reporter = reporter;
    this.#batchSize = batchSize;
  }

  /**
   * Reads a record or a list wholly, so that what many tools say is known of all of them; an iterable in batches, of which
   * no more than one is held.
   */
  read(tools: unknown): AsyncIterable<readonly ReadTool[]> {
    if (Array.isArray(tools)) return this.#readWhole(tools.map(listedItem));
    if (isIterable(tools)) return this.#readOn(tools);
    return this.#readWhole(listedTools(tools));
  }

  async *#readWhole(tools: readonly ListedTool[]): AsyncIterable<readonly ReadTool[]> {
    const catalog = this.#catalogOf(tools);
    const entries = this.#unseen(catalog);
    const documents: ToolDocument[] = [];
    for (const entry of entries) {
      if (documents.push(catalog.readDocument(entry)) % this.#batchSize === 0) await nextTurn();
    }
    const distinctive = await inSlices(withoutBoilerplate(documents));
    for (let start = 0; start < entries.length; start += this.#batchSize) {
      yield entries
        .slice(start, start + this.#batchSize)
        .map((entry, at) => ({ entry, document: distinctive[start + at] as ToolDocument }));
    }
  }

  async *#readOn(tools: AsyncIterable<unknown> | Iterable<unknown>): AsyncIterable<readonly ReadTool[]> {
    const sentences = new SentenceSketch();
    const readBatch = (items: readonly unknown[]): readonly ReadTool[] => {
      const catalog = this.#catalogOf(items.map(listedItem));
      return this.#unseen(catalog).map((entry) => {
        const document = catalog.readDocument(entry);
        const all = sentencesOf(document);
        sentences.add(all);
        const told = sentences.distinctive(all);
        return {
          entry,
          document: told.length === all.length ? document : { ...document, description: told.join('\n') },
        };
      });
    };
    let items: unknown[] = [];
    for await (const item of tools) {
      if (items.push(item) < this.#batchSize) continue;
      yield readBatch(items);
      items = [];
    }
    if (items.length > 0) yield readBatch(items);
  }

  #catalogOf(tools: readonly ListedTool[]): MemoryCatalog {
    return readCatalog(tools, {
      ...{ keywords: this.#keywords, reporter: this.#reporter },
      onRefused: ({ message }, name) => this.#leaveOut(name, name === '' ? NAMELESS : message),
    });
  }

  #leaveOut(toolName: string, reason: string): void {
    const message = `Tool ${JSON.stringify(toolName)} is left out: ${reason}`;
    this.#reporter.report({ type: 'tool-problem', toolName, problem: 'left-out', message });
  }

  /** The entries of a catalog whose names no batch before had. */
  #unseen(catalog: MemoryCatalog): CatalogEntry[] {
    return [...catalog.entries].flatMap((entry) => {
      const { originalName } = entry;
      // A refused name is repaired in another way where that one is taken.
      const name =
        originalName !== undefined && this.seen.has(entry.name)
          ? repairName(originalName, (other) => this.seen.has(other))
          : entry.name;
      if (this.seen.has(name)) {
        this.#leaveOut(name, `Another tool is called "${name}" as well. Give one of them another name.`);
        return [];
      }
      this.seen.add(name);
      return name === entry.name ? entry : { ...entry, name };
    });
  }
}

/** @throws ToolSearchError `invalid-option` for a text, whose items are letters, and for a map, whose items are pairs. */
function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  const isOne =
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
  if (isOne && value instanceof Map) throw invalidOption('tools', value, 'a record, a list or an iterable of tools');
  return isOne;
}
