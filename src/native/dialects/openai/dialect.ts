import { asRecord } from '../../../kit.ts';
import {
  type Definition,
  type Dialect,
  isCalledDirectly,
  isSince,
  type Namespace,
  optionsMessage,
  type Version,
} from '../../dialect.ts';
import { asPlainCalls, loadModeRewriting, rewriteSearches } from '../../history.ts';
import {
  calledInNamespaces,
  definedIn,
  isForgotten,
  isStored,
  OPENAI,
  rewrite,
  SEARCH,
  withNamespaces,
} from './history.ts';
import { clientSearch, hostedSearch, inNamespaces } from './search.ts';

/** Azure's models are called by the names of their deployments, which say nothing. */
const PACKAGES = /^openai\.responses$/;

const FIRST_WITH_SEARCH: Version = [5, 4];
/** The first version that takes definitions in mid-conversation, as others have seen. */
const FIRST_APPENDING: Version = [5, 6];

/** OpenAI's tool search: results hold the definitions of the tools. */
export const openai: Dialect = {
  name: OPENAI,
  searchNames: [SEARCH],

  // OpenAI refuses it for its smallest, `gpt-5.4-nano`.
  supports: (model) => {
    const { modelId = '' } = model;
    const version = isCalledDirectly(model, OPENAI, PACKAGES) ? gpt(modelId) : undefined;
    return version !== undefined && isSince(version, FIRST_WITH_SEARCH) && !/-nano(?![a-z0-9])/.test(modelId);
  },
  // Azure takes no definitions by value.
  takesDefinitions: ({ provider, modelId = '' }) => {
    const version = gpt(modelId);
    return version !== undefined && provider === 'openai.responses' && isSince(version, FIRST_APPENDING);
  },
  plan: ({ execution }) => ({
    searchName: SEARCH,
    appendsAll: false,
    answersSearch: execution === 'client',
    loadsWeak: true,
  }),

  hostedSearch,
  clientSearch,
  refusedOptions: [],
  deferOptions: (options, namespace) => {
    // Azure's package reads its own options, and OpenAI's where there are none.
    const providers = options['azure'] === undefined ? [OPENAI] : [OPENAI, 'azure'];
    const deferred = { deferLoading: true, ...(namespace ? { namespace } : {}) };
    return Object.fromEntries(providers.map((provider) => [provider, { ...options[provider], ...deferred }]));
  },
  namespaces: { named: withNamespaces, called: calledInNamespaces },

  reads: (toolName, side) => toolName === SEARCH && side !== undefined,
  isForgotten,
  isStored,
  namesRead: definedIn,
  rewrite,
  fit: (prompt, { hasSearch, providerOptions, metaTools }) => {
    if (hasSearch) return prompt;
    // OpenAI takes a search for its own only where the request has the search tool, or by its id.
    const rewriting = isStored(providerOptions) ? asPlainCalls(metaTools) : loadModeRewriting(metaTools);
    return rewriteSearches(prompt, metaTools, rewriting);
  },

  changes: {
    canRemove: false,
    message: (changes) => {
      const added = changes.flatMap((change) => (change.type === 'addition' ? [change.tool] : []));
      const namespaces = new Map(added.map((tool) => [tool.name, namespaceOf(tool)]));
      const functions = added.map(({ name, description = '', inputSchema: parameters, strict = false }) => {
        return { type: 'function' as const, name, description, parameters, strict };
      });
      return optionsMessage(OPENAI, { additionalTools: inNamespaces(functions, (name) => namespaces.get(name)) });
    },
    probe: {
      tool: { type: 'function', name: 'x', parameters: { type: 'object', properties: {} } },
      options: (tool) => ({ additionalTools: [tool] }),
    },
  },
};

/** The namespace in which a tool is sent: in the form in which it stands in the list of tools. */
function namespaceOf({ providerOptions }: Definition): Namespace | undefined {
  const { name, description } = asRecord(asRecord(asRecord(providerOptions)?.[OPENAI])?.['namespace']) ?? {};
  return typeof name === 'string' ? { name, description: String(description ?? name) } : undefined;
}

/** The version of such as `gpt-5.4`, `gpt-5.4-mini-2026-03-05`, `gpt-6`. */
function gpt(modelId: string): Version | undefined {
  const found = /^gpt-(\d{1,2})(?:\.(\d{1,2}))?(?![\d.])/.exec(modelId);
  return found ? [Number(found[1]), Number(found[2] ?? 0)] : undefined;
}
