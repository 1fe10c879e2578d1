import type { NativeDialect, NativeModel } from '../options/native.ts';

type Version = readonly [major: number, minor: number];

/** The first versions with tool search. */
const FIRST_WITH_SEARCH: Readonly<Record<NativeDialect, Version>> = { anthropic: [4, 5], openai: [5, 4] };

/**
 * The first versions that take definitions in mid-conversation: of each family of Claude, as Anthropic's documentation has
 * it (Sonnet 5 takes system messages there, and no definitions), and of GPT, as others have seen.
 */
const FIRST_APPENDING: Readonly<Record<string, Version>> = {
  opus: [4, 8],
  sonnet: [5, 5],
  haiku: [5, 5],
  fable: [5, 0],
  mythos: [5, 0],
  gpt: [5, 6],
};

/** The providers that take definitions by value. Bedrock, Vertex and Azure do not. */
const APPENDING_PROVIDERS: Readonly<Record<NativeDialect, string>> = {
  anthropic: 'anthropic.messages',
  openai: 'openai.responses',
};

/** Whether a model of this name has a tool search. OpenAI refuses it for its smallest, `gpt-5.4-nano`. */
export function hasToolSearch(modelId: string, dialect: NativeDialect): boolean {
  const found = dialect === 'anthropic' ? claude(modelId) : gpt(modelId);
  return (
    found !== undefined && isSince(found.version, FIRST_WITH_SEARCH[dialect]) && !/-nano(?![a-z0-9])/.test(modelId)
  );
}

/** Whether a model is known to take definitions in mid-conversation. The packages do not look at the model. */
export function takesDefinitions({ provider, modelId = '' }: NativeModel, dialect: NativeDialect): boolean {
  const found = dialect === 'anthropic' ? claude(modelId) : gpt(modelId);
  if (!found || provider !== APPENDING_PROVIDERS[dialect] || !Object.hasOwn(FIRST_APPENDING, found.family))
    return false;
  return isSince(found.version, FIRST_APPENDING[found.family] as Version);
}

interface Found {
  readonly family: string;
  readonly version: Version;
}

/** Such as `claude-sonnet-4-5-20250929`, `claude-opus-4.6`, `us.anthropic.claude-haiku-4-5-v1:0`, `claude-sonnet-4-5@20250929` */
function claude(modelId: string): Found | undefined {
  // A number of more than two digits is a date. Before version 4 the number came first: claude-3-5-sonnet.
  const found = /(?:^|[./])claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(modelId);
  return found ? { family: String(found[1]), version: [Number(found[2]), Number(found[3] ?? 0)] } : undefined;
}

/** Such as `gpt-5.4`, `gpt-5.4-mini-2026-03-05`, `gpt-6`. */
function gpt(modelId: string): Found | undefined {
  const found = /^gpt-(\d{1,2})(?:\.(\d{1,2}))?(?![\d.])/.exec(modelId);
  return found ? { family: 'gpt', version: [Number(found[1]), Number(found[2] ?? 0)] } : undefined;
}

function isSince([major, minor]: Version, [firstMajor, firstMinor]: Version): boolean {
  return major > firstMajor || (major === firstMajor && minor >= firstMinor);
}
