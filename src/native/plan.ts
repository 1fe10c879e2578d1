import { ANTHROPIC_SEARCHES, OPENAI_SEARCH } from '../loaded/conversation/provider-searches.ts';
import type { NativeDialect, NativeModel, ResolvedNative } from '../options/native.ts';
import { asRecord } from '../util/record.ts';
import { hasToolSearch } from './models.ts';

/** How a step uses the provider's tool search. */
export interface NativePlan {
  readonly dialect: NativeDialect;
  readonly execution: 'client' | 'server';
  /** The name of the search tool, as it is sent. */
  readonly searchName: string;
  readonly variant: 'bm25' | 'regex';
  /** Whether definitions are sent in mid-conversation. */
  readonly appends: boolean;
  /**
   * Whether Anthropic's model reads what was found in appended definitions alone: no tool of the catalog is deferred, and a
   * search is a call like any other.
   */
  readonly appendsAll: boolean;
}

/** The tool search of a model. */
export interface NativeSupport {
  readonly dialect: NativeDialect;
  /** Bedrock has no other variant. */
  readonly isRegexOnly: boolean;
}

/**
 * @param appends - whether definitions can be sent in mid-conversation.
 * @param ownSearch - the name of the meta-tool, which Anthropic's models call where this processor searches.
 */
export function planFor(
  { dialect, isRegexOnly }: NativeSupport,
  { execution, variant: wanted }: Pick<ResolvedNative, 'execution' | 'variant'>,
  appends: boolean,
  ownSearch: string,
): NativePlan {
  const variant = isRegexOnly ? 'regex' : wanted;
  const appendsAll = dialect === 'anthropic' && execution === 'client' && appends;
  const common = { dialect, execution, variant, appends, appendsAll };
  if (dialect === 'openai') return { ...common, searchName: OPENAI_SEARCH };
  return { ...common, searchName: execution === 'client' ? ownSearch : ANTHROPIC_SEARCHES[variant] };
}

/** Whether a search is OpenAI's, with our ranking: what it finds need not be in the request. */
export function isAnsweredHere({ dialect, execution }: Pick<NativePlan, 'dialect' | 'execution'>): boolean {
  return dialect === 'openai' && execution === 'client';
}

/** The provider's search tool, which runs in the request. */
export function hostedSearch({ dialect, variant, searchName }: NativePlan): object {
  const id = dialect === 'openai' ? 'openai.tool_search' : `anthropic.tool_search_${variant}_20251119`;
  return { type: 'provider-defined', id, name: searchName, args: {} };
}

/** Where Mastra's router calls the provider itself: elsewhere it goes through an interface without tool search. */
const DIRECT_GATEWAYS: ReadonlySet<unknown> = new Set(['models.dev', 'netlify']);
/** Versions of the AI SDK whose packages send `deferLoading`. Older ones drop it, and would send every tool eager. */
const CURRENT_SPECIFICATIONS: ReadonlySet<unknown> = new Set(['v3', 'v4']);

const ANTHROPIC_PROVIDER = /^(?:anthropic|bedrock\.anthropic|vertex\.anthropic|googleVertex\.anthropic)\.messages$/;
/** Azure's models are called by the names of their deployments, which tell nothing. */
const OPENAI_PROVIDER = /^openai\.responses$/;

/** The tool search of a model; undefined where it has none, or is not known to have one. */
export function detectNative(model: NativeModel): NativeSupport | undefined {
  const { provider = '', modelId = '' } = model;
  const dialect = dialectOf(model);
  return dialect && hasToolSearch(modelId, dialect) ? support(dialect, provider) : undefined;
}

/** The tool search of a model that is known to speak a dialect. */
export function support(dialect: NativeDialect, provider: unknown): NativeSupport {
  return { dialect, isRegexOnly: typeof provider === 'string' && provider.startsWith('bedrock.') };
}

function dialectOf({ specificationVersion, provider = '', gatewayId, config }: NativeModel): NativeDialect | undefined {
  if (gatewayId !== undefined) {
    // An address of the user's own is called through an interface without tool search.
    if (!DIRECT_GATEWAYS.has(gatewayId) || asRecord(config)?.['url'] !== undefined) return undefined;
    return provider === 'anthropic' || provider === 'openai' ? provider : undefined;
  }
  if (!CURRENT_SPECIFICATIONS.has(specificationVersion)) return undefined;
  if (ANTHROPIC_PROVIDER.test(provider)) return 'anthropic';
  return OPENAI_PROVIDER.test(provider) ? 'openai' : undefined;
}
