import { asRecord } from '../util/record.ts';

/** The fields of a model's answer that are read here. All versions of the specification have them. */
export interface ModelAnswer {
  readonly stream?: unknown;
  readonly content?: unknown;
}

/** Calls a model, possibly with another prompt or other tools, and returns its answer, possibly changed. */
type CallThrough<Call> = (call: Call, model: (call: Call) => Promise<ModelAnswer>) => Promise<ModelAnswer>;

/** Whether a model is one of AI SDK 4, for `generateLegacy()`. Mastra ends a run whose step returns one. */
export function isLegacy(model: unknown): boolean {
  return asRecord(model)?.['specificationVersion'] === 'v1';
}

/**
 * Wraps a model so that it is called through a function. Only the provider's package comes after the function, so the
 * function sees the final tools and the final prompt: every processor and `prepareStep` have run.
 */
export function wrapModel<Model, Call>(model: Model, callThrough: CallThrough<Call>): Model {
  if (typeof model !== 'object' || model === null) return model;
  const wrapped = new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      // Bound to the model, because a proxy has no access to the model's private fields.
      const method = value.bind(target) as (call: Call) => Promise<ModelAnswer>;
      if (key !== 'doStream' && key !== 'doGenerate') return method;
      return (call: Call) => callThrough(call, method);
    },
  });
  inner.set(wrapped, model);
  return wrapped;
}

const inner = new WeakMap<object, object>();

/** Whether `model` is `other`, or wraps it. */
export function isModel(model: object, other: object): boolean {
  const within = inner.get(model);
  return model === other || (within !== undefined && isModel(within, other));
}

export function mapParts(answer: ModelAnswer, map: (part: unknown) => unknown): Promise<ModelAnswer> {
  return changeParts(answer, new TransformStream({ transform: (part, controller) => controller.enqueue(map(part)) }));
}

/**
 * Pipes the parts of an answer through a stream. Mastra's models answer `doGenerate` with a stream as well, and Mastra
 * reads that stream.
 */
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

/**
 * Copies an answer with another value in one field. All property descriptors are copied, because Mastra adds fields
 * that are not enumerable.
 */
function withField(answer: ModelAnswer, name: keyof ModelAnswer, value: unknown): ModelAnswer {
  const fields = Object.getOwnPropertyDescriptors(answer);
  return Object.defineProperties({}, { ...fields, [name]: { value, enumerable: true, configurable: true } });
}
