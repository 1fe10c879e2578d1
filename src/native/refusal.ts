import { asRecord, Lru } from '../kit.ts';

/** What providers, and their packages, refuse. */
export type Refusable = 'toolSearch' | 'conversation' | 'appending' | 'appended' | 'namespace' | 'boundThinking';

/** The words in which they do. */
const WORDS: Readonly<Record<Refusable, RegExp>> = {
  /** A part of a tool search. */
  toolSearch:
    /tool[ _-]?search|tool[ _-]?references?\b|defer_loading|deferLoading|deferred tool|namespace for function_call/i,
  /** A part of this conversation, where another one may go well. */
  conversation: /namespace for function_call|not found|was found without|without its required/i,
  /** Definitions in mid-conversation. */
  appending:
    /tool_addition|tool_removal|tool_definition|inline[ _-]tools?|mid-conversation|additional_?tools|role ['"]?system|tool_reference_unresolved|available_tools_limit|tool_name_conflict|invalid (?:anthropic|openai) provider options|any expected variant/i,
  /** Certain definitions in mid-conversation, or their place, where others may go well. */
  appended:
    /must (?:follow|precede)|tool_reference_unresolved|available_tools_limit|tool_name_conflict|provider options|Duplicate/i,
  /** A call without its namespace. */
  namespace: /missing namespace for function_call/i,
  /** Thinking whose beginning has changed. */
  boundThinking: /bound to a different conversation/i,
};

/** How deep errors within errors are read. */
const MAX_DEPTH = 5;

/** Whether an error of a provider, or of its package, refuses this. Never throws, whatever the error does. */
export function refuses(error: unknown, what: Refusable): boolean {
  try {
    let current = asRecord(error);
    for (let depth = 0; current && depth < MAX_DEPTH; depth++) {
      const { name, statusCode, message, responseBody, lastError, cause } = current;
      if (statusCode === 400 || statusCode === 422 || name === 'AI_InvalidArgumentError') {
        return [message, responseBody].some((text) => typeof text === 'string' && WORDS[what].test(text));
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

/** Facts about models and conversations, each remembered for an hour. */
export class Remembered {
  readonly #until = new Lru<number>(MAX_REMEMBERED);

  note(fact: string): void {
    this.#until.set(fact, Date.now() + REMEMBERED_MS);
  }

  has(fact: string): boolean {
    return (this.#until.get(fact) ?? 0) > Date.now();
  }
}
