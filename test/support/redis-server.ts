import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answers, findProgram, freePort, type Service, servicesAreRequired, startService } from './service.ts';

const NAMES = ['redis-server', 'valkey-server'];

/** Why tests over Redis are skipped; undefined when they run, or have to fail. */
export const noRedis: string | undefined =
  findProgram(NAMES) || servicesAreRequired ? undefined : 'redis-server is not installed';

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Ends the process as a crash would, and returns when it is gone. What was written stays on the disk. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with what is on the disk. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** A server of its own, on a free port of the loopback, that writes every change to the disk. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const program = findProgram(NAMES);
  if (!program) throw new Error('redis-server is not installed. On Debian: apt-get install redis-server');
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await freePort();
  let service: Service;

  const start = async (): Promise<void> => {
    const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--appendonly', 'yes'];
    args.push('--appendfsync', 'always', ...settings);
    service = await startService(program, args, () => isReady(port));
  };
  await start();

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill: () => service.end(),
    start,
    async stop() {
      await service.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** While it reads its data, a server answers with an error. */
function isReady(port: number): Promise<boolean> {
  return answers(port, 'PING\r\n', (answer) => answer.startsWith('+PONG'));
}
