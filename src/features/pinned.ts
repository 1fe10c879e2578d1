import { type Catalog, type CatalogEntry, isClients } from '../catalog/catalog.ts';
import { providedByServer } from '../catalog/document.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import { serverOf } from '../catalog/groups.ts';
import { refuseUnknownNames } from '../catalog/names.ts';
import type { Loader } from '../meta-tools/loading.ts';
import { entriesOf, type Step } from '../processor/step.ts';
import type { Feature } from './feature.ts';

/** Tokens of the definitions that servers may pin in a request. */
const MAX_TOKENS = 4_000;

interface PinOptions {
  readonly alwaysLoaded: ReadonlySet<string>;
  /** Whether servers may pin tools: none, all, or these. */
  readonly trustServerHints: boolean | ReadonlySet<string>;
}

/** The options `alwaysLoaded` and `trustServerHints`: tools that every step is sent, in every mode. */
export class PinnedTools implements Feature {
  readonly #options: PinOptions;
  readonly #loader: Loader;
  /** The tools of each catalog that trusted servers pin. */
  readonly #byServers = new WeakMap<Catalog, readonly CatalogEntry[]>();

  constructor(options: PinOptions, loader: Loader) {
    this.#options = options;
    this.#loader = loader;
  }

  checkNames(catalog: Catalog): void {
    const ownTools = ` The agent's own tools are always sent and need not be named.`;
    refuseUnknownNames('alwaysLoaded', this.#options.alwaysLoaded, catalog, ownTools);
  }

  /**
   * The tools of `alwaysLoaded`, in its order, then those that trusted servers pin with `_meta["anthropic/alwaysLoad"]`, as
   * long as there is room. Tools that find no room are reported. The agent's own tools are left out: they are sent anyway.
   */
  async pin(step: Step): Promise<readonly CatalogEntry[]> {
    const { alwaysLoaded, trustServerHints: trusted } = this.#options;
    const { catalog, permissions } = step;
    await catalog.reach(alwaysLoaded, { ...permissions.asker, origin: step.origin });
    const named = entriesOf(alwaysLoaded, step);
    const pinned = await this.#usable(named, step);
    if (!trusted) return pinned;
    const entries = this.#byServers.get(catalog) ?? [...catalog.entries].filter((entry) => isWanted(entry, trusted));
    this.#byServers.set(catalog, entries);
    const others = await this.#usable(
      entries.filter((entry) => !named.includes(entry)),
      step,
    );
    return [...pinned, ...withRoom(others, catalog)];
  }

  async #usable(entries: readonly CatalogEntry[], step: Step): Promise<readonly CatalogEntry[]> {
    const missing = entries.filter(({ name }) => !Object.hasOwn(step.own, name));
    const active = await step.permissions.allowed(missing, 'active');
    const isSent = true;
    const failing = await this.#loader.unusable(active, step, isSent);
    return active.filter(({ name }) => !failing.has(name));
  }
}

/** The tools that fit into `MAX_TOKENS`, in their order. The others are reported. */
function withRoom(entries: readonly CatalogEntry[], catalog: Catalog): readonly CatalogEntry[] {
  let room = MAX_TOKENS;
  return entries.filter((entry) => {
    const tokens = definitionTokens(entry);
    if (tokens <= room) {
      room -= tokens;
      return true;
    }
    const name = JSON.stringify(entry.name);
    const message = `The server of tool ${name} wants it to be sent always, but there is room for ${MAX_TOKENS} tokens of such tools; it is searched. Pin it with alwaysLoaded.`;
    catalog.problems.once(entry.name, 'not-pinned', () => message);
    return false;
  });
}

/** Whether a trusted server pins its tool. Metadata that cannot be read pins nothing. */
function isWanted(entry: CatalogEntry, trusted: true | ReadonlySet<string>): boolean {
  try {
    const isAsked = providedByServer(entry.tool, 'anthropic/alwaysLoad').includes(true);
    return isAsked && !isClients(entry) && (trusted === true || trusted.has(serverOf(entry.tool) ?? ''));
  } catch {
    return false;
  }
}
