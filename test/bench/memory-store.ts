// How much memory memoryStore takes: a million adds over a hundred thousand scopes: npm run bench:memory-store
import { memoryStore } from '../../src/loaded/stores/memory.ts';
import { collectGarbage } from './statistics.ts';

const SCOPES = 100_000;
const ADDS = 10;
const BOUND_MB = 150;

/** A text of its own, as one that was read from a request: not shared with any other. */
const fresh = (text: string): string => Buffer.from(text).toString();

function heapMegabytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function measure(maxScopes: number): number {
  const before = heapMegabytes();
  const store = memoryStore({ maxScopes });
  for (let scope = 0; scope < SCOPES; scope++) {
    for (let add = 0; add < ADDS; add++) {
      const key = fresh(`["user-${String(scope).padStart(30, '0')}","thread-${String(scope).padStart(29, '0')}"]`);
      store.add(key, [fresh(`some_server_some_tool_${add}`)], { ttl: 3_600_000 });
    }
  }
  const megabytes = heapMegabytes() - before;
  const kept = store.stats().scopeCount.toLocaleString('en');
  console.log(`maxScopes ${maxScopes.toLocaleString('en')}: ${kept} scopes kept, ${megabytes.toFixed(1)} MB`);
  return megabytes;
}

measure(10_000);
const all = measure(SCOPES);
console.log(`${Math.round((all * 2 ** 20) / SCOPES).toLocaleString('en')} bytes a scope of ${ADDS} names`);
if (all > BOUND_MB) {
  console.error(`More than the bound of ${BOUND_MB} MB.`);
  process.exitCode = 1;
}
