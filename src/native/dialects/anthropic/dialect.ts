import { ANTHROPIC_SEARCH_TOOL, ANTHROPIC_SEARCHES } from '../../../kit.ts';
import { type Dialect, isCalledDirectly, isSince, optionsMessage, type Version } from '../../dialect.ts';
import { NAME, referencesIn, rewrite, withoutLostReferences } from './history.ts';

const PACKAGES = /^(?:anthropic|bedrock\.anthropic|vertex\.anthropic|googleVertex\.anthropic)\.messages$/;

/** The first version with tool search. */
const FIRST_WITH_SEARCH: Version = [4, 5];

/**
 * The first versions that take definitions in mid-conversation, of each family, as Anthropic's documentation has it: Sonnet 5
 * takes system messages there, and no definitions.
 */
const FIRST_APPENDING: Readonly<Record<string, Version>> = {
  opus: [4, 8],
  sonnet: [5, 5],
  haiku: [5, 5],
  fable: [5, 0],
  mythos: [5, 0],
};

/** Anthropic's tool search: results refer to tools that the request defers. */
export const anthropic: Dialect = {
  name: NAME,
  search: ANTHROPIC_SEARCH_TOOL,
  speaks: (model) => isCalledDirectly(model, NAME, PACKAGES),
  hasSearch: (modelId) => {
    const found = claude(modelId);
    return found !== undefined && isSince(found.version, FIRST_WITH_SEARCH);
  },
  // Bedrock and Vertex take no definitions by value.
  takesDefinitions: ({ provider, modelId = '' }) => {
    const found = claude(modelId);
    if (!found || provider !== 'anthropic.messages' || !Object.hasOwn(FIRST_APPENDING, found.family)) return false;
    return isSince(found.version, FIRST_APPENDING[found.family] as Version);
  },
  plan: ({ execution, variant: wanted, model, appends, ownSearch }) => {
    const { provider } = model;
    // Bedrock has no other variant.
    const variant = typeof provider === 'string' && provider.startsWith('bedrock.') ? 'regex' : wanted;
    const appendsAll = execution === 'client' && appends;
    return {
      variant,
      searchName: execution === 'client' ? ownSearch : ANTHROPIC_SEARCHES[variant],
      appendsAll,
      answersSearch: false,
      // References replace the message of a search, so that the model does not read that nothing clearly matches.
      loadsWeak: appendsAll,
    };
  },

  hostedSearch: ({ variant, searchName }) => {
    const id = `anthropic.tool_search_${variant}_20251119`;
    return { type: 'provider-defined', id, name: searchName, args: {} };
  },
  hasNamespaces: false,
  // Breakpoints of a prompt cache: a deferred tool that has one is refused.
  refusedOptions: ['cacheControl', 'cache_control', 'cachePoint'],
  deferOptions: (options) => ({ [NAME]: { ...options[NAME], deferLoading: true } }),

  reads: (origin, execution) => {
    if (origin?.dialect === NAME) return execution === 'server';
    return origin?.side !== 'server';
  },
  isForgotten: (result) => typeof result !== 'object' || result === null,
  isStored: () => true,
  namesRead: (part) => referencesIn(part).map(({ name }) => name),
  rewrite,
  fit: (prompt, { names, mustBeEager }) =>
    withoutLostReferences(prompt, names, (name) => names.has(name) && !mustBeEager(name)),
  withNamespaces: (prompt) => prompt,
  calledInNamespaces: () => new Set(),

  canRemove: true,
  changesMessage: (changes) => {
    const toolChanges = changes.map((change) =>
      change.type === 'addition'
        ? { type: 'tool_addition', tool: change.tool }
        : { type: 'tool_removal', toolName: change.name },
    );
    return optionsMessage(NAME, { toolChanges });
  },
  probe: {
    tool: { type: 'function', name: 'x', inputSchema: { type: 'object', properties: {} } },
    options: (tool) => ({ toolChanges: [{ type: 'tool_addition', tool }] }),
  },
};

/** Such as `claude-sonnet-4-5-20250929`, `claude-opus-4.6`, `us.anthropic.claude-haiku-4-5-v1:0`, `claude-sonnet-4-5@20250929` */
function claude(modelId: string): { readonly family: string; readonly version: Version } | undefined {
  // A number of more than two digits is a date. Before version 4 the number came first: claude-3-5-sonnet.
  const found = /(?:^|[./])claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(modelId);
  return found ? { family: String(found[1]), version: [Number(found[2]), Number(found[3] ?? 0)] } : undefined;
}
