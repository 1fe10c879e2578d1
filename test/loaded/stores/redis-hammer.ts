// A replica: connects, says so, and on the word adds names to one scope as fast as it can.
import { redisStore } from '../../../src/entries/redis.ts';
import { clients } from './redis-clients.ts';

const [url = '', scope = '', name = '', count = '0', client = ''] = process.argv.slice(2);
const connected = await clients[client]?.(url);
if (!connected) throw new Error(`no client is called "${client}"`);
const store = redisStore({ client: connected.client });

const addWave = async (start: number): Promise<void> => {
  const wave = Array.from({ length: 10 }, (_, offset) => start + offset);
  await Promise.all(wave.map((n) => store.add(scope, [`${name}-${n}`, `shared-${n}`], { ttl: 60_000 })));
};
const isAlone = async (): Promise<boolean> =>
  (await store.get(scope)).every((added) => added.startsWith(name) || added.startsWith('shared'));

process.once('message', async () => {
  await addWave(0);
  // None is done before the other has begun.
  while (await isAlone()) await new Promise((resolve) => setTimeout(resolve, 1));
  for (let start = 10; start < Number(count); start += 10) await addWave(start);
  await connected.close();
  process.disconnect?.();
});
process.send?.('ready');
