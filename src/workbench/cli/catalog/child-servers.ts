import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** Milliseconds that servers have to end by themselves when the command is broken off. */
const PATIENCE = 1_000;
/** The signals that break a command off, with the exit code that a shell expects of each. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The servers that run, by their process ids. */
const running = new Map<number, StdioClientTransport>();
/** The exit code of a command that is broken off. */
let code: number | undefined;

/** Sees to it that a server does not outlive the command, however that ends. To be called before the server starts. */
export function endWithCommand(transport: StdioClientTransport): void {
  const start = transport.start.bind(transport);
  transport.start = () => {
    const started = start();
    const { pid } = transport;
    if (pid === null) return started;
    if (running.size === 0) listen();
    running.set(pid, transport);
    transport.onclose = behind(() => left(pid), transport.onclose);
    return started;
  };
}

/** Whether the command is broken off. What servers say from then on is of no interest. */
export function isBrokenOff(): boolean {
  return code !== undefined;
}

function behind(first: () => void, then: (() => void) | undefined): () => void {
  return () => {
    first();
    then?.();
  };
}

function listen(): void {
  for (const signal of Object.keys(CODES)) process.on(signal, breakOff);
  process.on('exit', killAll);
}

function left(pid: number): void {
  running.delete(pid);
  if (running.size > 0) return;
  if (code !== undefined) process.exit(code);
  for (const signal of Object.keys(CODES)) process.removeListener(signal, breakOff);
  process.removeListener('exit', killAll);
}

/** Asks all servers to end. Those that do not are killed after a while, and at once when the signal is repeated. */
function breakOff(signal: keyof typeof CODES): void {
  if (code !== undefined) process.exit(code);
  code = CODES[signal];
  const exitCode = code;
  for (const [pid, transport] of running) {
    void transport.close().catch(() => {});
    kill(pid, 'SIGTERM');
  }
  setTimeout(() => process.exit(exitCode), PATIENCE);
}

/** Nothing can be waited for when a process exits. */
function killAll(): void {
  for (const pid of running.keys()) kill(pid, 'SIGKILL');
  if (code !== undefined) process.exitCode = code;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
