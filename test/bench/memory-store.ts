// How much memory memoryStore takes: a million adds over a hundred thousand scopes.
// Run it with: npm run bench:memory-store
import { memoryStore } from '../../src/loaded/stores/memory.ts';

const SCOPES = 100_000;
const ADDS = 10;
const BOUND_MB = 150;

/** A text of its own, as one that was read from a request: not shared with any other. */
const fresh = (text: string): string => Buffer.from(text).toString();

function heapMegabytes(): number {
  if (!globalThis.gc) throw new Error('run node with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function measure(maxScopes: number): number {
  const before = heapMegabytes();
  const store = memoryStore({ maxScopes });
  const started = performance.now();
  for (let scope = 0; scope < SCOPES; scope++) {
    for (let add = 0; add < ADDS; add++) {
      const key = fresh(`["user-${String(scope).padStart(30, '0')}","thread-${String(scope).padStart(29, '0')}"]`);
      store.add(key, [fresh(`some_server_some_tool_${add}`)], { ttl: 3_600_000 });
    }
  }
  const seconds = (performance.now() - started) / 1000;
  const megabytes = heapMegabytes() - before;
  const { scopeCount } = store.stats();
  const names = scopeCount * store.get(store.scopes()[0] ?? '').length;
  const figures = [
    `maxScopes ${maxScopes.toLocaleString('en')}:`,
    `${(ADDS * SCOPES).toLocaleString('en')} adds in ${seconds.toFixed(1)} s,`,
    `${scopeCount.toLocaleString('en')} scopes with ${names.toLocaleString('en')} names kept,`,
    `${megabytes.toFixed(1)} MB`,
  ];
  console.log(figures.join(' '));
  return megabytes;
}

measure(10_000);
const all = measure(SCOPES);
console.log(`${Math.round((all * 2 ** 20) / SCOPES).toLocaleString('en')} bytes a scope of ${ADDS} names`);
if (all > BOUND_MB) {
  console.error(`More than the bound of ${BOUND_MB} MB.`);
  process.exitCode = 1;
}
