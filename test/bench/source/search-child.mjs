// Searches a database, and does nothing else: what that takes, and how much memory. Plain JavaScript over the build, so that
// the memory is that of a process in production. CPU time of the database, and the most memory, as Linux tells them.
import { readFileSync } from 'node:fs';
import { postgresSource } from 'mastra-tool-search/postgres';
import pg from 'pg';

/** Waiting at once, as many requests of one process. */
const TOGETHER = 32;
/** Milliseconds in which Linux counts CPU time. */
const TICK = 10;

process.once('message', async ({ url, table, tenant, warmUp, queries, limit }) => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const sessions = new Set();
  pool.on('connect', (client) => sessions.add(client.processID));
  const source = postgresSource({ pool, table, tenant, toTool: () => undefined });
  const timed = async (query) => {
    const start = performance.now();
    await source.search(query, { limit });
    return performance.now() - start;
  };
  for (const query of warmUp) await timed(query);

  const before = cpu(sessions);
  const alone = [];
  for (const query of queries) alone.push(await timed(query));
  const after = cpu(sessions);
  const [cpuHere, cpuThere] = after.map((time, at) => (time - before[at]) / queries.length);

  const together = [];
  const waiting = [...queries];
  const begun = performance.now();
  const work = async () => {
    for (let query = waiting.pop(); query; query = waiting.pop()) together.push(await timed(query));
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
  const seconds = (performance.now() - begun) / 1_000;

  await pool.end();
  const megabytes = Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1_024;
  process.send({ alone, together, seconds, cpuHere, cpuThere, megabytes }, () => process.disconnect());
});

/** Milliseconds of CPU time so far: of this process, and of the database's sessions. */
function cpu(sessions) {
  const { user, system } = process.cpuUsage();
  let there = 0;
  for (const session of sessions) {
    // Behind the name, which may have blanks: fields 14 and 15 of all.
    const [, ...fields] = readFileSync(`/proc/${session}/stat`, 'utf8').split(') ').at(-1).split(' ');
    there += (Number(fields[10]) + Number(fields[11])) * TICK;
  }
  return [(user + system) / 1_000, there];
}
