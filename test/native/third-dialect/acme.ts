import type { ToolPart } from '../../../src/kit.ts';
import { type Dialect, optionsMessage } from '../../../src/native/dialect.ts';

/** The name of a provider that nobody has. */
export const NAME = 'acme';

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
  searchNames: ['acme_search'],
  sideOf: () => 'server',
  supports: ({ provider, modelId = '' }) => provider === 'acme.chat' && modelId.startsWith('acme-'),
  takesDefinitions: () => false,
  searchName: () => 'acme_search',

  hostedSearch: (name) => ({ type: 'provider-defined', id: 'acme.search', name, args: {} }),
  deferOptions: (options) => ({ [NAME]: { ...options[NAME], deferLoading: true } }),
  refusedOptions: ['sticky'],

  reads: (toolName) => toolName === 'acme_search',
  isForgotten: (value) => hitsIn(value).length === 0,
  isStored: () => false,
  namesRead,
  rewrite: (found, sent) => {
    const { origin, call, result } = found;
    if (origin === 'meta-tool') return found;
    if (call.toolName !== 'acme_search') return undefined;
    const left = hitsIn(result?.output?.value).filter((name) => sent.isReferable(name));
    return { call, result: result && { ...result, output: { type: 'json', value: { hits: left } } } };
  },
  fit: (prompt) => prompt,

  changes: { canRemove: false, message: (changes) => optionsMessage(NAME, { changes }) },
};
