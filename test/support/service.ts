import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** With REQUIRE_SERVICES=1 a test whose service is not installed fails; otherwise it is skipped. */
export const servicesAreRequired: boolean = process.env['REQUIRE_SERVICES'] === '1';

/** The first of these programs that is installed, in the PATH or in `folders`. */
export function findProgram(names: readonly string[], folders: readonly string[] = []): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => [...path, ...folders].map((folder) => join(folder, name))).find(existsSync);
}

/** The folders `<base>/<version>/<rest>`, newest version first. */
export function versionFolders(base: string, rest: string): string[] {
  const versions = existsSync(base) ? readdirSync(base) : [];
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(base, version, rest));
}

/** Below those that the system hands out by itself: so none is taken while a server that was ended starts again. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** A port of the loopback that is free now. */
export async function freePort(): Promise<number> {
  const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
  return (await isFree(port)) ? port : freePort();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A process that ends with this one, and what it has written so far. */
export interface Service {
  readonly output: () => string;
  readonly hasEnded: () => boolean;
  /** Ends it, by default without warning, and returns when it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Waits until a condition holds, without a limit of its own. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Starts a program and waits until it is ready. */
export async function startService(
  program: string,
  args: readonly string[],
  isReady: () => Promise<boolean>,
  options: SpawnOptions = {},
): Promise<Service> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => {
      output = (output + data.toString()).slice(-10_000);
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      output += error.message;
      resolve();
    });
  });
  const hasEnded = (): boolean => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  endWithThisProcess(child);

  // However long it takes: the limit of the test, or of its hook, ends what hangs.
  await eventually(async () => {
    if (hasEnded()) throw new Error(`${program} did not start:\n${output}`);
    return isReady();
  });
  return {
    output: () => output,
    hasEnded,
    async end(signal = 'SIGKILL') {
      child.kill(signal);
      await ended;
    },
  };
}

function endWithThisProcess(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}

/** Whether a server answers the greeting as one that is ready does. */
export function answers(
  port: number,
  greeting: string | Buffer,
  isReady: (answer: string) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (ready: boolean): void => {
      socket.destroy();
      resolve(ready);
    };
    // It may have taken the connection and be too busy to answer: asked anew, it would have more to do.
    socket.setTimeout(60_000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('connect', () => socket.write(greeting));
    socket.once('data', (data) => finish(isReady(data.toString())));
  });
}
