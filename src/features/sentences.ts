import { mapToolParts, type Prompt } from '../loaded/conversation/prompt.ts';
import type { StepMode } from '../modes/mode.ts';
import type { RequestState } from '../step/request.ts';
import type { Step } from '../step/step.ts';
import { Memory } from '../util/memory.ts';
import type { Feature } from './feature.ts';

interface OfRequest {
  /** Sentences, keyed by the id of the call to whose result the sentence is added. */
  readonly sentences: Map<string, string>;
  /** Whether Mastra calls `processLLMRequest` for this request. Mastra does not for processors inside a workflow. */
  isRewritten: boolean;
}

/**
 * Collects sentences about calls from other features. A sentence is added to the result of its call if the mode allows that
 * and Mastra calls `processLLMRequest`; else to the system text. A sentence stays until the request ends: removing the
 * sentence would invalidate the prompt cache.
 */
export class Sentences implements Feature {
  readonly #requests = new Memory<OfRequest, RequestState>(() => ({ sentences: new Map(), isRewritten: false }));

  /** @param ids - the calls that the sentence is about. */
  say(sentence: string, ids: readonly string[], { state }: Step, mode: StepMode): void {
    const { sentences, isRewritten } = this.#requests.of(state);
    if (mode.reportsWithResults === true && isRewritten) for (const id of ids) sentences.set(id, sentence);
    else if (!state.hints.includes(sentence)) state.hints.push(sentence);
  }

  /** Adds the sentences to the results of their calls, in the prompt only: the stored conversation stays unchanged. */
  rewritePrompt(prompt: Prompt, _model: unknown, state: RequestState): Prompt {
    const ofRequest = this.#requests.of(state);
    ofRequest.isRewritten = true;
    return withSentences(prompt, ofRequest.sentences);
  }
}

function withSentences(prompt: Prompt, sentences: ReadonlyMap<string, string>): Prompt {
  if (sentences.size === 0 || !Array.isArray(prompt)) return prompt;
  return mapToolParts(prompt, (part) => {
    const sentence = part.type === 'tool-result' ? sentences.get(part.toolCallId) : undefined;
    if (sentence === undefined) return part;
    const { type = 'error-text', value } = part.output ?? {};
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
    const kept = type === 'text' || type === 'error-text' ? type : 'error-text';
    return { ...part, output: { ...part.output, type: kept, value: `${text} ${sentence}` } };
  });
}
