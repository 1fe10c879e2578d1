import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { LoadedToolStore } from '../../src/index.ts';

interface Entry {
  readonly names: readonly string[];
  readonly ttl: number;
  readonly usedAt: number;
}

/** A store as an application may write one: a JSON file, read and written at once, for one process at a time. */
export function fileStore(file: string, now: () => number = Date.now): LoadedToolStore {
  const read = (): Record<string, Entry> =>
    Object.assign(Object.create(null), existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
  const write = (scopes: Record<string, Entry>): void => writeFileSync(file, JSON.stringify(scopes));
  const find = (scopes: Record<string, Entry>, scope: string): Entry | undefined => {
    const entry = scopes[scope];
    return entry && (entry.ttl === 0 || now() - entry.usedAt <= entry.ttl) ? entry : undefined;
  };

  return {
    get(scope) {
      const scopes = read();
      const entry = find(scopes, scope);
      if (!entry) return [];
      write({ ...scopes, [scope]: { ...entry, usedAt: now() } });
      return [...entry.names];
    },
    add(scope, names, { ttl, max = Number.POSITIVE_INFINITY }) {
      if (names.length === 0) return;
      const scopes = read();
      const all = [...new Set([...(find(scopes, scope)?.names ?? []), ...names])];
      write({ ...scopes, [scope]: { names: all.slice(Math.max(0, all.length - max)), ttl, usedAt: now() } });
    },
    clear(scope) {
      const { [scope]: _, ...rest } = read();
      write(rest);
    },
  };
}
