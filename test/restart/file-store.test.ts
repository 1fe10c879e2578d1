import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeStore } from '../registry/store-contract.ts';
import { fileStore } from './file-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'file-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeStore('a store of your own', () => {
  let time = 0;
  return {
    store: fileStore(join(folder, 'loaded.json'), () => time),
    advance: (milliseconds) => {
      time += milliseconds;
    },
  };
});
