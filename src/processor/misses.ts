import { mapToolParts, type Prompt, type ToolPart } from '../loaded/conversation/prompt.ts';
import { canBeWrapped, wrapModel } from '../mastra/wrapped-model.ts';
import { loadMissedCalls } from '../meta-tools/missed-calls.ts';
import type { Services, Step } from '../meta-tools/step.ts';

/** A call of a model, as far as it is read here. */
interface ModelCall {
  readonly prompt: Prompt;
}

/**
 * Loads on miss, in a step behind a failed call. The code is a chunk of the package, which the first of them loads.
 *
 * @param model - of the step, where it can be told; else the news are system text.
 */
export async function loadMisses(step: Step, services: Services, model: unknown): Promise<void> {
  const { state } = step;
  await loadMissedCalls(step, services, canBeWrapped(model));
  if (state.news.size > 0) state.tell = (each) => withNews(each, state.news);
}

/**
 * The model of a step, which is told news of calls with their results: there it reads what to do next, and the beginning
 * of its prompt stays as it was. The conversation is stored without them.
 *
 * @param news - sentences by the id of a call.
 */
function withNews<Model>(model: Model, news: ReadonlyMap<string, string>): Model {
  return wrapModel<Model, ModelCall>(model, (call, next) => next({ ...call, prompt: told(call.prompt, news) }));
}

function told(prompt: Prompt, news: ReadonlyMap<string, string>): Prompt {
  if (!Array.isArray(prompt)) return prompt;
  return mapToolParts(prompt, (part) => {
    const sentence = part.type === 'tool-result' ? news.get(part.toolCallId) : undefined;
    return sentence === undefined ? part : withSentence(part, sentence);
  });
}

function withSentence(part: ToolPart, sentence: string): ToolPart {
  const { type = 'error-text', value } = part.output ?? {};
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  const kept = type === 'text' || type === 'error-text' ? type : 'error-text';
  return { ...part, output: { ...part.output, type: kept, value: `${text} ${sentence}` } };
}
