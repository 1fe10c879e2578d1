import { messageOf } from '../../../errors.ts';
import type { LintFinding } from '../../../workbench/lint/check.ts';
import type { InspectData } from '../../data.ts';
import type { EditHistory } from './edits.ts';
import { Engine } from './engine.ts';

/** The engine behind a channel: each method answers asynchronously. */
export type RemoteEngine = { readonly [Method in Exclude<keyof Engine, `set${string}`>]: Engine[Method] };

/** Data that the page loads later: each is loaded once, for the first worker that needs it. */
export interface Later {
  /** The table of word vectors, in base64. */
  vectors(): Promise<string>;
  /** The findings in the catalog without edits. */
  findings(): Promise<readonly LintFinding[]>;
}

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

/** Runs an engine in a worker: the first message has its data, later ones are calls. */
export function runWorker(channel: Channel): void {
  let engine: Engine | undefined;
  channel.addEventListener('message', ({ data }) => {
    if (engine) {
      void answerOf(engine, data as Call).then((answer) => channel.postMessage(answer));
    } else {
      engine = new Engine(data as InspectData);
      channel.postMessage({ id: 0, value: 'started' } satisfies Answer);
    }
  });
}

async function answerOf(engine: Engine, { id, method, parameters }: Call): Promise<Answer> {
  try {
    const run = engine[method] as (...all: readonly unknown[]) => unknown;
    return { id, value: await run.apply(engine, [...parameters]) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

type Calls = (method: keyof Engine, parameters: readonly unknown[]) => Promise<unknown>;

/** Calls an engine through a channel. */
export function callsThrough(channel: Channel): Calls {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  channel.addEventListener('message', ({ data }) => {
    const answer = data as Answer;
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) call?.reject(new Error(answer.error));
    else call?.resolve(answer.value);
  });
  return (method, parameters) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      channel.postMessage({ id: last, method, parameters } satisfies Call);
    });
}

/** The worker of each method: 0 for every key press, 1 for slow answers, 2 for the slowest. */
const METHODS: Readonly<Record<keyof RemoteEngine, number>> = {
  ...{ rank: 0, why: 0, twins: 0 },
  ...{ cases: 1, progress: 1, candidates: 1, tryKeyword: 1 },
  ...{ lint: 2, tokens: 2 },
};

/** The workers that need the table of word vectors; and the worker that needs the findings. */
const RANKING: readonly number[] = [0, 1];
const LINTING = 2;

/**
 * Starts the engine in three workers, each at its first call, so that neither the page nor a search ever waits. If the browser
 * refuses workers, the engine runs in the page. It receives all edits.
 *
 * @param source - the script of this page, which a worker also runs.
 */
export function startEngine(
  data: InspectData,
  edits: EditHistory,
  source: string | undefined,
  later: Later,
): RemoteEngine {
  const own = new Engine(data);
  const ownCalls: Calls = async (method, parameters) => (own[method] as (...all: unknown[]) => unknown)(...parameters);
  const workers: Promise<Calls>[] = [];
  let vectors: Promise<string | undefined> | undefined;
  const start = async (worker: number): Promise<Calls> => {
    const calls = await startWorker(data, source).catch(() => ownCalls);
    void calls('setEdits', [edits.current]);
    if (RANKING.includes(worker)) {
      vectors ??= later.vectors().catch(() => undefined);
      void vectors.then((base64) => calls('setVectors', [base64]));
    }
    if (worker === LINTING)
      void later
        .findings()
        .catch(messageOf)
        .then((findings) => calls('setFindings', [findings]));
    return calls;
  };
  edits.subscribe(() => {
    for (const worker of workers) void worker?.then((calls) => calls('setEdits', [edits.current]));
  });
  const call = (method: keyof RemoteEngine) => {
    return async (...parameters: readonly unknown[]): Promise<unknown> => {
      workers[METHODS[method]] ??= start(METHODS[method]);
      return (await workers[METHODS[method]])?.(method, parameters);
    };
  };
  const methods = Object.keys(METHODS) as (keyof RemoteEngine)[];
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as unknown as RemoteEngine;
}

/** Starts a worker. A refusal by the content security policy arrives as an event. */
async function startWorker(data: InspectData, source: string | undefined): Promise<Calls> {
  if (source === undefined) throw new Error('There is no script for a worker.');
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(address);
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('error', () => reject(new Error('The worker did not start.')), { once: true });
    worker.addEventListener('message', () => resolve(), { once: true });
    worker.postMessage(data);
  }).finally(() => URL.revokeObjectURL(address));
  return callsThrough(worker as Channel);
}
