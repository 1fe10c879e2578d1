// Two processes behind one Redis serve one thread: the first loads a tool, the second uses it.
// Run it with: npm run example:replicas
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { noRedis, startRedis } from '../../test/support/redis-server.ts';

if (noRedis) {
  console.log(`${noRedis}. On Debian and Ubuntu: apt-get install redis-server; on macOS: brew install redis.`);
  process.exit(0);
}

const redis = await startRedis();
const program = fileURLToPath(new URL('replica.ts', import.meta.url));
try {
  for (const [name, task] of [
    ['A', 'prepare'],
    ['B', 'ask'],
  ] as const) {
    const replica = fork(program, [name, task, redis.url]);
    const [code] = (await once(replica, 'exit')) as [number | null];
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  await redis.stop();
}
