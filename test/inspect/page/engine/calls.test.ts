import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { type Channel, callsThrough, serve } from '../../../../src/inspect/page/engine/calls.ts';
import { Engine } from '../../../../src/inspect/page/engine/engine.ts';
import { caseOf, dataOf } from './data.ts';

const data = dataOf([{ name: 'send_email', description: 'Send an email.' }], { cases: [caseOf('mail', 'send_email')] });

it('answers calls through a channel as the engine does, each its own, and refusals too', async () => {
  const { port1, port2 } = new MessageChannel();
  try {
    serve(new Engine(data), port1 as unknown as Channel);
    const call = callsThrough(port2 as unknown as Channel);
    const engine = new Engine(data);
    const edits = new Map([['send_email', { keywords: ['letter'] }]]);
    await Promise.all([engine.setEdits(edits), call('setEdits')(edits)]);
    const asked = [call('rank')('letter', 'bm25', 5), call('tokens')(), call('cases')('tiered')] as const;
    const expected = [engine.rank('letter', 'bm25', 5), engine.tokens(), engine.cases('tiered')] as const;
    expect(await Promise.all(asked)).toEqual(await Promise.all(expected));
    await expect(call('rank')('a', 'nobody', 5)).rejects.toThrow('The page has no scorer "nobody".');
  } finally {
    port1.close();
  }
});
