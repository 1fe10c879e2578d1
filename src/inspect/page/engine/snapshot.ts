import type { IncrementalIndex, ToolDocument, ToolIndex, ToolScorer } from '../../../kit.ts';
import { nextTurn } from '../../../util/time-slices.ts';
import { type SearchedCase, searchCase } from '../../../workbench/evaluate/measure.ts';
import { check, checkChanged, type LintFinding } from '../../../workbench/lint/check.ts';
import { type LintedTool, lintedTool } from '../../../workbench/lint/rule.ts';
import type { InspectData, InspectTool } from '../../data.ts';
import { documentOfTool } from '../../document.ts';
import { type Edits, edited } from './edits.ts';

/** Milliseconds of work before it yields to the event loop. */
const SLICE = 10;

/** The immutable catalog with some edits, and cached results about it. */
export class Snapshot {
  readonly edits: Edits;
  readonly tools: ReadonlyMap<string, InspectTool>;
  readonly #data: InspectData;
  /** The catalog without edits; undefined if this snapshot is that catalog. */
  readonly #base: Snapshot | undefined;
  readonly #indexes = new Map<string, Promise<IncrementalIndex>>();
  #linted: ReadonlyMap<string, LintedTool> | undefined;
  #documents: ReadonlyMap<string, ToolDocument> | undefined;

  constructor(data: InspectData, edits: Edits = new Map(), base?: Snapshot) {
    this.#data = data;
    this.#base = base;
    this.edits = edits;
    this.tools = new Map(data.tools.map((tool) => [tool.name, edited(tool, edits.get(tool.name))]));
  }

  /** The documents of the tools, as scorers see them. */
  get documents(): ReadonlyMap<string, ToolDocument> {
    const before = this.#base?.documents;
    const read = (tool: InspectTool): ToolDocument =>
      (this.edits.has(tool.name) ? undefined : before?.get(tool.name)) ?? documentOfTool(tool);
    this.#documents ??= new Map(Array.from(this.tools.values(), (tool) => [tool.name, read(tool)]));
    return this.#documents;
  }

  /** The tools as lint reads them; tools without edits are shared with the base. */
  get linted(): ReadonlyMap<string, LintedTool> {
    const before = this.#base?.linted;
    const read = (tool: InspectTool): readonly [string, LintedTool][] => {
      const { name, group = '', description, title = '', inputSchema, lint = {} } = tool;
      const document = this.documents.get(name);
      const known = this.edits.has(name) ? undefined : before?.get(name);
      if (known) return [[name, known]];
      const { originalName = name, isJsonSchema = false, others = {} } = lint;
      const parts = { name, originalName, server: group, title, schema: inputSchema, isJsonSchema, others };
      return document ? [[name, lintedTool({ ...parts, document, description: description.trim() })]] : [];
    };
    this.#linted ??= new Map(Array.from(this.tools.values()).flatMap(read));
    return this.#linted;
  }

  /** The index of a scorer, built once, or updated from the index without edits if that costs less. */
  index(scorer: ToolScorer): Promise<IncrementalIndex> {
    const made = this.#indexes.get(scorer.name) ?? this.#build(scorer);
    this.#indexes.set(scorer.name, made);
    return made;
  }

  async #build(scorer: ToolScorer): Promise<IncrementalIndex> {
    const base = await this.#base?.index(scorer);
    const names = [...this.edits.keys()].filter((name) => this.documents.has(name));
    const changed = names.flatMap((name) => this.documents.get(name) ?? []);
    return (await base?.update?.(changed, names)) ?? scorer.index([...this.documents.values()]);
  }

  /** The index restricted to the tools that a user may find; it answers as if there were no others. */
  async indexOf(scorer: ToolScorer, names: ReadonlySet<string> | undefined): Promise<ToolIndex> {
    const index = await this.index(scorer);
    if (!names) return index;
    // In an index without `restrictedTo`, results for a tool do not depend on other tools.
    const part = (await index.restrictedTo?.(names)) ?? index;
    return {
      search: async (query) => (await part.search(query)).filter(({ name }) => names.has(name)),
      ...(part.confidence ? { confidence: (query, shown) => part.confidence?.(query, shown) ?? [] } : {}),
      ...(part.explain ? { explain: (query, name) => part.explain?.(query, name) } : {}),
    };
  }

  /**
   * Searches for all cases, in slices; undefined if `goesOn` stopped it.
   *
   * @param goesOn - receives the number of searched cases, and returns whether to continue.
   */
  async searchCases(
    scorer: ToolScorer,
    goesOn: (done: number) => boolean,
  ): Promise<readonly SearchedCase[] | undefined> {
    const index = await this.index(scorer);
    const searched: SearchedCase[] = [];
    let end = performance.now() + SLICE;
    for (const one of this.#data.cases ?? []) {
      searched.push(await searchCase(one, index, scorer, this.#data.topK));
      if (performance.now() < end) continue;
      await nextTurn();
      if (!goesOn(searched.length)) return undefined;
      end = performance.now() + SLICE;
    }
    return searched;
  }

  /** The findings about a tool; or about all tools, updated from the findings before the edits. */
  async lint(scorer: ToolScorer, of: string | readonly LintFinding[]): Promise<readonly LintFinding[]> {
    const { topK, mode = 'load' as const } = this.#data;
    const tools = [...this.linted.values()];
    // Tools that the catalog refused are not in the page.
    const catalog = { tools, refused: [], index: await this.index(scorer), topK, mode };
    return typeof of === 'string'
      ? check(catalog, { only: [of] })
      : checkChanged(catalog, of, new Set(this.edits.keys()));
  }
}
