import type { CatalogEntry } from '../catalog/catalog.ts';
import { markSent } from '../mastra/marks.ts';
import type { ToolRegistration } from '../mastra/tool-registration.ts';
import type { Renaming } from '../providers/index.ts';
import type { ToolPresence } from '../step/presence.ts';
import { noteCall, type Step } from '../step/step.ts';
import { Memory } from '../util/memory.ts';
import type { Loader } from './loading.ts';

interface FormsOfStep {
  readonly forms: Map<CatalogEntry, object | undefined>;
  /** Parameter renamings by tool name. Only tools with renamed parameters have an entry. */
  readonly renamings: Map<string, Renaming>;
}

/** The forms in which steps send and run catalog tools. Each form asks the filter again before the tool runs. */
export class Forms {
  readonly #loader: Loader;
  readonly #registration: ToolRegistration;
  /** Keyed by the `tools` of a step, which copies of the step share. */
  readonly #ofSteps = new Memory<FormsOfStep, ToolPresence>(() => ({ forms: new Map(), renamings: new Map() }));

  constructor(loader: Loader, registration: ToolRegistration) {
    this.#loader = loader;
    this.#registration = registration;
  }

  /** The form of a tool; undefined if the tool cannot be sent. */
  of(given: CatalogEntry, step: Step): object | undefined {
    const { args, state, tools, received } = step;
    const { forms, renamings } = this.#ofSteps.of(tools);
    const entry = this.#loader.ready(given, step);
    if (!entry || forms.has(entry)) return entry && forms.get(entry);
    const isSent = step.mode.bridge === undefined;
    if (isSent && this.#loader.isWithheld(entry, step)) return undefined;
    const form = this.#registration.compatible(entry, received, args.model, {
      requestContext: args.requestContext,
      // In a DurableAgent any call may have waited for an approval, so no tool counts as loaded.
      isLoaded: (name) => received.isDurable === false && tools.has(name),
      origin: state.origin,
      noteCall: () => noteCall(state),
    });
    if (isSent && form && this.#loader.withholds(entry, step)) return undefined;
    forms.set(entry, form);
    const renaming = form && this.#registration.renaming(entry, args.model);
    if (renaming) renamings.set(entry.name, renaming);
    return form;
  }

  /** The forms of tools, by name. */
  byName(entries: readonly CatalogEntry[], step: Step): Record<string, unknown> {
    // Without a prototype, a tool may be named "__proto__".
    const tools: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const entry of entries) {
      const tool = this.of(entry, step);
      if (tool) tools[entry.name] = tool;
    }
    // Tools of the request itself are not marked: its next step passes these again.
    markSent(entries.filter((entry) => !entry.isResolved).map(({ name }) => tools[name]));
    return tools;
  }

  /** The parameter renamings of a step's tools. The map grows when calls of the step create further forms. */
  renamings({ tools }: Step): ReadonlyMap<string, Renaming> {
    return this.#ofSteps.of(tools).renamings;
  }
}
