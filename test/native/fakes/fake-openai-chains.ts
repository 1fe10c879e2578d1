import type { OpenAIItem } from './fake-openai.ts';

const isReasoning = ({ type }: OpenAIItem): boolean => type === 'reasoning';
const kindOf = ({ type, role }: OpenAIItem): string => type ?? (role === 'assistant' ? 'message' : '');

/**
 * What belongs together in the responses of a reasoning model: what it reasoned has to be followed by what it did
 * then, and an item that is sent with its id has to come behind its reasoning.
 */
export class Chains {
  /** The item that came first behind reasoning, by the id of the reasoning. */
  readonly #follower = new Map<string, OpenAIItem>();
  /** The reasoning that an item came behind, by the id of the item. */
  readonly #reasoning = new Map<string, string>();

  /** Remembers a response. */
  note(content: readonly OpenAIItem[]): void {
    let last = '';
    for (const [index, item] of content.entries()) {
      const { id = '' } = item;
      if (isReasoning(item)) {
        last = id;
        const follower = content.slice(index + 1).find((other) => !isReasoning(other));
        if (follower) this.#follower.set(id, follower);
      } else if (last !== '') this.#reasoning.set(id, last);
    }
  }

  /** What the service says of an input that breaks one. */
  *broken(input: readonly OpenAIItem[]): Generator<string> {
    const seen = new Set<string>();
    for (const [index, item] of input.entries()) {
      const { id } = item;
      if (id === undefined) continue;
      seen.add(id);
      const needed = this.#reasoning.get(id);
      if (needed !== undefined && !seen.has(needed)) {
        yield `Item '${id}' of type '${kindOf(item)}' was provided without its required 'reasoning' item: '${needed}'.`;
      }
      const follower = isReasoning(item) ? this.#follower.get(id) : undefined;
      const next = input.slice(index + 1).find((other) => !isReasoning(other));
      if (follower && !(next && isSame(follower, next))) {
        yield `Item '${id}' of type 'reasoning' was provided without its required following item.`;
      }
    }
  }
}

/** An item that is sent whole may lack its id. */
function isSame(item: OpenAIItem, sent: OpenAIItem): boolean {
  if (sent.id !== undefined) return sent.id === item.id;
  return kindOf(sent) === kindOf(item) && sent.call_id === item.call_id;
}
