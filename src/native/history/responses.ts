import { asRecord, type Conversation, isReasoning, mapContent, type Prompt, partsOf, toolPartsIn } from '../../kit.ts';

/**
 * Takes responses of OpenAI's models apart that are no longer whole. OpenAI rejects reasoning without the action that
 * followed it, and an item sent by its id without its reasoning. So the reasoning goes, and what ran at OpenAI; the rest
 * is sent as if it had never had an id.
 *
 * Mastra spreads a response over several messages where texts or calls follow each other in it, and does not tell where
 * it ends. Here a response ends at the next reasoning, or at the user's next message.
 *
 * @param isBroken - asked of each response that begins with reasoning.
 * @returns the same prompt where nothing changes.
 */
export function takeApart(prompt: Prompt, isBroken: (response: readonly unknown[]) => boolean): Prompt {
  const broken = new Set(responsesIn(prompt).filter(isBroken).flat());
  if (broken.size === 0) return prompt;
  const dropped = new Set<unknown>();
  return mapContent(prompt, (parts) => {
    const pieces = parts.flatMap((part) => (broken.has(part) ? pieceOf(part, dropped) : [part]));
    return pieces.filter((part) => !dropped.has(fieldsOf(part)['toolCallId']));
  });
}

/** The first action of a response, behind its reasoning. */
export function firstBehindReasoning(response: readonly unknown[]): unknown {
  return response.find((part) => !isReasoning(part));
}

/**
 * Takes responses apart whose first call Mastra left out of the prompt: a call that was not answered, or that ran at a
 * provider whose model did not end the run.
 *
 * @param messages - the conversation that the prompt was made of; asked for only where a response begins with reasoning.
 */
export function withoutLostCalls(prompt: Prompt, messages: () => Conversation): Prompt {
  if (responsesIn(prompt).length === 0) return prompt;
  const there = new Set<unknown>(toolPartsIn(prompt).map(({ toolCallId }) => toolCallId));
  const alone = new Set<unknown>();
  for (const message of messages()) {
    // From the end, as what is reasoned belongs to what comes next.
    let isLost = false;
    for (const part of partsOf(message?.content).toReversed()) {
      const { type, toolInvocation } = fieldsOf(part);
      const id = isReasoning(part) ? itemIdOf(part) : undefined;
      if (isLost && id !== undefined) alone.add(id);
      if (type === 'text') isLost = false;
      if (toolInvocation) isLost = !there.has(fieldsOf(toolInvocation)['toolCallId']);
    }
  }
  if (alone.size === 0) return prompt;
  const isAlone = (part: unknown): boolean => isReasoning(part) && alone.has(itemIdOf(part));
  const whole = takeApart(prompt, (response) => isAlone(response.findLast(isReasoning)));
  // Of a response that lacks all but its reasoning, this stands before that of the next one.
  return mapContent(whole, (parts) => parts.filter((part) => !isAlone(part)));
}

/** The responses in a prompt that begin with reasoning. */
function responsesIn(prompt: Prompt): readonly (readonly unknown[])[] {
  const responses: unknown[][] = [];
  let response: unknown[] = [];
  for (const { role, content } of prompt) {
    if (role === 'tool') continue;
    if (role !== 'assistant' || !Array.isArray(content)) response = [];
    else {
      for (const [at, part] of content.entries()) {
        if (isReasoning(part) && !isReasoning(content[at - 1])) {
          response = [];
          if (itemIdOf(part) !== undefined) responses.push(response);
        }
        response.push(part);
      }
    }
  }
  return responses;
}

/** @param dropped - gets the ids of calls that go, so that their results go as well. */
function pieceOf(part: unknown, dropped: Set<unknown>): readonly unknown[] {
  if (isReasoning(part)) return [];
  const { type, toolCallId, providerExecuted } = fieldsOf(part);
  if (type !== 'tool-call' || providerExecuted !== true) return [withoutItemId(part)];
  dropped.add(toolCallId);
  return [];
}

function fieldsOf(part: unknown): Record<string, unknown> {
  return asRecord(part) ?? {};
}

/** Fields in which providers note things beside a part: in a prompt, and in a stored message. */
const NOTES = ['providerOptions', 'providerMetadata'] as const;

/** The id of an item of a response, as `openai` or `azure` noted it; undefined for any other part. */
export function itemIdOf(part: unknown): unknown {
  const notes = NOTES.flatMap((place) => Object.values(asRecord(fieldsOf(part)[place]) ?? {}));
  return notes.map((note) => fieldsOf(note)['itemId']).find((id) => typeof id === 'string');
}

function withoutItemId(part: unknown): unknown {
  if (itemIdOf(part) === undefined) return part;
  const changed = { ...fieldsOf(part) };
  for (const place of NOTES) {
    const notes = asRecord(changed[place]);
    if (!notes) continue;
    changed[place] = Object.fromEntries(
      Object.entries(notes).map(([provider, note]) => {
        const { itemId: _, ...others } = fieldsOf(note);
        return [provider, others];
      }),
    );
  }
  return changed;
}
