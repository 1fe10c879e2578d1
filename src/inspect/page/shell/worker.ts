import { type Channel, serve } from '../engine/calls.ts';
import { Engine } from '../engine/engine.ts';
import { STARTED, type Start } from './engine-client.ts';

/** Runs an engine in a worker: its data comes with the first message, calls come afterwards. */
export function runWorker(channel: Channel & Pick<EventTarget, 'removeEventListener'>): void {
  const start = (event: Event & { readonly data?: unknown }): void => {
    channel.removeEventListener('message', start);
    serve(new Engine((event.data as Start).start), channel);
    channel.postMessage(STARTED);
  };
  channel.addEventListener('message', start as (event: { readonly data: unknown }) => void);
}
