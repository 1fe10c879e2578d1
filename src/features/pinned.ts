import { type Catalog, type CatalogEntry, isClients } from '../catalog/catalog.ts';
import { providedByServer } from '../catalog/document.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import { serverOf } from '../catalog/groups.ts';
import { refuseUnknownNames } from '../catalog/names.ts';
import { overSource } from '../catalog/tool-source.ts';
import type { Loader } from '../meta-tools/loading.ts';
import { entriesOf, type Step } from '../step/step.ts';
import { type Contradiction, eachOf, must, nameOf, type Option } from '../util/check.ts';
import type { Feature } from './feature.ts';

export const alwaysLoadedOption: Option<readonly string[]> & { readonly default: readonly string[] } = {
  default: [],
  check: must('an array of tool names', Array.isArray, { parts: eachOf(nameOf('tool')) }),
};

export const trustServerHintsOption: Option<boolean | readonly string[]> & { readonly default: boolean } = {
  default: false,
  check: must(
    'true, false or an array of server names',
    (value) => typeof value === 'boolean' || Array.isArray(value),
    {
      parts: eachOf(nameOf('server')),
    },
  ),
};

export const pinContradictions: readonly Contradiction<{ tools?: unknown }>[] = [
  overSource('trustServerHints', 'is never looked through; name the tools in alwaysLoaded'),
];

/** Limit, in tokens, of all definitions that servers may pin in a request. */
const MAX_TOKENS = 4_000;

export interface PinOptions {
  readonly alwaysLoaded: ReadonlySet<string>;
  /** Which servers may pin tools: all, none, or those named. */
  readonly trustServerHints: boolean | ReadonlySet<string>;
}

/** The options `alwaysLoaded` and `trustServerHints`: tools that every step sends, in every mode. */
export class PinnedTools implements Feature {
  readonly #options: PinOptions;
  readonly #loader: Loader;
  /** The tools that trusted servers pin, by catalog. */
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
   * The tools of `alwaysLoaded`, in that order, then tools that trusted servers pin with `_meta["anthropic/alwaysLoad"]`, up
   * to `MAX_TOKENS`; tools beyond are reported. The agent's own tools are skipped, since every step sends these.
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

/** The entries that fit into `MAX_TOKENS`, in the given order. Reports the others. */
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

/** Whether a trusted server pins the tool. Unreadable metadata pins nothing. */
function isWanted(entry: CatalogEntry, trusted: true | ReadonlySet<string>): boolean {
  try {
    const isAsked = providedByServer(entry.tool, 'anthropic/alwaysLoad').includes(true);
    return isAsked && !isClients(entry) && (trusted === true || trusted.has(serverOf(entry.tool) ?? ''));
  } catch {
    return false;
  }
}
