import type { Mastra } from '@mastra/core/mastra';
import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { Catalog } from '../../catalog/catalog.ts';
import { definitionTokens } from '../../catalog/definition-tokens.ts';
import type { CatalogEntry } from '../../catalog/entry.ts';
import type { Services, Step } from '../../meta-tools/step.ts';
import type { ResolvedPreselect } from '../../options/preselect.ts';
import { ByClassifier } from './by-classifier.ts';
import { BySearch } from './by-search.ts';
import { CalledTools } from './called-tools.ts';
import type { Source } from './decision.ts';

/** The tools of a run, in the order in which its first step sent them. */
interface Order {
  readonly loaded: readonly string[];
  readonly preselected: readonly string[];
}

/**
 * Preselect: the tools that the user's words ask for are sent with the first step of a run, before the model has asked.
 *
 * They count as loaded for this run, behind what is loaded, so that the beginning of the list stays the same. The store
 * gets the ones that are called.
 */
export class Preselect {
  readonly #source: Source;
  readonly #services: Services;
  readonly #called: CalledTools;
  /** The order of each run, by its request. */
  readonly #orders = new WeakMap<object, Order>();

  constructor(options: ResolvedPreselect, services: Services) {
    this.#services = services;
    this.#called = new CalledTools(services);
    this.#source = 'classifier' in options ? new ByClassifier(options, services) : new BySearch(options, services);
  }

  /** Gives the Mastra instance, which knows registered classifiers. */
  useMastra(mastra: Mastra): void {
    this.#source.useMastra?.(mastra);
  }

  /** Begins what can be done before the first step of a run. */
  prepare(catalog: Catalog): void {
    this.#source.prepare?.(catalog);
  }

  /** Adds what is preselected to the loaded tools of a step. Never throws. */
  async addTo(step: Step, args: ProcessInputStepArgs): Promise<void> {
    const { state, loaded } = step;
    if (!this.#orders.has(state)) await this.#begin(step, args);
    await this.#called.keep(step);
    const order = this.#orders.get(state);
    if (!order) return;
    const later = [...loaded];
    const first = order.loaded.filter((name) => loaded.has(name));
    const preselected = order.preselected.filter((name) => state.preselected.has(name) || loaded.has(name));
    loaded.clear();
    for (const name of [...first, ...preselected, ...later]) loaded.add(name);
  }

  async #begin(step: Step, args: ProcessInputStepArgs): Promise<void> {
    const { state } = step;
    const { reporter } = this.#services;
    await this.#called.keepEarlier(step);
    const start = performance.now();
    const loaded = [...step.loaded];
    const decision = await this.#source.decide(step, args);
    const entries = this.#fitting(decision.entries, step);
    const preselected = entries.map(({ name }) => name);
    for (const name of preselected) state.preselected.add(name);
    this.#orders.set(state, { loaded, preselected });
    this.#called.note(step);
    const isLeftOut = decision.entries.length > 0 && entries.length === 0;
    const { entries: _, loaded: kept = [], ...rest } = decision;
    const outcome = isLeftOut ? ({ ...rest, reason: 'no-room' } as const) : rest;
    reporter.report(
      { type: 'preselect', tools: [...kept, ...preselected], ...outcome, ms: performance.now() - start },
      step.origin,
    );
  }

  /** The tools for which there is room: what is loaded does not go for what nobody has asked for yet. */
  #fitting(entries: readonly CatalogEntry[], { catalog, loaded, state }: Step): readonly CatalogEntry[] {
    const { options, stubs } = this.#services;
    const { tools, tokens } = options.maxLoaded;
    const isCounted = tokens !== Number.POSITIVE_INFINITY;
    const sizeOf = (entry: CatalogEntry | undefined): number =>
      isCounted && entry ? definitionTokens(stubs.ready(entry, state.run) ?? entry) : 0;
    let count = loaded.size;
    let size = [...loaded].reduce((sum, name) => sum + sizeOf(catalog.get(name)), 0);
    return entries.filter((entry) => {
      const fits = count < tools && size + sizeOf(entry) <= tokens;
      if (fits) {
        count += 1;
        size += sizeOf(entry);
      }
      return fits;
    });
  }
}
