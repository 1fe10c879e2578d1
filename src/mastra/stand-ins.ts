import type { CatalogEntry } from '../catalog/entry.ts';
import { type Execute, type HandedTool, MARK, type Mark, RUN } from './marks.ts';
import { whatTheLoopReads } from './waiting-call.ts';

/** Makes stand-ins: one of each tool for all runs, as the step that calls it says in the context how. */
export class StandIns {
  readonly #made = new WeakMap<CatalogEntry, HandedTool>();

  /**
   * The stand-in of a tool. It costs Mastra next to nothing to merge, and comes back with the agent's hooks around its
   * `execute`.
   *
   * @param resumed - runs a call that belongs to no step.
   */
  of(entry: CatalogEntry, resumed: Execute): HandedTool {
    const made = this.#made.get(entry);
    if (made) return made;
    const { name, tool } = entry;
    const execute: Execute = (input, context) =>
      ((context ?? {}) as { [RUN]?: Execute })[RUN]?.(input, context) ?? resumed(input, context);
    const mark: Mark = { name, kind: 'stand-in' };
    mark.standIn = { id: name, ...whatTheLoopReads(tool), [MARK]: mark, execute };
    const standIn = { mark, tool: mark.standIn };
    this.#made.set(entry, standIn);
    return standIn;
  }
}
