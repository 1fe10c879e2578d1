import type { Groups } from '../catalog/groups.ts';
import type { MastraTool } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Policy } from '../filter/permissions.ts';
import type { Registry } from '../loaded/registry.ts';
import { extendActiveTools } from '../mastra/hiding.ts';
import type { Forms } from '../meta-tools/forms.ts';
import { createLoadTool, createUnloadTool } from '../meta-tools/load-tool.ts';
import type { MetaToolOptions, MetaToolParts } from '../meta-tools/meta-tool.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { SearchTool } from '../meta-tools/search-tool.ts';
import { activeEntries, type MetaToolNames, type ModeTools, preselectedIn, type Step } from '../step/step.ts';
import type { Mode, StepMode } from './mode.ts';

/** The parts of a processor that native mode needs. */
export interface NativeParts {
  readonly metaTools: MetaTools;
  readonly forms: Forms;
  readonly searchTool: SearchTool;
  readonly registry: Registry;
  readonly policy: Policy;
  readonly groups: Groups;
  readonly reporter: Reporter;
  readonly options: Pick<MetaToolOptions, 'metaTools'> & {
    readonly keywords: ReadonlyMap<string, readonly string[]>;
  };
}

/**
 * Load mode: found tools are loaded, and sent from the next step on. `reportsWithResults` is false if a provider may search,
 * since results of a provider's search cannot contain text.
 */
export function loadMode(
  metaTools: MetaTools,
  names: MetaToolNames,
  autoLoad: boolean,
  reportsWithResults: boolean,
): Mode {
  const mode: StepMode = {
    ...{ names, autoLoad, reportsWithResults, loadsWeak: true, searches: true, loadsForced: true },
    metaNames: metaTools.names(autoLoad),
    mandatory: [],
    systemText: (step) => prompts.systemText(names, autoLoad, preselectedIn(step)),
    send: (step, pinned) => {
      const found = { ...pinned, ...metaTools.forms.byName(activeEntries(step), step) };
      return sentTools(metaTools.create(step), found, step);
    },
  };
  return { open: () => mode };
}

/** What a step sends: meta-tools, the agent's own tools and found tools. Extends the caller's `activeTools` accordingly. */
export function sentTools(
  metaTools: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
  { own, args: { activeTools } }: Step,
): ModeTools {
  const tools = { ...metaTools, ...own, ...found };
  const extended = activeTools && extendActiveTools(activeTools, [...Object.keys(metaTools), ...Object.keys(found)]);
  // `extended` is the same list only if an earlier processor of this package made it: it then names all tools it received.
  const hidesOthers = extended !== undefined && extended === activeTools;
  return { tools, names: Object.keys(tools), added: Object.values(metaTools), activeTools: extended, hidesOthers };
}

/** The meta-tools of load mode. */
export class MetaTools {
  readonly #search: SearchTool;
  readonly #parts: Pick<MetaToolParts, 'loader' | 'forms' | 'options' | 'registry' | 'reporter'>;

  constructor(
    search: SearchTool,
    parts: Pick<MetaToolParts, 'loader' | 'forms' | 'options' | 'registry' | 'reporter'>,
  ) {
    this.#search = search;
    this.#parts = parts;
  }

  get forms(): Forms {
    return this.#parts.forms;
  }

  /** The names of the meta-tools of a step. With `autoLoad` there is no load tool. `search` may name a provider's search. */
  names(autoLoad: boolean, search: string = this.#parts.options.metaTools.names.search): readonly string[] {
    const { names, unloadName } = this.#parts.options.metaTools;
    return [search, ...(autoLoad ? [] : [names.load]), ...(unloadName === undefined ? [] : [unloadName])];
  }

  create(step: Step): Record<string, MastraTool> {
    const { names, unloadName } = this.#parts.options.metaTools;
    const tools = { [names.search]: this.#search.create(step) };
    if (!step.mode.autoLoad) tools[names.load] = createLoadTool(step, this.#search, this.#parts);
    if (unloadName !== undefined) tools[unloadName] = createUnloadTool(unloadName, step, this.#parts);
    return withoutSpent(tools, step);
  }
}

/** The meta-tools without those that the loop guard withholds. */
export function withoutSpent<Tool>(
  tools: Readonly<Record<string, Tool>>,
  { tools: known }: Step,
): Record<string, Tool> {
  return Object.fromEntries(Object.entries(tools).filter(([name]) => !known.isSpent(name)));
}
