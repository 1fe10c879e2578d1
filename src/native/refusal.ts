import { asRecord, Lru } from '../kit.ts';

/** Words of a provider that refuses a part of a tool search. */
const NAMES_TOOL_SEARCH =
  /tool[ _-]?search|tool[ _-]?references?\b|defer_loading|deferLoading|deferred tool|namespace for function_call/i;

/** Words of a refusal of definitions in mid-conversation, by a provider or by a package. */
const NAMES_APPENDING =
  /tool_addition|tool_removal|tool_definition|inline[ _-]tools?|mid-conversation|additional_?tools|role ['"]?system|tool_reference_unresolved|available_tools_limit|tool_name_conflict|invalid (?:anthropic|openai) provider options|any expected variant/i;

/** Words of a refusal of certain definitions, where others may go well. */
const NAMES_APPENDED =
  /must (?:follow|precede)|tool_reference_unresolved|available_tools_limit|tool_name_conflict|provider options|Duplicate/i;

/** Words of a refusal that is about one conversation, where another may go well. */
const NAMES_CONVERSATION = /namespace for function_call|not found|was found without|without its required/i;

/** Words of OpenAI that misses the namespace of a call. */
const NAMES_NAMESPACE = /missing namespace for function_call/i;

/** Words of Anthropic that takes no thinking whose beginning has changed. */
const NAMES_BOUND_THINKING = /bound to a different conversation/i;

/** How deep errors within errors are read. */
const MAX_DEPTH = 5;

/** Whether an error is a provider's 400 that names its tool search. Never throws, whatever the error does. */
export function isRefusal(error: unknown): boolean {
  return isRefused(error, NAMES_TOOL_SEARCH);
}

/** Whether a refusal is about this conversation, and not about the model. Never throws. */
export function isAboutConversation(error: unknown): boolean {
  return isRefused(error, NAMES_CONVERSATION);
}

/** Whether Anthropic refuses thinking whose beginning has changed. Never throws. */
export function isBoundThinking(error: unknown): boolean {
  return isRefused(error, NAMES_BOUND_THINKING);
}

/** Whether OpenAI misses the namespace in a call of a tool that a search has loaded. Never throws. */
export function isMissingNamespace(error: unknown): boolean {
  return isRefused(error, NAMES_NAMESPACE);
}

/** Whether an error refuses definitions in mid-conversation: a provider's, or one of its package. Never throws. */
export function isRefusalToAppend(error: unknown): boolean {
  return isRefused(error, NAMES_APPENDING);
}

/** Whether a refusal is about certain definitions, or their place, and not about the model. Never throws. */
export function isAboutAppended(error: unknown): boolean {
  return isRefused(error, NAMES_APPENDED);
}

function isRefused(error: unknown, names: RegExp): boolean {
  try {
    let current = asRecord(error);
    for (let depth = 0; current && depth < MAX_DEPTH; depth++) {
      const { name, statusCode, message, responseBody, lastError, cause } = current;
      if (statusCode === 400 || statusCode === 422 || name === 'AI_InvalidArgumentError') {
        return [message, responseBody].some((text) => typeof text === 'string' && names.test(text));
      }
      current = asRecord(lastError) ?? asRecord(cause);
    }
  } catch {
    // What cannot be read is no refusal.
  }
  return false;
}

/** How long a model is remembered: then the provider may have changed its mind, or the account its rights. */
const REMEMBERED_MS = 60 * 60 * 1000;
const MAX_REMEMBERED = 100;

/** Names of models, each remembered for an hour. */
export class Remembered {
  readonly #until = new Lru<number>(MAX_REMEMBERED);

  note(name: string): void {
    this.#until.set(name, Date.now() + REMEMBERED_MS);
  }

  has(name: string): boolean {
    return (this.#until.get(name) ?? 0) > Date.now();
  }
}
