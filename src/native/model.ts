import { OPENAI_SEARCH } from '../conversation/provider-searches.ts';
import { asRecord } from '../util/record.ts';
import type { Prompt } from './prompt.ts';

/** What a model is called with, as far as it is looked at: the same in all versions of the specification. */
export interface ModelCall {
  readonly prompt: Prompt;
  readonly tools?: readonly CalledTool[] | undefined;
  readonly toolChoice?: unknown;
  readonly providerOptions?: unknown;
}

/** A tool as a provider's package gets it. */
export interface CalledTool {
  readonly type: string;
  readonly name: string;
  readonly providerOptions?: unknown;
}

/** The name of the tool that a model is forced to call, in a step as in a call. */
export function forcedTool(toolChoice: unknown): string | undefined {
  const name = asRecord(toolChoice)?.['toolName'];
  return typeof name === 'string' ? name : undefined;
}

/** What a model is called with in the end. */
export interface LastLook {
  first(call: ModelCall): ModelCall;
  /** What to call it with once more, after this error; undefined where it stands. */
  again(call: ModelCall, error: unknown): ModelCall | undefined;
}

type Answer = { readonly stream?: unknown };

/**
 * The model of one native step. Nothing stands between it and the provider's package: it sees the tools and the prompt
 * after every processor and `prepareStep`, which may have taken some of either away.
 *
 * @param lastLook - what to call the model with instead.
 * @param answersSearches - whether OpenAI's searches are answered here.
 */
export function nativeModel<Model>(model: Model, lastLook: LastLook, answersSearches: boolean): Model {
  if (typeof model !== 'object' || model === null) return model;
  return new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      // Bound: a model keeps what it needs in private fields, which a proxy has not.
      const method = value.bind(target) as (call: ModelCall) => Promise<Answer>;
      // Mastra's models answer both with a stream.
      if (key !== 'doStream' && key !== 'doGenerate') return method;
      return async (call: ModelCall) => {
        const answer = await answerOf(method, call, lastLook);
        return answersSearches ? withSearchesAsCalls(answer) : answer;
      };
    },
  });
}

async function answerOf(
  method: (call: ModelCall) => Promise<Answer>,
  call: ModelCall,
  lastLook: LastLook,
): Promise<Answer> {
  try {
    return await method(lastLook.first(call));
  } catch (error) {
    const other = lastLook.again(call, error);
    if (!other) throw error;
    return method(other);
  }
}

/**
 * Gives the end after a search that is to be answered here the reason that it has after every other call. OpenAI's
 * package says `stop`, and a DurableAgent believes it and ends the run.
 */
function withSearchesAsCalls(answer: Answer): Answer {
  if (!(answer?.stream instanceof ReadableStream)) return answer;
  let isSearching = false;
  const stream = answer.stream.pipeThrough(
    new TransformStream<unknown, unknown>({
      transform(part, controller) {
        const { type, toolName, providerExecuted, finishReason } = asRecord(part) ?? {};
        if (type === 'tool-call' && toolName === OPENAI_SEARCH && providerExecuted !== true) isSearching = true;
        const isEnd = type === 'finish' && isSearching;
        controller.enqueue(isEnd ? { ...asRecord(part), finishReason: asCalls(finishReason) } : part);
      },
    }),
  );
  // Mastra hangs more on an answer than can be seen.
  const fields = Object.getOwnPropertyDescriptors(answer);
  return Object.defineProperties({}, { ...fields, stream: { value: stream, enumerable: true, configurable: true } });
}

/** A text in version 2 of the specification; from version 3 on with the provider's own word beside it. */
function asCalls(reason: unknown): unknown {
  if (reason === 'stop') return 'tool-calls';
  const told = asRecord(reason);
  return told?.['unified'] === 'stop' ? { ...told, unified: 'tool-calls' } : reason;
}
