import { asRecord } from '../util/record.ts';

/** What a model answers, as far as it is read here: the same in all versions of the specification. */
export interface ModelAnswer {
  readonly stream?: unknown;
  readonly content?: unknown;
}

/** Calls a model with another prompt, or other tools, or gives its answer another form. */
type CallThrough<Call> = (call: Call, model: (call: Call) => Promise<ModelAnswer>) => Promise<ModelAnswer>;

/** Whether a model is one of AI SDK 4, for `generateLegacy()`. Mastra ends a run whose step returns one. */
export function isLegacy(model: unknown): boolean {
  return asRecord(model)?.['specificationVersion'] === 'v1';
}

/**
 * A model that is called through a function. Nothing stands between that and the provider's package: it sees the tools and
 * the prompt after every processor and `prepareStep`, which may have taken some of either away.
 */
export function wrapModel<Model, Call>(model: Model, callThrough: CallThrough<Call>): Model {
  if (typeof model !== 'object' || model === null) return model;
  const wrapped = new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      // Bound: a model keeps what it needs in private fields, which a proxy has not.
      const method = value.bind(target) as (call: Call) => Promise<ModelAnswer>;
      if (key !== 'doStream' && key !== 'doGenerate') return method;
      return (call: Call) => callThrough(call, method);
    },
  });
  inner.set(wrapped, model);
  return wrapped;
}

const inner = new WeakMap<object, object>();

/** Whether a model is another one, or wraps it. */
export function isModel(model: object, other: object): boolean {
  const within = inner.get(model);
  return model === other || (within !== undefined && isModel(within, other));
}

/** The answer with each of its parts changed. */
export function mapParts(answer: ModelAnswer, map: (part: unknown) => unknown): Promise<ModelAnswer> {
  return changeParts(answer, new TransformStream({ transform: (part, controller) => controller.enqueue(map(part)) }));
}

/** The answer with its parts changed. Mastra's models answer `doGenerate` with a stream as well, and it is what Mastra reads. */
export async function changeParts(
  answer: ModelAnswer,
  change: TransformStream<unknown, unknown>,
): Promise<ModelAnswer> {
  const { stream, content } = answer ?? {};
  if (stream instanceof ReadableStream) return withField(answer, 'stream', stream.pipeThrough(change));
  if (!Array.isArray(content)) return answer;
  const given = new ReadableStream({
    start(controller) {
      for (const part of content) controller.enqueue(part);
      controller.close();
    },
  });
  const parts: unknown[] = [];
  for await (const part of given.pipeThrough(change)) parts.push(part);
  return withField(answer, 'content', parts);
}

/** The answer with another field. Mastra hangs more on an answer than can be seen. */
function withField(answer: ModelAnswer, name: keyof ModelAnswer, value: unknown): ModelAnswer {
  const fields = Object.getOwnPropertyDescriptors(answer);
  return Object.defineProperties({}, { ...fields, [name]: { value, enumerable: true, configurable: true } });
}
