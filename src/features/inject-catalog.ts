import { type CatalogEntry, isClients } from '../catalog/catalog.ts';
import { overSource } from '../catalog/tool-source.ts';
import type { RunMemory } from '../filter/permissions.ts';
import * as prompts from '../meta-tools/prompts.ts';
import { type StepMode, sentNames } from '../modes/mode.ts';
import type { MetaToolNames, Step } from '../step/step.ts';
import { type Contradiction, type Option, oneOf } from '../util/check.ts';
import { Memory } from '../util/memory.ts';
import type { Feature } from './feature.ts';

export const injectCatalogOption: Option<boolean | 'names'> & { readonly default: false } = {
  default: false,
  check: oneOf(true, false, 'names'),
};

export const injectCatalogContradictions: readonly Contradiction<{ tools?: unknown }>[] = [
  overSource('injectCatalog', 'is never listed whole; name some tools in alwaysLoaded'),
];

/** Tools that are listed; the text says when there are more. */
const MAX_LISTED = 1_000;

/** The option `injectCatalog`: lists the catalog in the system text. */
export class InjectedCatalog implements Feature {
  readonly #style: true | 'names';
  readonly #names: MetaToolNames;
  /** The lists of each run, by wording. A list stays the same over all steps of a run, for the sake of the prompt cache. */
  readonly #lists = new Memory<Map<string, string>, RunMemory>(() => new Map());

  constructor(style: true | 'names', names: MetaToolNames) {
    this.#style = style;
    this.#names = names;
  }

  /** The tools that the request may see, without those that are sent anyway. A later answer of the filter changes nothing. */
  async texts(step: Step, mode: StepMode): Promise<readonly string[]> {
    const names = sentNames(mode, this.#names);
    const { autoLoad, catalogIntro } = mode;
    const wording = `${names.search} ${autoLoad} ${catalogIntro !== undefined}`;
    const ofRun = this.#lists.of(step.state.run);
    const known = ofRun.get(wording);
    if (known !== undefined) return [known];
    const { tools, rest } = await listed(step, autoLoad);
    const write = this.#style === 'names' ? prompts.catalogNames : prompts.catalogText;
    const lines = tools.map((entry) => {
      // Text that a client wrote must not become system text.
      return { name: entry.name, description: isClients(entry) ? '' : entry.description };
    });
    const text = write(lines, names, autoLoad, rest, catalogIntro);
    if (!step.permissions.isAborted) ofRun.set(wording, text);
    return [text];
  }
}

async function listed(
  { catalog, tools, permissions }: Step,
  autoLoad: boolean,
): Promise<{ readonly tools: readonly CatalogEntry[]; readonly rest: prompts.CatalogRest }> {
  const deferred = [...catalog.entries].filter(({ name }) => !tools.isResident(name));
  const search = permissions.inSearch();
  // Asks for one more than is listed: whether there are more must not depend on tools that the request may not see.
  const { permitted, left } = await search.choose(deferred, MAX_LISTED + 1, 'search');
  const first = permitted.slice(0, MAX_LISTED);
  if (permissions.isOpen) return { tools: first, rest: deferred.length - first.length };
  // With autoLoad, a search does not find a tool that may not be loaded.
  const loadable = autoLoad ? await search.allowed(first, 'load') : first;
  return { tools: loadable, rest: left > 0 || permitted.length > MAX_LISTED ? 'unknown' : 0 };
}
