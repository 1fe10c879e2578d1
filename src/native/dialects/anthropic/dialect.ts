import { mapToolParts, metaToolsPrompts as prompts, type ToolPart } from '../../../kit.ts';
import { asRecord } from '../../../util/record.ts';
import {
  type Dialect,
  isCalledDirectly,
  type NativeTools,
  optionsMessage,
  type RewrittenSearch,
  versionOf,
} from '../../dialect.ts';

const NAME = 'anthropic';
const PACKAGES = /^(?:anthropic|bedrock\.anthropic|vertex\.anthropic|googleVertex\.anthropic)\.messages$/;

/**
 * The names of Anthropic's search tools, by variant. If the request does not have the search tool, the package
 * recognises search blocks in the history only by these names, and drops blocks with other names.
 */
const SEARCHES = { bm25: 'tool_search_tool_bm25', regex: 'tool_search_tool_regex' } as const;
const IDS: Readonly<Record<string, string>> = {
  [SEARCHES.bm25]: 'anthropic.tool_search_bm25_20251119',
  [SEARCHES.regex]: 'anthropic.tool_search_regex_20251119',
};

const FIRST_WITH_SEARCH = versionOf('4', '5');

/**
 * The first version of each family that accepts definitions in mid-conversation, according to Anthropic's
 * documentation. Sonnet 5 accepts system messages there, but no definitions.
 */
const FIRST_APPENDING: Readonly<Record<string, number>> = {
  opus: versionOf('4', '8'),
  sonnet: versionOf('5', '5'),
  haiku: versionOf('5', '5'),
  fable: versionOf('5'),
  mythos: versionOf('5'),
};

/** Anthropic's tool search: a result refers by name to tools that the request sends deferred. */
export const anthropic: Dialect = {
  name: NAME,
  searchNames: Object.values(SEARCHES),

  supports: (model) => isCalledDirectly(model, NAME, PACKAGES) && claude(model.modelId).version >= FIRST_WITH_SEARCH,
  // Bedrock and Vertex accept no definitions in mid-conversation.
  takesDefinitions: ({ provider, modelId }) => {
    const { family, version } = claude(modelId);
    return provider === 'anthropic.messages' && version >= (FIRST_APPENDING[family] ?? Number.POSITIVE_INFINITY);
  },
  // Bedrock has only one variant.
  searchName: ({ provider }) =>
    SEARCHES[typeof provider === 'string' && provider.startsWith('bedrock.') ? 'regex' : 'bm25'],

  hostedSearch: (name) => ({ type: 'provider-defined', id: IDS[name], name, args: {} }),
  // Anthropic refuses a deferred tool that has a breakpoint of the prompt cache.
  refusedOptions: ['cacheControl', 'cache_control', 'cachePoint'],
  deferOptions: (options) => ({ [NAME]: { ...options[NAME], deferLoading: true } }),

  reads: (toolName, side, execution) => (isSearch(toolName) ? execution === 'server' : side !== 'server'),
  isForgotten: (result) => typeof result !== 'object' || result === null,
  isStored: () => true,
  namesRead: (part) => referencesIn(part).map(({ name }) => name),
  /**
   * Rewrites a search for Anthropic's models: results of this processor become references to deferred tools. The
   * references are made for each request and never stored, so that any other model can continue the conversation.
   * Anthropic refuses a reference to a tool that is gone, so such references are left out.
   */
  rewrite: (search, sent) => {
    const { origin, call, result, found, called } = search;
    if (isSearch(call.toolName)) {
      if (sent.plan.execution === 'client') return undefined;
      return ofVariant({ call, result: result && acceptable(withReferableFinds(result, called, sent), sent) });
    }
    if (origin === 'server') return undefined;
    const own = origin === 'meta-tool' ? { call, result } : search.asPlain();
    return { call: own.call, result: own.result && withReferences(own.result, found, sent) };
  },
  // Removes references to tools that the request does not defer. If the request lacks Anthropic's own search tool, the
  // search is removed as a whole.
  fit: (prompt, { names, mustBeEager }) =>
    mapToolParts(prompt, (part) => {
      if (isSearch(part.toolName) && !names.has(part.toolName)) return undefined;
      const referred = referencesIn(part);
      const kept = referred.filter(({ name }) => names.has(name) && !mustBeEager(name));
      if (part.type !== 'tool-result' || kept.length === referred.length) return part;
      const values = kept.map(({ item }) => item);
      if (part.output?.type === 'json') return { ...part, output: { type: 'json', value: values } };
      if (kept.length > 0) return { ...part, output: { type: 'content', value: values } };
      const gone = referred.map(({ name }) => name);
      return { ...part, output: insteadOfReferences(gone, names) };
    }),

  changes: {
    canRemove: true,
    message: (changes) => {
      const toolChanges = changes.map((change) =>
        change.type === 'addition'
          ? { type: 'tool_addition', tool: change.tool }
          : { type: 'tool_removal', toolName: change.name },
      );
      return optionsMessage(NAME, { toolChanges });
    },
  },
};

/**
 * Parses model ids such as `claude-sonnet-4-5-20250929`, `claude-opus-4.6`, `us.anthropic.claude-haiku-4-5-v1:0` and
 * `claude-sonnet-4-5@20250929`.
 */
function claude(modelId = ''): { readonly family: string; readonly version: number } {
  // A number of more than two digits is a date. Before version 4 the number came first: claude-3-5-sonnet.
  const found = /(?:^|[./])claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(modelId);
  return { family: found?.[1] ?? '', version: versionOf(found?.[2], found?.[3]) };
}

function isSearch(toolName: unknown): boolean {
  return toolName === SEARCHES.bm25 || toolName === SEARCHES.regex;
}

function withReferences(part: ToolPart, names: readonly string[], sent: NativeTools): ToolPart {
  if (part.output?.type !== 'json' || names.length === 0) return part;
  const references = names.flatMap((toolName) => {
    const reference = { [NAME]: { type: 'tool-reference', toolName } };
    // Mastra's TokenLimiter counts a part without `data` as media of unknown size.
    return sent.isReferable(toolName) ? [{ type: 'custom', data: '', providerOptions: reference }] : [];
  });
  if (references.length > 0) return { ...part, output: { type: 'content', value: references } };
  return { ...part, output: insteadOfReferences(names, sent.eager) };
}

/** Returns the text for a result that has lost all its references. */
function insteadOfReferences(
  names: readonly string[],
  sentEager: ReadonlySet<string>,
): { type: 'text'; value: string } {
  const there = names.filter((name) => sentEager.has(name));
  return { type: 'text', value: there.length > 0 ? prompts.sentAnyway(there) : prompts.noLongerLoaded(names) };
}

/**
 * Gives a search the name of its variant, which its input shows. If a result arrives one answer after its call, the
 * packages give the result the name of the other variant, and Mastra renames the call accordingly.
 */
function ofVariant({ call, result }: RewrittenSearch): RewrittenSearch {
  const input = asRecord(call.input) ?? {};
  const variant = 'query' in input ? 'bm25' : 'pattern' in input ? 'regex' : undefined;
  const toolName = variant === undefined ? call.toolName : SEARCHES[variant];
  if (call.toolName === toolName) return { call, result };
  return { call: { ...call, toolName }, result: result && { ...result, toolName } };
}

/**
 * Replaces a result that the provider's package would refuse. All packages accept only JSON; the package of Mastra's
 * router also refuses the error of a search.
 */
function acceptable(part: ToolPart, { model }: NativeTools): ToolPart {
  const { type, value } = part.output ?? {};
  const isError = type === 'error-json' || (type === 'json' && !Array.isArray(value));
  const isRouted = model.gatewayId !== undefined;
  if (isError ? !isRouted : type === 'json') return part;
  return { ...part, output: { type: 'json', value: [] } };
}

function withReferableFinds(part: ToolPart, called: readonly string[], sent: NativeTools): ToolPart {
  const value = part.output?.value;
  if (part.output?.type === 'json' && (typeof value !== 'object' || value === null)) {
    // A DurableAgent drops the found tools. Of these, only the tools that were called later are known.
    const found = called.filter((name) => sent.isReferable(name));
    const references = found.map((toolName) => ({ type: 'tool_reference', toolName }));
    return { ...part, output: { type: 'json', value: references } };
  }
  if (!Array.isArray(value)) return part;
  const kept = value.filter((item) => sent.isReferable(String(asRecord(item)?.['toolName'])));
  return kept.length === value.length ? part : { ...part, output: { type: 'json', value: kept } };
}

/** Finds the references to deferred tools in a result of this processor or of Anthropic's own search. */
function referencesIn(part: ToolPart): readonly { readonly name: string; readonly item: unknown }[] {
  const { output } = part;
  if (!Array.isArray(output?.value)) return [];
  return output.value.flatMap((item) => {
    const { toolName, providerOptions } = asRecord(item) ?? {};
    const own = asRecord(asRecord(providerOptions)?.[NAME]);
    const name = isSearch(part.toolName) ? toolName : own?.['type'] === 'tool-reference' && own['toolName'];
    return typeof name === 'string' ? [{ name, item }] : [];
  });
}
