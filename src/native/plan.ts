import { ANTHROPIC_SEARCHES, OPENAI_SEARCH } from '../conversation/provider-searches.ts';
import type { NativeDialect, NativeModel, ResolvedNative } from '../options/native.ts';
import { asRecord } from '../util/record.ts';

/** How a step uses the provider's tool search. */
export interface NativePlan {
  readonly dialect: NativeDialect;
  readonly execution: 'client' | 'server';
  /** The name of the search tool, as it is sent. */
  readonly searchName: string;
  readonly variant: 'bm25' | 'regex';
}

/** The tool search of a model. */
export interface NativeSupport {
  readonly dialect: NativeDialect;
  /** Bedrock has no other variant. */
  readonly isRegexOnly: boolean;
}

/** @param ownSearch - the name of the meta-tool, which Anthropic's models call where this processor searches. */
export function planFor(
  { dialect, isRegexOnly }: NativeSupport,
  { execution, variant: wanted }: Pick<ResolvedNative, 'execution' | 'variant'>,
  ownSearch: string,
): NativePlan {
  const variant = isRegexOnly ? 'regex' : wanted;
  if (dialect === 'openai') return { dialect, execution, variant, searchName: OPENAI_SEARCH };
  return { dialect, execution, variant, searchName: execution === 'client' ? ownSearch : ANTHROPIC_SEARCHES[variant] };
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

/** The first versions with tool search. */
const FIRST_CLAUDE = [4, 5] as const;
const FIRST_GPT = [5, 4] as const;

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
  if (dialect === 'anthropic' && isClaude(modelId)) return support(dialect, provider);
  if (dialect === 'openai' && isGpt(modelId)) return support(dialect, provider);
  return undefined;
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

/** Such as `claude-sonnet-4-5-20250929`, `claude-opus-4.6`, `us.anthropic.claude-haiku-4-5-v1:0`, `claude-sonnet-4-5@20250929` */
function isClaude(modelId: string): boolean {
  // A number of more than two digits is a date. Before version 4 the number came first: claude-3-5-sonnet.
  return isSince(/(?:^|[./])claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(modelId), FIRST_CLAUDE);
}

/** Such as `gpt-5.4`, `gpt-5.4-mini-2026-03-05`, `gpt-6`. OpenAI refuses tool search for its smallest, `gpt-5.4-nano`. */
function isGpt(modelId: string): boolean {
  if (/-nano(?![a-z0-9])/.test(modelId)) return false;
  return isSince(/^gpt-(\d{1,2})(?:\.(\d{1,2}))?(?![\d.])/.exec(modelId), FIRST_GPT);
}

function isSince(found: RegExpExecArray | null, [firstMajor, firstMinor]: readonly [number, number]): boolean {
  if (!found) return false;
  const major = Number(found[1]);
  return major > firstMajor || (major === firstMajor && Number(found[2] ?? 0) >= firstMinor);
}
