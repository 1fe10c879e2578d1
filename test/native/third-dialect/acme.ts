import type { ProviderSearchTool, ToolPart } from '../../../src/kit.ts';
import { type Dialect, optionsMessage } from '../../../src/native/dialect.ts';

/** The name of a provider that nobody has. */
export const NAME = 'acme';

/** Its search tool, which runs at the provider. */
const search: ProviderSearchTool = { dialect: NAME, names: ['acme_search'], sideOf: () => 'server' };

/** The tools that a result of its search found: `{ hits: ['get_weather'] }`. */
function hitsIn(value: unknown): readonly string[] {
  const { hits } = (value ?? {}) as { hits?: unknown };
  return Array.isArray(hits) ? hits.filter((hit) => typeof hit === 'string') : [];
}

const namesRead = ({ toolName, output }: ToolPart): readonly string[] =>
  toolName === 'acme_search' ? hitsIn(output?.value) : [];

/** A third dialect: results name the tools that the request defers with `late: true`. */
export const acme: Dialect = {
  name: NAME,
  search,
  speaks: ({ provider }) => provider === 'acme.chat',
  hasSearch: (modelId) => modelId.startsWith('acme-'),
  takesDefinitions: () => false,
  plan: ({ execution, variant, ownSearch }) => ({
    variant,
    searchName: execution === 'server' ? 'acme_search' : ownSearch,
    ...{ appendsAll: false, answersSearch: false, loadsWeak: true },
  }),

  hostedSearch: ({ searchName }) => ({ type: 'provider-defined', id: 'acme.search', name: searchName, args: {} }),
  hasNamespaces: false,
  deferOptions: (options) => ({ [NAME]: { ...options[NAME], deferLoading: true } }),
  refusedOptions: ['sticky'],

  reads: (origin) => origin?.dialect === NAME,
  isForgotten: (value) => hitsIn(value).length === 0,
  isStored: () => false,
  namesRead,
  rewrite: (found, sent) => {
    const { origin, call, result } = found;
    if (origin === 'meta-tool') return found;
    if (origin.dialect !== NAME) return undefined;
    const left = hitsIn(result?.output?.value).filter((name) => sent.isReferable(name));
    return { call, result: result && { ...result, output: { type: 'json', value: { hits: left } } } };
  },
  fit: (prompt) => prompt,
  withNamespaces: (prompt) => prompt,
  calledInNamespaces: () => new Set(),

  canRemove: false,
  changesMessage: (changes) => optionsMessage(NAME, { changes }),
  probe: { tool: { type: 'function', name: 'x' }, options: (tool) => ({ changes: [tool] }) },
};
