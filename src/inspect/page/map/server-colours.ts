/** Colours that can be told apart. */
const MOST = 8;

/** A number from 1 on for each of the servers with the most tools; the others have none. */
export function serverColours(servers: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const server of servers) counts.set(server, (counts.get(server) ?? 0) + 1);
  const order = [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  return new Map(order.slice(0, MOST).map(([server], at) => [server, at + 1]));
}
