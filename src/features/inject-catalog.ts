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

/** Limit of the listed tools. The text says if there are more. */
const MAX_LISTED = 1_000;

/** The option `injectCatalog`: lists the catalog in the system text. */
export class InjectedCatalog implements Feature {
  readonly #style: true | 'names';
  readonly #names: MetaToolNames;
  /** The lists of each run, by wording. A list never changes within a run, so that the prompt cache stays valid. */
  readonly #lists = new Memory<Map<string, string>, RunMemory>(() => new Map());

  constructor(style: true | 'names', names: MetaToolNames) {
    this.#style = style;
    this.#names = names;
  }

  /** Lists tools that the request may see, without resident ones. Later answers of the filter do not change the list. */
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
  // One more than is listed: whether there are more tools must not depend on tools that the request may not see.
  const { permitted, left } = await search.choose(deferred, MAX_LISTED + 1, 'search');
  const first = permitted.slice(0, MAX_LISTED);
  if (permissions.isOpen) return { tools: first, rest: deferred.length - first.length };
  // With autoLoad a search finds only tools that may be loaded, so the list names only these.
  const loadable = autoLoad ? await search.allowed(first, 'load') : first;
  return { tools: loadable, rest: left > 0 || permitted.length > MAX_LISTED ? 'unknown' : 0 };
}
