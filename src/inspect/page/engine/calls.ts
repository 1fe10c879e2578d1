import type { Engine } from './engine.ts';

/** The engine from afar: each of its methods, answered later. */
export type RemoteEngine = { readonly [Method in keyof Engine]: Engine[Method] };

/** A call of a method, and its answer. */
interface Call {
  readonly id: number;
  readonly method: keyof Engine;
  readonly parameters: readonly unknown[];
}
type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

/** One end of a channel between two threads: a worker, or the worker's own global object. */
export interface Channel {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/** Answers the calls that come through a channel. */
export function serve(engine: Engine, channel: Channel): void {
  const answer = async ({ id, method, parameters }: Call): Promise<Answer> => {
    try {
      const run = engine[method] as (...all: readonly unknown[]) => unknown;
      return { id, value: await run.apply(engine, [...parameters]) };
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) };
    }
  };
  channel.addEventListener('message', ({ data }) => {
    void answer(data as Call).then((given) => channel.postMessage(given));
  });
}

/** Calls an engine through a channel. */
export function callsThrough(channel: Channel): <Method extends keyof Engine>(method: Method) => Engine[Method] {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  channel.addEventListener('message', ({ data }) => {
    const answer = data as Answer;
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) call?.reject(new Error(answer.error));
    else call?.resolve(answer.value);
  });
  return (method) =>
    ((...parameters: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        channel.postMessage({ id: last, method, parameters } satisfies Call);
      })) as never;
}
