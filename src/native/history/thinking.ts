import { isReasoning, type Prompt } from '../../kit.ts';

/**
 * The prompt without what the model thought before the user's last message. Claude's newest models bind their thinking to
 * all that stood before it, and Anthropic refuses it where that has changed; earlier thinking may go.
 *
 * @returns the same prompt where there is none.
 */
export function withoutEarlierThinking(prompt: Prompt): Prompt {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  let isSame = true;
  const kept = prompt.flatMap((message, at) => {
    const { role, content } = message;
    if (role !== 'assistant' || at > last || !Array.isArray(content) || !content.some(isReasoning)) return [message];
    isSame = false;
    const others = content.filter((part) => !isReasoning(part));
    return others.length > 0 ? [{ ...message, content: others }] : [];
  });
  return isSame ? prompt : kept;
}
