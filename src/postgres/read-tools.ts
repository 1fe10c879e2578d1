import {
  buildCatalog,
  type CatalogEntry,
  type DocumentCache,
  invalidOption,
  type ListedTool,
  listedTools,
  nextTurn,
  repairName,
  Sentences,
  sentencesOf,
  type ToolDocument,
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
  readonly #documents: DocumentCache;
  readonly #batchSize: number;
  /** The names of the tools that were read. */
  readonly seen: SeenNames = new SeenNames();

  constructor(documents: DocumentCache, batchSize: number) {
    this.#documents = documents;
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
    const entries = this.#entriesOf(tools);
    const sentences = new Sentences();
    const documents: ToolDocument[] = [];
    for (const entry of entries) {
      const document = this.#documents.read(entry);
      sentences.add(sentencesOf(document));
      if (documents.push(document) % this.#batchSize === 0) await nextTurn();
    }
    for (let start = 0; start < entries.length; start += this.#batchSize) {
      yield entries.slice(start, start + this.#batchSize).map((entry, at) => {
        const document = documents[start + at] as ToolDocument;
        return { entry, document: toldBy(document, sentences) };
      });
    }
  }

  async *#readOn(tools: AsyncIterable<unknown> | Iterable<unknown>): AsyncIterable<readonly ReadTool[]> {
    const sentences = new SentenceSketch();
    const readBatch = (items: readonly unknown[]): readonly ReadTool[] =>
      this.#entriesOf(items.map(listedItem)).map((entry) => {
        const document = this.#documents.read(entry);
        sentences.add(sentencesOf(document));
        return { entry, document: toldBy(document, sentences) };
      });
    let items: unknown[] = [];
    for await (const item of tools) {
      if (items.push(item) < this.#batchSize) continue;
      yield readBatch(items);
      items = [];
    }
    if (items.length > 0) yield readBatch(items);
  }

  /** The entries of the tools, as a catalog has them, without those whose names were met in a batch before. */
  #entriesOf(tools: readonly ListedTool[]): CatalogEntry[] {
    const { problems } = this.#documents;
    const catalog = buildCatalog(tools, [], this.#documents, ({ message }, name) =>
      problems.refused(name, name === '' ? NAMELESS : message),
    );
    return [...catalog.entries].flatMap((entry) => {
      const { originalName } = entry;
      // A refused name is repaired in another way where that one is taken.
      const name =
        originalName !== undefined && this.seen.has(entry.name)
          ? repairName(originalName, (other) => this.seen.has(other))
          : entry.name;
      if (this.seen.has(name)) {
        problems.refused(name, `Another tool is called "${name}" as well. Give one of them another name.`);
        return [];
      }
      this.seen.add(name);
      return name === entry.name ? entry : { ...entry, name };
    });
  }
}

/** A document that says of its tool what its others do not. */
function toldBy(document: ToolDocument, sentences: Pick<Sentences, 'distinctive'>): ToolDocument {
  const all = sentencesOf(document);
  const distinctive = sentences.distinctive(all);
  return distinctive.length === all.length ? document : { ...document, description: distinctive.join('\n') };
}

/** @throws ToolSearchError `invalid-option` for a text, whose items are letters, and for a map, whose items are pairs. */
function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  const isOne =
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
  if (isOne && value instanceof Map) throw invalidOption('tools', value, 'a record, a list or an iterable of tools');
  return isOne;
}
