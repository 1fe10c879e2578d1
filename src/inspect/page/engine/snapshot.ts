import { type IncrementalIndex, nextTurn, type ToolDocument } from '../../../kit.ts';
import { type SearchedCase, searchCase } from '../../../workbench/evaluate/measure.ts';
import type { InspectData, InspectTool } from '../../data.ts';
import { documentOfTool } from '../../document.ts';
import { type Edits, edited } from './edits.ts';
import type { LocalScorer } from './local-scorers.ts';

/** Milliseconds of work before others get their turn. */
const SLICE = 10;

/** The catalog with some edits, and all that was found out about it. It never changes. */
export class Snapshot {
  readonly edits: Edits;
  readonly tools: ReadonlyMap<string, InspectTool>;
  readonly #data: InspectData;
  /** The catalog without edits; undefined where this is it. */
  readonly #base: Snapshot | undefined;
  readonly #indexes = new Map<string, Promise<IncrementalIndex>>();
  #documents: ReadonlyMap<string, ToolDocument> | undefined;

  constructor(data: InspectData, edits: Edits = new Map(), base?: Snapshot) {
    this.#data = data;
    this.#base = base;
    this.edits = edits;
    this.tools = new Map(data.tools.map((tool) => [tool.name, edited(tool, edits.get(tool.name))]));
  }

  /** What scorers see of the tools. */
  get documents(): ReadonlyMap<string, ToolDocument> {
    this.#documents ??= this.#readDocuments();
    return this.#documents;
  }

  #readDocuments(): ReadonlyMap<string, ToolDocument> {
    const before = this.#base?.documents;
    const read = (tool: InspectTool): ToolDocument =>
      (this.edits.has(tool.name) ? undefined : before?.get(tool.name)) ?? documentOfTool(tool);
    return new Map(Array.from(this.tools.values(), (tool) => [tool.name, read(tool)]));
  }

  /** The index of a scorer, made once: of the index without edits, where that costs less. */
  index(scorer: LocalScorer): Promise<IncrementalIndex> {
    const known = this.#indexes.get(scorer.name);
    if (known !== undefined) return known;
    const made = this.#build(scorer);
    this.#indexes.set(scorer.name, made);
    return made;
  }

  async #build(scorer: LocalScorer): Promise<IncrementalIndex> {
    const base = await this.#base?.index(scorer);
    const names = [...this.edits.keys()].filter((name) => this.documents.has(name));
    const changed = names.flatMap((name) => this.documents.get(name) ?? []);
    return (await base?.update?.(changed, names)) ?? scorer.index([...this.documents.values()]);
  }

  /** Searches for all cases, in slices; undefined where that was no longer wanted before the end. */
  async searchCases(scorer: LocalScorer, isOutdated: () => boolean): Promise<readonly SearchedCase[] | undefined> {
    const index = await this.index(scorer);
    const searched: SearchedCase[] = [];
    let end = performance.now() + SLICE;
    for (const one of this.#data.cases ?? []) {
      searched.push(await searchCase(one, index, scorer, this.#data.topK));
      if (performance.now() < end) continue;
      await nextTurn();
      if (isOutdated()) return undefined;
      end = performance.now() + SLICE;
    }
    return searched;
  }
}
