import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MCPClient } from '@mastra/mcp';

const program = fileURLToPath(new URL('changing-mcp-server.ts', import.meta.url));

/** What a server is to change: descriptions by name, and names. */
export interface Change {
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

export interface ChangingServers {
  readonly client: MCPClient;
  /** Returns when the server has changed. */
  change(server: string, change: Change): Promise<void>;
  /** Ends the server's process, and keeps it from being started again. */
  kill(server: string): Promise<void>;
  /** Lets the server be started again. */
  revive(server: string): void;
  /** Keeps the server's process from answering, until what is returned is called. */
  pause(server: string): Promise<() => void>;
  close(): Promise<void>;
}

/** A client of servers over stdio that change, each with its first tools: descriptions by name. */
export function changingServers(
  id: string,
  servers: Readonly<Record<string, Readonly<Record<string, string>>>>,
  owner = 'nobody',
): ChangingServers {
  const folder = mkdtempSync(join(tmpdir(), 'changing-mcp-'));
  const downFile = (server: string): string => join(folder, server);
  const definitions = Object.entries(servers).map(([server, tools]) => {
    const env = { TOOLS: JSON.stringify(tools), DOWN: downFile(server), OWNER: owner };
    // Node 22 has to be told that it may run TypeScript.
    const args = ['--experimental-strip-types', '--no-warnings', program];
    return [server, { command: process.execPath, args, env, stderr: 'ignore' }] as const;
  });
  const client = new MCPClient({ id, servers: Object.fromEntries(definitions), timeout: 120_000 });

  const change = async (server: string, wanted: Change): Promise<number> => {
    const tools = await client.listTools();
    const result = await tools[`${server}_change`]?.execute?.(wanted as never, {} as never);
    return Number((result as { content: { text: string }[] }).content[0]?.text);
  };

  const paused = new Set<number>();
  const resume = (pid: number): void => {
    if (paused.delete(pid)) process.kill(pid, 'SIGCONT');
  };

  return {
    client,
    change: async (server, wanted) => void (await change(server, wanted)),
    async kill(server) {
      const pid = await change(server, {});
      writeFileSync(downFile(server), '');
      process.kill(pid, 'SIGKILL');
    },
    revive: (server) => rmSync(downFile(server)),
    async pause(server) {
      const pid = await change(server, {});
      process.kill(pid, 'SIGSTOP');
      paused.add(pid);
      return () => resume(pid);
    },
    async close() {
      for (const pid of paused) resume(pid);
      await client.disconnect();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
