import type { InspectData } from '../../data.ts';
import { type Channel, callsThrough, type RemoteEngine } from '../engine/calls.ts';
import type { EditHistory } from '../engine/edit-history.ts';
import { Engine } from '../engine/engine.ts';

/** The first message to a worker: what its engine is about. */
export interface Start {
  readonly start: InspectData;
}

/** The message of a worker that has begun. */
export const STARTED = 'started';

/**
 * The engine in two workers, one for what is asked with every key press and one for long work, so that the page never
 * waits. Where the browser refuses workers, it is in the page itself. It follows the edits.
 *
 * @param source - the script of this page, which a worker runs as well.
 */
export function startEngine(data: InspectData, edits: EditHistory, source: string | undefined): RemoteEngine {
  const started: Promise<RemoteEngine> = inWorkers(data, source).catch(() => new Engine(data));
  const engine: RemoteEngine = {
    rank: async (...asked) => (await started).rank(...asked),
    cases: async (...asked) => (await started).cases(...asked),
    twins: async (...asked) => (await started).twins(...asked),
    lint: async (...asked) => (await started).lint(...asked),
    tokensOf: async (...asked) => (await started).tokensOf(...asked),
    tokens: async () => (await started).tokens(),
    alike: async () => (await started).alike(),
    setEdits: async (...asked) => (await started).setEdits(...asked),
  };
  edits.subscribe(() => void engine.setEdits(edits.current));
  return engine;
}

async function inWorkers(data: InspectData, source: string | undefined): Promise<RemoteEngine> {
  if (source === undefined) throw new Error('There is no script for a worker.');
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const [quick, slow] = await Promise.all([startWorker(address, data), startWorker(address, data)]);
  URL.revokeObjectURL(address);
  const setQuick = quick('setEdits');
  const setSlow = slow('setEdits');
  return {
    rank: quick('rank'),
    cases: slow('cases'),
    twins: slow('twins'),
    lint: slow('lint'),
    tokensOf: slow('tokensOf'),
    tokens: slow('tokens'),
    alike: slow('alike'),
    setEdits: async (edits) => {
      await Promise.all([setQuick(edits), setSlow(edits)]);
    },
  };
}

/** Starts a worker. A refusal by the page's policy comes as an event. */
async function startWorker(address: string, data: InspectData): Promise<ReturnType<typeof callsThrough>> {
  const worker = new Worker(address);
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('error', () => reject(new Error('The worker did not start.')), { once: true });
    worker.addEventListener('message', () => resolve(), { once: true });
    worker.postMessage({ start: data } satisfies Start);
  });
  return callsThrough(worker as Channel);
}
