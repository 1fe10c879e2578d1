import type { AnthropicBlock, AnthropicBody, AnthropicMessage } from './fake-anthropic.ts';
import { blocksOf, familyOf } from './fake-anthropic-blocks.ts';

/** Versions of models that bind their thinking to what stood before it, by family. */
const FIRST: Readonly<Record<string, number>> = { opus: 5.5, sonnet: 5.5, haiku: 5.5, fable: 5.1, mythos: 5.1 };

/**
 * What stood before the thinking that the service has answered: newer models take no thinking whose conversation has
 * changed since, be it in `system`, in `tools` or in an earlier message.
 */
export class Bindings {
  readonly #before = new Map<string, string>();

  note(body: AnthropicBody, content: readonly AnthropicBlock[]): void {
    for (const [at, { type, signature }] of content.entries()) {
      if (type === 'thinking' && signature)
        this.#before.set(signature, prefix(body, body.messages, content.slice(0, at)));
    }
  }

  /** What the service says of a request in which something has changed. */
  *broken(body: AnthropicBody): Generator<string> {
    const [family, version] = familyOf(body.model);
    if (version < (FIRST[family] ?? Number.POSITIVE_INFINITY)) return;
    for (const [index, message] of body.messages.entries()) {
      if (message.role !== 'assistant') continue;
      const blocks = blocksOf(message);
      for (const [at, { type, signature = '' }] of blocks.entries()) {
        const before = type === 'thinking' ? this.#before.get(signature) : undefined;
        if (before === undefined) continue;
        const now = prefix(body, body.messages.slice(0, index), blocks.slice(0, at));
        if (now === before) continue;
        const place = `messages.${index}.content.${at}`;
        yield `${place}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
      }
    }
  }
}

/** All that counts before a block, as one text. Marks of the prompt cache may move, and the oldest thinking may go. */
function prefix(
  { system, tools }: AnthropicBody,
  messages: readonly AnthropicMessage[],
  own: readonly AnthropicBlock[],
): string {
  const said = messages.map(({ role, content }) =>
    typeof content === 'string' ? { role, blocks: [{ type: 'text', text: content }] } : { role, blocks: content },
  );
  const blocks = [...said, { role: 'assistant', blocks: own }].flatMap((message) =>
    message.blocks.filter(({ type }) => type !== 'thinking').map((block) => ({ role: message.role, block })),
  );
  return JSON.stringify({ system, tools, blocks }, (key, value) => (key === 'cache_control' ? undefined : value));
}
