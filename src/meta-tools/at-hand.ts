import type { Catalog } from '../catalog/catalog.ts';
import { isTool } from '../catalog/tool.ts';
import { isHandled } from '../mastra/marks.ts';
import type { Step } from './step.ts';

/** What a search searches, and the part of it that the model has already. */
export interface Searched {
  readonly catalog: Catalog;
  /** Names of tools that the model can call without a load. */
  readonly atHand: ReadonlySet<string>;
  /** The part of them that takes no place among the results. A search that loads would load ever more in their place. */
  readonly besides: ReadonlySet<string>;
}

/**
 * The catalog of a step with the agent's own tools, as far as the model has them for certain. What another processor
 * sends comes and goes, and is left out.
 */
export async function searchedBy(step: Step): Promise<Searched> {
  const { catalog, own, available, loaded, fresh, permissions, autoLoad } = step;
  const sent = Object.entries(own).filter(
    (entry): entry is [string, object] => available.has(entry[0]) && isTool(entry[1]) && !isHandled(entry[1]),
  );
  const before = [...loaded].filter((name) => !fresh.has(name)).flatMap((name) => catalog.get(name) ?? []);
  // A loaded tool that the step withholds cannot be called.
  const active = await permissions.allowed(before, 'active');
  const atHand = new Set([...available, ...active.map(({ name }) => name), ...fresh]);
  return { catalog: catalog.withSent(sent), atHand, besides: autoLoad ? new Set(sent.map(([name]) => name)) : atHand };
}
