import type { Catalog } from '../catalog/catalog.ts';
import { agentKey } from '../catalog/names.ts';
import { RecordSnapshot } from '../record.ts';
import { type Mark, markOf, type Run } from './marks.ts';

/** A tool as it came back from Mastra: converted, with the agent's hooks around it. */
export interface HandedTool {
  readonly mark: Mark;
  readonly tool: object;
}

/** What a step received, taken apart. */
export interface SeparatedTools {
  /** The agent's own tools and other processors', in order. */
  readonly own: Record<string, unknown>;
  /** What this processor handed over, by the name the model calls. */
  readonly handed: { get(name: string): HandedTool | undefined };
  /** The catalog that was resolved when the run began. */
  readonly catalog: Catalog | undefined;
}

/** What a request's last step received, and the runs that its tools are of. */
interface LastStep {
  readonly received: RecordSnapshot;
  readonly runs: ReadonlySet<Run>;
  readonly separated: SeparatedTools;
}

/** Tells what comes back to a processor from what comes from others. */
export class Separation {
  readonly #owner: object;
  readonly #lastSteps = new WeakMap<object, LastStep>();

  /** @param owner - of the marks. */
  constructor(owner: object) {
    this.#owner = owner;
  }

  /**
   * Takes apart what a step received, and tells the guards of this run what is loaded.
   *
   * @param request - any object that stands for the request: a step that receives what the last one did gets the same.
   */
  separate(
    request: object,
    tools: Readonly<Record<string, unknown>> | undefined,
    isLoaded: (name: string) => boolean,
  ): SeparatedTools {
    const received = tools ?? {};
    const last = this.#lastSteps.get(request);
    const step = last?.received.isStill(received) ? last : this.#takeApart(received);
    this.#lastSteps.set(request, step);
    for (const run of step.runs) run.isLoaded = isLoaded;
    return step.separated;
  }

  #takeApart(received: Readonly<Record<string, unknown>>): LastStep {
    const own: [string, unknown][] = [];
    const converted = new Map<string, HandedTool>();
    const runs = new Set<Run>();
    // Stand-ins only on demand: there may be thousands.
    const snapshot = new RecordSnapshot(received, (key, tool) => {
      const mark = markOf(tool);
      if (mark?.owner !== this.#owner) {
        own.push([key, tool]);
        return;
      }
      if (mark.run) runs.add(mark.run);
      if (mark.kind === 'resolved') own.push([key, tool]);
      else if (mark.kind === 'converted' || mark.kind === 'probe')
        converted.set(mark.name, { mark, tool: tool as object });
    });
    const standIn = (name: string): HandedTool | undefined => {
      const tool = received[name] ?? received[agentKey(name)];
      const mark = markOf(tool);
      return mark?.owner === this.#owner && mark.name === name ? { mark, tool: tool as object } : undefined;
    };
    const catalog = [...runs].find((run) => run.catalog)?.catalog;
    const handed = { get: (name: string) => converted.get(name) ?? standIn(name) };
    // Also for a tool that is called "__proto__".
    return { received: snapshot, runs, separated: { own: Object.fromEntries(own), handed, catalog } };
  }
}
