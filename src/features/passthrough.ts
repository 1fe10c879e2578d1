import type { CatalogEntry } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Loader } from '../meta-tools/loading.ts';
import { sentTools } from '../modes/load.ts';
import type { PassthroughLimit } from '../options/resolve.ts';
import type { RequestState } from '../processor/request.ts';
import { compatibleTools, type ModeTools, type Step } from '../processor/step.ts';
import { Memory } from '../util/memory.ts';
import type { Feature } from './feature.ts';

/** The option `passthroughBelow`: sends a small catalog whole, without meta-tools. */
export class Passthrough implements Feature {
  readonly #limits: readonly PassthroughLimit[];
  readonly #loader: Loader;
  readonly #reporter: Reporter;
  readonly #decided = new Memory<{ isWhole?: boolean }, RequestState>(() => ({}));

  constructor(limits: readonly PassthroughLimit[], loader: Loader, reporter: Reporter) {
    this.#limits = limits;
    this.#loader = loader;
    this.#reporter = reporter;
  }

  /** Decides in the first step, for the whole request. */
  async begin(step: Step): Promise<void> {
    const decided = this.#decided.of(step.state);
    decided.isWhole ??= await this.#isWhole(step);
  }

  /** Sends everything that the request may find, load and use, and the pinned tools. */
  async replace(step: Step, pinned: () => Promise<readonly CatalogEntry[]>): Promise<ModeTools | undefined> {
    if (!this.#decided.of(step.state).isWhole) return undefined;
    const { catalog, own, permissions } = step;
    const always = await pinned();
    const all = [...catalog.entries].filter(({ name }) => !Object.hasOwn(own, name));
    const loadable = await permissions.allowed(all, ['search', 'load']);
    const whole = new Set([...always, ...loadable]);
    const active = await permissions.allowed(
      all.filter((entry) => whole.has(entry)),
      'active',
    );
    const failing = await this.#loader.unusable(active, step);
    const entries = active.filter(({ name }) => !failing.has(name));
    step.tools.add('pinned', entries);
    return sentTools({}, compatibleTools(entries, step), step);
  }

  /**
   * Whether the catalog is below all limits: searching such a small one costs more than it saves. Reported.
   *
   * Counts the tools that the request may see. Where the filter had no time for all of them, their number is unknown.
   */
  async #isWhole({ catalog, permissions, origin, args }: Step): Promise<boolean> {
    const limits = this.#limits.map(({ name, below }) => ({ name, below: below(args.model) }));
    const most = permissions.isOpen ? undefined : limits.find(({ name }) => name === 'tools')?.below;
    const enough = Math.ceil(most ?? Number.POSITIVE_INFINITY);
    const { permitted, left } = await permissions.inSearch().choose(catalog.entries, enough, 'search');
    if (left > 0) return false;
    const sizes = limits.map(({ name, below }) => {
      return { limit: name, below, size: name === 'tools' ? permitted.length : tokensUpTo(below, permitted) };
    });
    const decisive = sizes.find(({ size, below }) => size >= below) ?? sizes.at(-1);
    if (!decisive) return false;
    const isWhole = decisive.size < decisive.below;
    this.#reporter.report({ type: 'passthrough', isSentWhole: isWhole, ...decisive }, origin);
    return isWhole;
  }
}

/** The tokens of the definitions, counted until they reach the limit: there may be thousands of tools. */
function tokensUpTo(limit: number, entries: readonly CatalogEntry[]): number {
  let tokens = 0;
  for (const entry of entries) {
    tokens += definitionTokens(entry);
    if (tokens >= limit) break;
  }
  return tokens;
}
