import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import { descriptionOf } from '../catalog/tool.ts';
import { type PlacedOrigin, placeIn, type Reporter } from '../events/reporter.ts';
import type { ToolSearchOccurrence } from '../events/table.ts';
import { isHidden } from '../mastra/hiding.ts';
import type { Loader } from '../meta-tools/loading.ts';
import type { SentTools, Step } from '../step/step.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { asRecord } from '../util/record.ts';
import { CHUNK, inSlices, type SlicedWork } from '../util/time-slices.ts';
import type { Feature } from './feature.ts';

/** The event `step`: which tools a step sends, and how many tokens the step saves. */
export class StepTokens implements Feature {
  readonly #loader: Loader;
  readonly #reporter: Reporter;
  /** The tokens of all definitions, by catalog. */
  readonly #totals = new WeakMap<Catalog, MaybePromise<number>>();

  constructor(loader: Loader, reporter: Reporter) {
    this.#loader = loader;
    this.#reporter = reporter;
  }

  /**
   * Reports the step if anyone listens. The event of a large catalog waits for counting its tokens; spans and streams may have
   * ended by then, so these show the step at once, without `tokensSaved`. Never throws and never delays the step.
   */
  settled(sentStep: SentTools, step: Step, ms: number): void {
    const { catalog, state, own } = step;
    const { origin } = state;
    if (!this.#reporter.isHeard && !placeIn(origin)) return;
    const tools = new Map(sentTools(sentStep));
    const sent = [...tools.keys()];
    const preselected = [...state.preselected];
    const isOfCatalog = (name: string): boolean => !Object.hasOwn(own, name) && catalog.get(name)?.name === name;
    const deferred = catalog.size - sent.filter(isOfCatalog).length;
    const eventOf = (ofCatalog: number | undefined): ToolSearchOccurrence => {
      let tokensSent = 0;
      let ofOwn = 0;
      for (const [name, tool] of tools) {
        const found = isOfCatalog(name) ? catalog.get(name) : undefined;
        // The agent's own tools and the meta-tools have no catalog entry.
        const other = { name, tool, description: descriptionOf(tool) } as CatalogEntry;
        const tokens = definitionTokens(found ? (this.#loader.ready(found, step) ?? found) : other);
        tokensSent += tokens;
        if (Object.hasOwn(own, name)) ofOwn += tokens;
      }
      const saved = ofCatalog === undefined ? {} : { tokensSaved: ofCatalog + ofOwn - tokensSent };
      const known = catalog.isComplete ? { deferred, ...saved } : {};
      return { type: 'step', sent, ...known, preselected, tokensSent, ms };
    };
    try {
      const total = catalog.isComplete ? (this.#totals.get(catalog) ?? inSlices(tokensOf(catalog))) : 0;
      if (catalog.isComplete) this.#totals.set(catalog, total);
      if (typeof total === 'number') this.#reporter.report(eventOf(total), origin);
      else {
        placeIn(origin)?.show({ time: Date.now(), ...eventOf(undefined) });
        const { place: _, ...ids }: PlacedOrigin = origin ?? {};
        void total.then((counted) => this.#reporter.report(eventOf(counted), ids)).catch(() => {});
      }
    } catch {
      // A step whose tokens cannot be counted is not reported.
    }
  }
}

/** The tools whose definitions the model reads. The provider withholds deferred tools from the model. */
function* sentTools({ tools, activeTools }: SentTools): Iterable<[string, object]> {
  for (const name of activeTools ?? Object.keys(tools)) {
    const tool = Object.hasOwn(tools, name) ? asRecord(tools[name]) : undefined;
    if (tool && !isHidden(tool) && !isDeferred(tool)) yield [name, tool];
  }
}

function isDeferred({ providerOptions }: { readonly providerOptions?: unknown }): boolean {
  return Object.values(asRecord(providerOptions) ?? {}).some((options) => asRecord(options)?.['deferLoading'] === true);
}

function* tokensOf({ entries }: Catalog): SlicedWork<number> {
  let tokens = 0;
  let count = 0;
  for (const entry of entries) {
    tokens += definitionTokens(entry);
    if (++count % CHUNK === 0) yield;
  }
  return tokens;
}
