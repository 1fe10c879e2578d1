import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeStore, type StoreRig } from '../loaded/stores/store-contract.ts';
import { fileStore } from './file-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'file-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const create = (): StoreRig => {
  let time = 0;
  return {
    store: fileStore(join(folder, 'loaded.json'), () => time),
    advance: (milliseconds) => {
      time += milliseconds;
    },
  };
};
describeStore('a store of your own', create, { hasRemove: false });

it('a store of your own that writes a file has what another store over that file was given', async () => {
  const path = join(folder, 'shared.json');
  await fileStore(path).add('thread', ['get_weather'], { ttl: 0 });
  expect(await fileStore(path).get('thread')).toEqual(['get_weather']);
});
