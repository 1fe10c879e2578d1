// A replica: connects, says so, and on the word adds names to one scope as fast as it can.
import { redisStore } from '../../src/registry/redis.ts';
import { clients } from './redis-clients.ts';

const [url = '', scope = '', name = '', count = '0', client = ''] = process.argv.slice(2);
const connected = await clients[client]?.(url);
if (!connected) throw new Error(`no client is called "${client}"`);
const store = redisStore({ client: connected.client });

process.once('message', async () => {
  for (let n = 0; n < Number(count); n += 10) {
    const wave = Array.from({ length: 10 }, (_, offset) => n + offset);
    await Promise.all(wave.map((m) => store.add(scope, [`${name}-${m}`, `shared-${m}`], { ttl: 60_000 })));
  }
  await connected.close();
  process.disconnect?.();
});
process.send?.('ready');
