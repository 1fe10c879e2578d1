import type { Catalog } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/definition-tokens.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { descriptionOf, type MastraTool } from '../catalog/tool.ts';
import { isHidden } from '../mastra/withholding.ts';
import type { Services } from '../meta-tools/step.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { asRecord } from '../util/record.ts';
import { CHUNK, inSlices, type SlicedWork } from '../util/time-slices.ts';
import type { RequestState } from './request/request-state.ts';

/** The part of a step that its event is about. */
export interface ReportedStep {
  readonly catalog: Catalog;
  readonly state: RequestState;
  /** The agent's own tools that are not searched. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** What a step sends. */
export interface Prepared {
  readonly tools: Readonly<Record<string, unknown>>;
  readonly activeTools?: readonly string[];
}

/** Cache: the tokens of all definitions of a catalog. */
const totals = new WeakMap<Catalog, MaybePromise<number>>();

/** Reports what a step sends; later, where a large catalog is counted first. Never throws, and nobody waits for it. */
export function reportStep(
  prepared: Prepared,
  { catalog, state, own }: ReportedStep,
  ms: number,
  services: Pick<Services, 'reporter' | 'stubs'>,
): void {
  const { origin } = state;
  const tools = new Map(sentTools(prepared));
  const sent = [...tools.keys()];
  const preselected = [...state.preselected];
  const isOfCatalog = (name: string): boolean => !Object.hasOwn(own, name) && catalog.get(name)?.name === name;
  const deferred = catalog.size - sent.filter(isOfCatalog).length;
  // Nobody knows what a source has.
  const isWhole = catalog.candidates === undefined;
  const report = (ofCatalog: number): void => {
    let tokensSent = 0;
    let ofOwn = 0;
    for (const [name, tool] of tools) {
      const found = isOfCatalog(name) ? catalog.get(name) : undefined;
      const tokens = definitionTokens(found ? (services.stubs.ready(found, state.run) ?? found) : entryOf(name, tool));
      tokensSent += tokens;
      if (Object.hasOwn(own, name)) ofOwn += tokens;
    }
    const tokensSaved = ofCatalog + ofOwn - tokensSent;
    const known = isWhole ? { deferred, tokensSaved } : {};
    const event = { type: 'step', sent, ...known, preselected, tokensSent, ms } as const;
    services.reporter.report(event, origin);
  };
  try {
    const total = isWhole ? (totals.get(catalog) ?? inSlices(tokensOf(catalog))) : 0;
    if (isWhole) totals.set(catalog, total);
    if (typeof total === 'number') report(total);
    else void total.then(report).catch(() => {});
  } catch {
    // What cannot be counted is not reported.
  }
}

/** The tools whose definitions the model gets: a provider holds back what is deferred. */
function* sentTools({ tools, activeTools }: Prepared): Iterable<[string, object]> {
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

/** The agent's own tools and the meta-tools are no part of the catalog. */
function entryOf(name: string, tool: object): CatalogEntry {
  return { name, tool: tool as MastraTool, description: descriptionOf(tool) } as CatalogEntry;
}
