import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { answers, findProgram, freePort, servicesAreRequired, startService, versionFolders } from './service.ts';

const run = promisify(execFile);

const findInitdb = (): string | undefined => findProgram(['initdb'], versionFolders('/usr/lib/postgresql', 'bin'));

/** Why tests over PostgreSQL are skipped; undefined when they run, or have to fail. */
export const noPostgres: string | undefined =
  findInitdb() || servicesAreRequired ? undefined : 'PostgreSQL is not installed';

export interface PostgresServer {
  readonly url: string;
  /** Ends it, and removes its data unless they are kept. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Where the data are kept, for another server over them later. Without it they go with the server. */
  readonly folder?: string;
  /** @default without `fsync`: nothing is kept anyway */
  readonly settings?: readonly string[];
}

/** A server of its own on a free port of the loopback, with an empty database unless one is in the folder. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const initdb = findInitdb();
  if (!initdb) throw new Error('PostgreSQL is not installed. On Debian: apt-get install postgresql');
  const kept = options.folder;
  if (kept !== undefined) await mkdir(kept, { recursive: true });
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'postgres-')));
  const user = await unprivilegedUser();
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  if (!existsSync(data)) {
    await run(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], {
      ...user,
      cwd: folder,
    });
  }

  const port = await freePort();
  const own = options.settings ?? ['fsync=off'];
  const settings = [`listen_addresses=127.0.0.1`, `unix_socket_directories=${folder}`, ...own];
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const service = await startService(join(dirname(initdb), 'postgres'), args, () => isReady(port), {
    ...user,
    cwd: folder,
  });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`,
    async stop() {
      // At once, without waiting for open connections; in order where there is a later.
      await service.end(kept === undefined ? 'SIGQUIT' : 'SIGINT');
      if (kept === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: then as the user of Debian's package. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (option: string): Promise<number> => Number((await run('id', [option, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

/** While it starts, a server answers a log-in with an error, later with "R". */
function isReady(port: number): Promise<boolean> {
  const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const header = Buffer.alloc(8);
  header.writeInt32BE(header.length + parameters.length, 0);
  header.writeInt32BE(196_608, 4);
  return answers(port, Buffer.concat([header, parameters]), (answer) => answer.startsWith('R'));
}
