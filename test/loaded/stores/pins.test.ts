import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { LibSQLStore } from '@mastra/libsql';
import type { DefinitionPin, PinStore } from 'mastra-tool-search';
import { filePinStore } from 'mastra-tool-search/pins';
import { redisPinStore } from 'mastra-tool-search/redis';
import { threadStatePinStore } from 'mastra-tool-search/thread-state';
import { afterAll, describe, expect, it } from 'vitest';
import { noRedis } from '../../support/redis-server.ts';
import { clients } from './redis-clients.ts';
import { redisRig } from './redis-rig.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pins-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pin = (digest: string, description = ''): DefinitionPin => ({ digest, description, parts: { inputSchema: 'x' } });
const pins = (record: Record<string, DefinitionPin>) => new Map(Object.entries(record));
const odd = pin('sha256-x', 'a\0b \ud800 "quoted" \u202e');

/** What every store of pins promises. `open` opens it anew, over the same place. */
function describePins(name: string, open: () => PinStore | Promise<PinStore>): void {
  describe(name, () => {
    let scopes = 0;
    const scope = () => `${name} ${scopes++}`;

    it('has no pins of a scope that it does not know', async () => {
      expect(await (await open()).read(scope())).toEqual(new Map());
    });

    it('adds what is not there, replaces what is, and keeps scopes apart', async () => {
      const [one, other, store] = [scope(), scope(), await open()];
      await store.add(one, pins({ a: pin('1'), b: odd, 'c (stub)': { ...pin('2'), accepted: true, server: 's' } }));
      await store.add(one, pins({ a: pin('9'), d: pin('4') }));
      await store.add(other, pins({ a: pin('5') }));
      const again = await open();
      expect(await again.read(one)).toEqual(
        pins({ a: pin('1'), b: odd, 'c (stub)': { ...pin('2'), accepted: true, server: 's' }, d: pin('4') }),
      );
      await again.replace(one, pins({ a: pin('9'), e: pin('6') }));
      expect([...(await again.read(one)).keys()].sort()).toEqual(['a', 'b', 'c (stub)', 'd', 'e']);
      expect((await again.read(one)).get('a')).toEqual(pin('9'));
      expect(await again.read(other)).toEqual(pins({ a: pin('5') }));
    });

    it('gives what can be changed without changing the store', async () => {
      const [one, store] = [scope(), await open()];
      await store.add(one, pins({ a: pin('1') }));
      ((await store.read(one)) as Map<string, DefinitionPin>).clear();
      expect((await store.read(one)).size).toBe(1);
    });

    it('keeps one pin for all who add a name at once, and 1,200 pins', async () => {
      const [one, store] = [scope(), await open()];
      await Promise.all(['1', '2', '3'].map((digest) => store.add(one, pins({ a: pin(digest) }))));
      const many = Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`t${n}`, pin(`${n}`)]));
      await store.add(one, pins(many));
      const read = await store.read(one);
      expect(['1', '2', '3']).toContain(read.get('a')?.digest);
      expect([read.size, read.get('t1199')]).toEqual([1_201, pin('1199')]);
    });
  });
}

describePins('filePinStore()', () => filePinStore({ file: path.join(folder, 'deep', 'tools.lock.json') }));
const memory = new Mastra({ storage: new InMemoryStore(), logger: false });
describePins('threadStatePinStore() in memory', () => threadStatePinStore({ mastra: memory }));
const libsql = new Mastra({
  storage: new LibSQLStore({ id: 'pins', url: `file:${path.join(folder, 'pins.db')}` }),
  logger: false,
});
describePins('threadStatePinStore() in libSQL', () => threadStatePinStore({ mastra: libsql }));

describe.skipIf(noRedis !== undefined)('in Redis', () => {
  const redis = redisRig();
  for (const name of Object.keys(clients).slice(0, 2))
    describePins(`redisPinStore() with ${name}`, async () =>
      redisPinStore({ client: (await redis.connect(name)).client }),
    );
});

describe('filePinStore()', () => {
  it('writes a file that can be reviewed: names in order, one pin for all scopes', async () => {
    const file = path.join(folder, 'lock.json');
    const store = filePinStore({ file });
    await store.add('global', pins({ b: pin('2'), a: pin('1') }));
    await store.add('tenant:x', pins({ a: pin('3') }));
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).tools)).toEqual(['a', 'b']);
    expect(await store.read('tenant:x')).toEqual(pins({ a: pin('3'), b: pin('2') }));
    expect(await store.read('tenant:y')).toEqual(pins({ a: pin('1'), b: pin('2') }));
  });

  it.each([
    ['{', 'JSON'],
    ['{"version":2,"tools":{}}', 'no lock file'],
    ['{"version":1,"tools":{"a":{}}}', 'The pin of "a" cannot be read'],
  ])('rejects %s, so that it counts for no pins', async (text, message) => {
    const file = path.join(folder, 'broken.json');
    writeFileSync(file, text);
    await expect(filePinStore({ file }).read('global')).rejects.toThrow(message);
    await expect(filePinStore({ file }).read('global')).rejects.toThrow(file);
    await expect(filePinStore({ file }).add('global', pins({ a: pin('1') }))).rejects.toThrow(message);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('leaves a file that is locked as it is, but for what somebody accepts', async () => {
    const file = path.join(folder, 'locked.json');
    await filePinStore({ file }).add('global', pins({ a: pin('1') }));
    const locked = filePinStore({ file, isLocked: true });
    await locked.add('global', pins({ b: pin('2') }));
    expect([...(await locked.read('global')).keys()]).toEqual(['a']);
    await locked.replace('global', pins({ b: pin('2') }));
    expect([...(await locked.read('global')).keys()]).toEqual(['a', 'b']);
  });

  it('refuses wrong options', () => {
    expect(() => filePinStore({} as never)).toThrow('"file" must be the path of a file');
    expect(() => filePinStore({ file: 'x', locked: true } as never)).toThrow('isLocked');
    expect(() => threadStatePinStore(memory as never)).toThrow('pass { mastra }');
    expect(() => redisPinStore({} as never)).toThrow('a Redis client');
  });
});
